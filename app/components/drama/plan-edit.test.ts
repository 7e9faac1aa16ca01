import { describe, expect, it } from 'vitest';
import { dramaTexts } from '#app/locales/drama.ts';
import { makePlan, makeShot } from '#app/testing/drama-fixtures.ts';
import { MAX_SHOTS } from '#server/generation/drama/schemas.ts';
import { saidWords } from './drama-words.ts';
import { type EditorState, editPlan, elementId, openPlan, type PlanEdit, UNDO_ID } from './plan-edit.ts';
import { planErrors } from './plan-errors.ts';

function run(edits: readonly PlanEdit[], start = openPlan(makePlan())): EditorState {
  return edits.reduce(editPlan, start);
}

const order = ({ plan }: EditorState) => plan.shots.map(({ id }) => id);

describe('moving shots', () => {
  it('says where the shot went and keeps the focus on its button', () => {
    const state = run([{ type: 'move', id: 's1', by: 1 }]);
    expect(order(state)).toEqual(['s2', 's1', 's3']);
    expect(state.said && saidWords(state.said, dramaTexts.in('en'))).toBe('Shot 1 is now shot 2 of 3.');
    expect(state.focus?.id).toBe(elementId('s1', 'down'));
  });

  it('hands the focus to the other button at either end, where the pressed one is off', () => {
    const down = run([{ type: 'move', id: 's2', by: 1 }]);
    expect(order(down)).toEqual(['s1', 's3', 's2']);
    expect(down.focus?.id).toBe(elementId('s2', 'up'));
    expect(run([{ type: 'move', id: 's2', by: -1 }]).focus?.id).toBe(elementId('s2', 'down'));
  });

  it('goes no further than the ends', () => {
    const start = openPlan(makePlan());
    expect(editPlan(start, { type: 'move', id: 's3', by: 1 })).toBe(start);
    expect(editPlan(start, { type: 'move', id: 's1', by: -1 })).toBe(start);
  });
});

describe('adding', () => {
  it('puts a shot after the one it was asked from, in its scene, and goes there', () => {
    const state = run([{ type: 'add', list: 'shots', after: 's1' }]);
    expect(order(state)).toEqual(['s1', 's4', 's2', 's3']);
    expect(state.plan.shots[1]).toMatchObject({ sceneId: 'p1', characterIds: ['c1'], picturePrompt: '' });
    expect(state.focus?.id).toBe(elementId('s4', 'picturePrompt'));
  });

  it('never gives an id twice, also after a removal and its undo', () => {
    const state = run([
      { type: 'remove', list: 'shots', id: 's2' },
      { type: 'add', list: 'shots' },
      { type: 'undo' },
    ]);
    expect(new Set(order(state)).size).toBe(4);
    expect(planErrors(state.plan).shots).toBeUndefined();
  });

  it('stops at the most a film may have', () => {
    const full = makePlan({ shots: Array.from({ length: MAX_SHOTS }, (_, i) => makeShot({ id: `x${i}` })) });
    const start = openPlan(full);
    expect(editPlan(start, { type: 'add', list: 'shots' })).toBe(start);
  });
});

describe('removing and undoing', () => {
  it('brings a shot back to its place, with what was typed since kept', () => {
    const state = run([
      { type: 'remove', list: 'shots', id: 's2' },
      { type: 'shot', id: 's1', change: { narration: 'Anew' } },
      { type: 'undo' },
    ]);
    expect(state.plan).toEqual({
      ...makePlan(),
      shots: [makeShot({ narration: 'Anew' }), ...makePlan().shots.slice(1)],
    });
    expect(state.said && saidWords(state.said, dramaTexts.in('zh-CN'))).toBe('已恢复“镜头 2”。');
  });

  it('offers the undo where the focus is', () => {
    expect(run([{ type: 'remove', list: 'shots', id: 's2' }]).focus?.id).toBe(UNDO_ID);
  });

  it('keeps the last shot and the last scene', () => {
    const start = openPlan(makePlan({ shots: [makeShot()] }));
    expect(editPlan(start, { type: 'remove', list: 'shots', id: 's1' })).toBe(start);
    expect(editPlan(start, { type: 'remove', list: 'scenes', id: 'p1' })).toBe(start);
  });

  it('takes a character out of every shot and back into those it was in', () => {
    const plan = makePlan({
      shots: [makeShot({ speakerId: 'c1' }), makeShot({ id: 's2', characterIds: [] })],
    });
    const gone = run([{ type: 'remove', list: 'characters', id: 'c1' }], openPlan(plan));
    expect(gone.plan.shots[0]).toMatchObject({ characterIds: [], speakerId: '' });
    expect(planErrors(gone.plan)).toEqual({});
    expect(editPlan(gone, { type: 'undo' }).plan).toEqual(plan);
  });

  it('lets the shots of a removed scene go on in another one', () => {
    const plan = makePlan({
      scenes: [
        { id: 'p1', title: 'Tower', place: '' },
        { id: 'p2', title: 'Shore', place: '' },
      ],
      shots: [makeShot(), makeShot({ id: 's2', sceneId: 'p2' })],
    });
    const gone = run([{ type: 'remove', list: 'scenes', id: 'p1' }], openPlan(plan));
    expect(gone.plan.shots.map(({ sceneId }) => sceneId)).toEqual(['p2', 'p2']);
    expect(planErrors(gone.plan)).toEqual({});
    expect(editPlan(gone, { type: 'undo' }).plan).toEqual(plan);
  });

  it('fits a shot that comes back to what is left of the film', () => {
    const plan = makePlan({
      scenes: [
        { id: 'p1', title: 'Tower', place: '' },
        { id: 'p2', title: 'Shore', place: '' },
      ],
      shots: [makeShot(), makeShot({ id: 's2', sceneId: 'p2', speakerId: 'c1' })],
    });
    const removed = run([{ type: 'remove', list: 'shots', id: 's2' }], openPlan(plan));
    const less = {
      ...removed.plan,
      scenes: plan.scenes.slice(0, 1),
      characters: [],
      shots: [makeShot({ characterIds: [] })],
    };
    const state = editPlan({ ...removed, plan: less }, { type: 'undo' });
    expect(planErrors(state.plan)).toEqual({});
  });
});

describe('errors', () => {
  it('names the field by its place', () => {
    const plan = makePlan({
      title: ' ',
      shots: [
        makeShot({ seconds: Number.NaN, characterIds: ['ghost'] }),
        makeShot({ id: 's2', sceneId: 'gone' }),
      ],
    });
    expect(planErrors(plan)).toEqual({
      title: 'Give the film a title.',
      'shots.0.seconds': 'Enter whole seconds.',
    });
    const shots = [makeShot({ characterIds: ['ghost'] }), makeShot({ id: 's2', sceneId: 'gone' })];
    expect(planErrors(makePlan({ shots }))).toEqual({
      'shots.0.characterIds': 'There is no character "ghost".',
      'shots.1.sceneId': 'There is no scene "gone".',
    });
  });
});
