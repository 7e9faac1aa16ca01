import { type DramaPlan, type DramaShot, MAX_SHOTS } from '#server/generation/drama/schemas.ts';
import { idsOf, type PlanList, type Thing, takeOut } from './plan-removals.ts';

/** Changes of a storyboard while it is edited on its page. Pure. */

export type PlanEdit =
  | { type: 'replace'; plan: DramaPlan; said?: Said }
  | { type: 'words'; field: 'title' | 'style'; value: string }
  | { type: 'shot'; id: string; change: Partial<Omit<DramaShot, 'id'>> }
  | { type: 'character'; id: string; change: Partial<Omit<DramaPlan['characters'][number], 'id'>> }
  | { type: 'scene'; id: string; change: Partial<Omit<DramaPlan['scenes'][number], 'id'>> }
  | { type: 'move'; id: string; by: -1 | 1 }
  | { type: 'add'; list: PlanList; after?: string }
  | { type: 'remove'; list: PlanList; id: string }
  | { type: 'undo' };

/** What a button did: a text of the page's `said`, with its values. */
export type Said =
  | { key: 'moved'; from: number; to: number; count: number }
  | { key: 'addedShot'; number: number }
  | { key: 'addedCharacter' | 'addedScene' | 'newer' | 'discarded' }
  | { key: 'removed' | 'back'; thing: Thing };

export type EditorState = {
  plan: DramaPlan;
  /** Puts the last removed thing back into the plan as it is by then. */
  undo: { id: string; thing: Thing; restore: (plan: DramaPlan) => DramaPlan } | null;
  /** For screen readers. */
  said: Said | null;
  /** Element that the next key press should reach; `count` tells two requests for the same one apart. */
  focus: { id: string; count: number } | null;
};

export const MOST: Readonly<Record<PlanList, number>> = { shots: MAX_SHOTS, characters: 12, scenes: 20 };

/** Scenes and shots: a film has at least one of each. */
const LEAST: Readonly<Record<PlanList, number>> = { shots: 1, characters: 0, scenes: 1 };

export function openPlan(plan: DramaPlan): EditorState {
  return { plan, undo: null, said: null, focus: null };
}

export function editPlan(state: EditorState, edit: PlanEdit): EditorState {
  const { plan } = state;
  switch (edit.type) {
    case 'replace':
      return { ...openPlan(edit.plan), said: edit.said ?? null };
    case 'words':
      return { ...state, plan: { ...plan, [edit.field]: edit.value } };
    case 'shot':
      return { ...state, plan: { ...plan, shots: changed(plan.shots, edit.id, edit.change) } };
    case 'character':
      return { ...state, plan: { ...plan, characters: changed(plan.characters, edit.id, edit.change) } };
    case 'scene':
      return { ...state, plan: { ...plan, scenes: changed(plan.scenes, edit.id, edit.change) } };
    case 'move':
      return moveShot(state, edit);
    case 'add':
      return plan[edit.list].length >= MOST[edit.list] ? state : add(state, edit);
    case 'remove':
      return plan[edit.list].length <= LEAST[edit.list] ? state : remove(state, edit);
    case 'undo':
      return state.undo === null
        ? state
        : {
            plan: state.undo.restore(plan),
            undo: null,
            said: { key: 'back', thing: state.undo.thing },
            focus: null,
          };
  }
}

/** Id of an element of the editor: `shot-s1-up`. */
export const elementId = (id: string, part: string): string => `plan-${id}-${part}`;

/** The element that gives a removed thing back. */
export const UNDO_ID = 'plan-undo';

function changed<Item extends { id: string }>(
  items: Item[],
  id: string,
  change: NoInfer<Partial<Omit<Item, 'id'>>>,
): Item[] {
  return items.map((item) => (item.id === id ? { ...item, ...change } : item));
}

function moveShot(state: EditorState, { id, by }: { id: string; by: -1 | 1 }): EditorState {
  const shots = [...state.plan.shots];
  const from = shots.findIndex((shot) => shot.id === id);
  const to = from + by;
  const [moved] = shots.slice(from, from + 1);
  if (from < 0 || to < 0 || to >= shots.length || !moved) return state;
  shots.splice(from, 1);
  shots.splice(to, 0, moved);
  // At an end the pressed button has nothing more to do: the other one takes the focus.
  const isAtEnd = to === (by === 1 ? shots.length - 1 : 0);
  const direction = (by === 1) === isAtEnd ? 'up' : 'down';
  return {
    ...state,
    plan: { ...state.plan, shots },
    said: { key: 'moved', from: from + 1, to: to + 1, count: shots.length },
    focus: focusOn(state, elementId(id, direction)),
  };
}

function add(state: EditorState, { list, after }: { list: PlanList; after?: string }): EditorState {
  const { plan } = state;
  const id = freeId(state, list);
  if (list === 'characters') {
    const characters = [...plan.characters, { id, name: '', look: '', voice: '' }];
    return added(state, { ...plan, characters }, { id, part: 'name', said: { key: 'addedCharacter' } });
  }
  if (list === 'scenes') {
    const scenes = [...plan.scenes, { id, title: '', place: '' }];
    return added(state, { ...plan, scenes }, { id, part: 'title', said: { key: 'addedScene' } });
  }
  const found = plan.shots.findIndex((shot) => shot.id === after);
  const place = found < 0 ? plan.shots.length : found + 1;
  const before = plan.shots[place - 1];
  const shot: DramaShot = {
    id,
    sceneId: before?.sceneId ?? plan.scenes[0]?.id ?? '',
    characterIds: before?.characterIds ?? [],
    seconds: before && Number.isInteger(before.seconds) ? before.seconds : 5,
    picturePrompt: '',
    motionPrompt: '',
    narration: '',
    speakerId: '',
  };
  const shots = [...plan.shots.slice(0, place), shot, ...plan.shots.slice(place)];
  return added(
    state,
    { ...plan, shots },
    { id, part: 'picturePrompt', said: { key: 'addedShot', number: place + 1 } },
  );
}

function added(
  state: EditorState,
  plan: DramaPlan,
  { id, part, said }: { id: string; part: string; said: Said },
): EditorState {
  return { ...state, plan, said, focus: focusOn(state, elementId(id, part)) };
}

function remove(state: EditorState, { list, id }: { list: PlanList; id: string }): EditorState {
  const { plan } = state;
  const place = plan[list].findIndex((item) => item.id === id);
  if (place < 0) return state;
  const { thing, without, restore } = takeOut[list](plan, place);
  return {
    plan: without,
    undo: { id, thing, restore },
    said: { key: 'removed', thing },
    focus: focusOn(state, UNDO_ID),
  };
}

const PREFIX: Readonly<Record<PlanList, string>> = { shots: 's', characters: 'c', scenes: 'p' };

/** An id that nothing has, nor what may still come back. */
function freeId({ plan, undo }: EditorState, list: PlanList): string {
  const taken = idsOf(undo ? [...plan[list], undo] : plan[list]);
  const numbers = Array.from({ length: taken.size + 1 }, (_, index) => `${PREFIX[list]}${index + 1}`);
  return numbers.find((id) => !taken.has(id)) ?? '';
}

function focusOn(state: EditorState, id: string): EditorState['focus'] {
  return { id, count: (state.focus?.count ?? 0) + 1 };
}
