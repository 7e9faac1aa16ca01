import type { DramaPlan, DramaShot } from '#server/generation/drama/schemas.ts';

export type PlanList = 'shots' | 'characters' | 'scenes';

/** A shot, a character or a scene: its own name, if it has one, and its place as people count. */
export type Thing = { list: PlanList; number: number; name: string };

type Removal = { thing: Thing; without: DramaPlan; restore: (plan: DramaPlan) => DramaPlan };

/**
 * Takes the thing at a place out of a plan, with what refers to it, and knows how to put it back into the plan as it is
 * by then. Pure.
 */
export const takeOut: Readonly<Record<PlanList, (plan: DramaPlan, place: number) => Removal>> = {
  shots(plan, place) {
    const gone = plan.shots.slice(place, place + 1);
    return {
      thing: { list: 'shots', number: place + 1, name: '' },
      without: { ...plan, shots: plan.shots.filter((shot) => !gone.includes(shot)) },
      restore: (now) => ({
        ...now,
        shots: putBack(
          now.shots,
          place,
          gone.map((shot) => settled(shot, now)),
        ),
      }),
    };
  },
  characters(plan, place) {
    const gone = plan.characters.slice(place, place + 1);
    const id = gone[0]?.id ?? '';
    const seenIn = idsOf(plan.shots.filter((shot) => shot.characterIds.includes(id)));
    const speaksIn = idsOf(plan.shots.filter((shot) => shot.speakerId === id));
    const without = plan.shots.map((shot) => ({
      ...shot,
      characterIds: shot.characterIds.filter((each) => each !== id),
      speakerId: shot.speakerId === id ? '' : shot.speakerId,
    }));
    return {
      thing: { list: 'characters', number: place + 1, name: gone[0]?.name ?? '' },
      without: {
        ...plan,
        characters: plan.characters.filter((item) => !gone.includes(item)),
        shots: without,
      },
      restore: (now) => ({
        ...now,
        characters: putBack(now.characters, place, gone),
        shots: now.shots.map((shot) => ({
          ...shot,
          characterIds: seenIn.has(shot.id) ? [...new Set([...shot.characterIds, id])] : shot.characterIds,
          speakerId: speaksIn.has(shot.id) && shot.speakerId === '' ? id : shot.speakerId,
        })),
      }),
    };
  },
  scenes(plan, place) {
    const gone = plan.scenes.slice(place, place + 1);
    const id = gone[0]?.id ?? '';
    const scenes = plan.scenes.filter((item) => !gone.includes(item));
    // Its shots go on in the scene before it, else in the one after it.
    const heir = scenes[Math.max(0, place - 1)]?.id ?? '';
    const moved = idsOf(plan.shots.filter((shot) => shot.sceneId === id));
    return {
      thing: { list: 'scenes', number: place + 1, name: gone[0]?.title ?? '' },
      without: {
        ...plan,
        scenes,
        shots: plan.shots.map((shot) => (moved.has(shot.id) ? { ...shot, sceneId: heir } : shot)),
      },
      restore: (now) => ({
        ...now,
        scenes: putBack(now.scenes, place, gone),
        shots: now.shots.map((shot) =>
          moved.has(shot.id) && shot.sceneId === heir ? { ...shot, sceneId: id } : shot,
        ),
      }),
    };
  },
};

/** A shot that comes back may know scenes and characters that have gone meanwhile. */
function settled(shot: DramaShot, plan: DramaPlan): DramaShot {
  const scenes = idsOf(plan.scenes);
  const characters = idsOf(plan.characters);
  return {
    ...shot,
    sceneId: scenes.has(shot.sceneId) ? shot.sceneId : (plan.scenes[0]?.id ?? ''),
    characterIds: shot.characterIds.filter((id) => characters.has(id)),
    speakerId: characters.has(shot.speakerId) ? shot.speakerId : '',
  };
}

function putBack<Item>(items: Item[], place: number, back: Item[]): Item[] {
  return [...items.slice(0, place), ...back, ...items.slice(place)];
}

export const idsOf = (items: readonly { id: string }[]): ReadonlySet<string> =>
  new Set(items.map(({ id }) => id));
