import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { models } from '#server/db/schema/index.ts';
import { newId } from '#server/lib/ids.ts';
import { redoDrama } from './redo-drama.ts';
import { type DramaRedoInput, type DramaView, dramaRedoInput } from './schemas.ts';
import { createDramaRig, type DramaRig, PRICES } from './testing/drama-rig.ts';

vi.mock('#server/composition/compose-film.ts', () => import('./testing/quick-composer.ts'));

let rig: DramaRig;
let first: DramaView;
beforeAll(async () => {
  rig = await createDramaRig();
  const text = 'A lamp [[shots=2]] [[seconds=1]]';
  first = await rig.ended(await rig.order({ text, shots: 2, startBelowCredits: 100 }));
  expect(first.task.status).toBe('succeeded');
});
afterAll(() => rig.close());

const redo = (input: Partial<DramaRedoInput> = {}) =>
  redoDrama(rig.deps, {
    ...dramaRedoInput.parse({ taskId: first.task.id, requestKey: newId(), ...input }),
    userId: rig.user.id,
  });

describe('a redo', () => {
  it.each([
    ['picture', PRICES.picture, 'image', 'a red lamp'],
    ['clip', PRICES.clipSecond, 'video', 'quickly'],
    ['voice', PRICES.voice, 'audio', 'Other words.'],
  ] as const)('of a %s makes and charges that alone', async (part, credits, kind, words) => {
    const before = (await rig.balance()).balanceCredits;
    const { taskId } = await redo({ redo: [{ shotId: 'shot-2', part, words }], quotedCredits: credits });
    const drama = await rig.ended(taskId);
    expect(drama.task).toMatchObject({
      status: 'succeeded',
      money: { state: 'charged', chargedCredits: credits },
    });
    expect((await rig.childrenOf(taskId)).map((child) => child.kind)).toEqual([kind]);
    expect(await rig.createsOf(taskId)).toBe(1);
    expect((await rig.balance()).balanceCredits).toBe(before - credits);
    const [one, two] = drama.shots;
    expect(one).toMatchObject({
      picture: { takenOver: true },
      clip: { takenOver: true },
      voice: { takenOver: true },
    });
    expect(two?.[part]).toMatchObject({ takenOver: false, status: 'done' });
    expect(two?.[part]?.child?.taskId).not.toBe(first.shots[1]?.[part]?.child?.taskId);
    expect(JSON.stringify(drama.plan)).toContain(words);
    expect(drama).toMatchObject({ revisionOf: first.task.id, storyboard: { tries: 0 } });
    expect(drama.versions.map((version) => version.taskId)).toEqual(
      expect.arrayContaining([first.task.id, taskId]),
    );
    expect(await rig.audit()).toEqual([]);
  });

  it('of nothing puts the film together again, free, with other captions', async () => {
    const before = await rig.balance();
    const { taskId } = await redo({ captions: 'none' });
    const drama = await rig.ended(taskId);
    expect(drama.task.status).toBe('succeeded');
    expect(drama.settings.captions).toBe('none');
    expect(drama.film?.videoUrl).not.toBe(first.film?.videoUrl);
    expect(await rig.childrenOf(taskId)).toEqual([]);
    expect(await rig.balance()).toEqual(before);
    expect(await rig.audit()).toEqual([]);
  });

  it('needs no language model: the film is put together though that of its storyboard is out of use', async () => {
    const use = (enabled: boolean) =>
      rig.db.update(models).set({ enabled }).where(eq(models.id, rig.models.text.id));
    await use(false);
    try {
      const { taskId } = await redo({ captions: 'soft' });
      expect((await rig.ended(taskId)).task.status).toBe('succeeded');
    } finally {
      await use(true);
    }
    expect(await rig.audit()).toEqual([]);
  });

  it('goes on from any version, also from one that was made of another', async () => {
    const { taskId: second } = await redo({ redo: [{ shotId: 'shot-1', part: 'voice', words: 'Second.' }] });
    await rig.ended(second);
    const { taskId: third } = await redo({ taskId: second });
    const drama = await rig.ended(third);
    expect(drama.plan?.shots[0]?.narration).toBe('Second.');
    expect(drama.shots[0]?.voice?.child?.taskId).toBe(
      (await rig.drama(second)).shots[0]?.voice?.child?.taskId,
    );
    // Back to the first one: its own words and files.
    const { taskId: back } = await redo();
    const rolledBack = await rig.ended(back);
    expect(rolledBack.plan).toEqual(first.plan);
    expect(rolledBack.shots[0]?.voice?.child?.taskId).toBe(first.shots[0]?.voice?.child?.taskId);
    expect(rolledBack.versions[0]?.taskId).toBe(first.task.id);
  });

  it('that is sent twice is one revision', async () => {
    const requestKey = newId();
    const [one, two] = await Promise.all([redo({ requestKey }), redo({ requestKey })]);
    expect(one.taskId).toBe(two.taskId);
    expect([one.created, two.created].filter(Boolean)).toHaveLength(1);
    await expect(redo({ requestKey, captions: 'none' })).rejects.toMatchObject({ code: 'conflict' });
    await rig.ended(one.taskId);
  });

  it.each([
    ['a shot that there is not', { redo: [{ shotId: 'shot-9', part: 'clip' as const }] }, 'no shot "shot-9"'],
    [
      'words that say nothing',
      { redo: [{ shotId: 'shot-1', part: 'picture' as const, words: '' }] },
      'Describe',
    ],
    [
      'a voice without words',
      { redo: [{ shotId: 'shot-1', part: 'voice' as const, words: '' }] },
      'has no voice',
    ],
    [
      'a price that was raised',
      { redo: [{ shotId: 'shot-1', part: 'clip' as const }], quotedCredits: 4 },
      'not 4',
    ],
  ])('with %s is refused before anything is charged', async (_what, input, message) => {
    const before = await rig.balance();
    await expect(redo(input)).rejects.toMatchObject({ message: expect.stringContaining(message) });
    expect(await rig.balance()).toEqual(before);
  });

  it('of a film that is being made, or is somebody else’s, is refused', async () => {
    const running = await rig.order();
    await expect(redo({ taskId: running })).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      redoDrama(rig.deps, {
        ...dramaRedoInput.parse({ taskId: first.task.id, requestKey: newId() }),
        userId: newId(),
      }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('goes on from a film that was cancelled in the middle: what is finished is taken over', async () => {
    const taskId = await rig.order({ text: 'A boat [[shots=1]] [[seconds=1]]', shots: 1 });
    await rig.review(taskId);
    await rig.t
      .sql`update generation_tasks set waiting_until = now() - interval '1 second', next_poll_at = now()
      where id = ${taskId}`;
    const ended = await rig.ended(taskId);
    expect(ended.task.status).toBe('cancelled');
    await expect(redo({ taskId })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(redo({ taskId, redo: [{ shotId: 'shot-1', part: 'clip' }] })).rejects.toMatchObject({
      message: expect.stringContaining('its picture is missing'),
    });
    await expect(redo({ taskId, redo: [{ shotId: 'shot-1', part: 'picture' }] })).rejects.toMatchObject({
      message: expect.stringContaining('its clip is missing'),
    });
    const all = (['picture', 'clip', 'voice'] as const).map((part) => ({ shotId: 'shot-1', part }));
    const drama = await rig.ended((await redo({ taskId, redo: all })).taskId);
    const cost = PRICES.picture + PRICES.clipSecond + PRICES.voice;
    expect(drama.task).toMatchObject({ status: 'succeeded', money: { chargedCredits: cost } });
    expect(await rig.audit()).toEqual([]);
  });
});
