import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { StorageError } from '#server/storage/asset-store.ts';
import { createUser } from '#server/testing/factories.ts';
import { quoteDrama } from './quote-drama.ts';
import { readDrama } from './read-drama.ts';
import { dramaInput } from './schemas.ts';
import { submitDrama } from './submit-drama.ts';
import { createDramaRig, type DramaRig, PRICES } from './testing/drama-rig.ts';

let rig: DramaRig;
beforeAll(async () => {
  rig = await createDramaRig();
});
afterAll(() => rig.close());

describe('the storyboard', () => {
  it('is repaired at most twice, each try an ordinary task', async () => {
    const before = (await rig.balance()).balanceCredits;
    const taskId = await rig.order({ text: 'A lamp [[shots=2]] [[storyboard:bad=2]]' });
    const drama = await rig.review(taskId);
    expect(drama.storyboard).toMatchObject({ tries: 3, problem: null });
    expect(drama.plan?.shots).toHaveLength(2);
    expect(await rig.childrenOf(taskId)).toHaveLength(3);
    expect((await rig.balance()).balanceCredits).toBe(before - 3 * PRICES.storyboard);
  });

  it('that stays wrong ends the drama with a reason; only the calls were charged', async () => {
    const before = (await rig.balance()).balanceCredits;
    const taskId = await rig.order({ text: 'A lamp [[storyboard:bad=3]]' });
    const drama = await rig.ended(taskId);
    expect(drama.task).toMatchObject({
      status: 'failed',
      failure: { code: 'step_failed', message: expect.stringContaining('storyboard could not be used') },
      money: { chargedCredits: 0 },
    });
    expect(await rig.childrenOf(taskId)).toHaveLength(3);
    expect((await rig.balance()).balanceCredits).toBe(before - 3 * PRICES.storyboard);
    expect(await rig.audit()).toEqual([]);
  });

  it('is read from the text of an answer without a call', async () => {
    const drama = await rig.review(await rig.order({ text: 'A lamp [[storyboard:text]] [[shots=2]]' }));
    expect(drama.storyboard.tries).toBe(1);
    expect(drama.plan?.shots).toHaveLength(2);
  });

  it("that loses the author's dialogue is repaired, and after the repairs the user is told before anything starts", async () => {
    // The sandbox's model takes directives out of what it is told, and so out of the dialogue.
    const text = 'A pier at night.\nMara: The ship [[delay:5]] is here.\n[[shots=1]]';
    const taskId = await rig.order({ source: 'script', text, shots: 1, startBelowCredits: 1_000 });
    const drama = await rig.review(taskId);
    expect(drama.storyboard.tries).toBe(3);
    expect(drama.storyboard.problem).toContain('The ship [[delay:5]] is here.');
    expect(drama.plan?.shots.length).toBeGreaterThan(0);
    expect(drama.budget.heldCredits).toBeNull();
    const [repair] = await rig.t.sql<{ conversation: { turns: { role: string; text: string }[] } }[]>`
      select d.conversation from generation_task_details d join generation_tasks t on t.id = d.task_id
      where t.parent_id = ${taskId} order by t.id desc limit 1`;
    expect(repair?.conversation.turns.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(repair?.conversation.turns.at(-1)?.text).toContain('The ship [[delay:5]] is here.');
  });

  it('that could be filmed is kept when its repair cannot be paid', async () => {
    const { id: userId } = await createUser(rig.db, { balanceCredits: PRICES.storyboard });
    const { taskId } = await submitDrama(rig.deps, {
      ...dramaInput.parse({
        source: 'script',
        // The sandbox's model takes directives out of what it is told, and so out of the dialogue.
        text: 'A pier at night.\nMara: The ship [[delay:5]] is here.\n[[shots=1]]',
        models: { storyboard: rig.models.text.slug, picture: rig.models.image.slug },
        shots: 1,
        requestKey: newId(),
      }),
      userId,
    });
    await rig.until(
      taskId,
      ({ task, waitingFor }) => task.finishedAt !== null || waitingFor === 'user',
      rig.executor,
      userId,
    );
    const drama = await readDrama(rig.deps, { userId, taskId });
    expect(drama).toMatchObject({ phase: 'review', waitingFor: 'user', storyboard: { tries: 2 } });
    expect(drama.storyboard.problem).toContain('The ship [[delay:5]] is here.');
    expect(drama.plan?.shots).toHaveLength(1);
    expect(await rig.audit()).toEqual([]);
  });

  it('whose file is gone from storage ends the drama with a reason', async () => {
    const taskId = await rig.order({ text: 'A lamp [[shots=1]]' });
    const open = vi
      .spyOn(rig.deps.storage, 'open')
      .mockRejectedValue(new StorageError('missing', 'There is no such file.'));
    try {
      const drama = await rig.ended(taskId);
      expect(drama.task).toMatchObject({
        status: 'failed',
        failure: { code: 'step_failed', message: expect.stringContaining('not in storage any more') },
      });
    } finally {
      open.mockRestore();
    }
    expect(await rig.audit()).toEqual([]);
  });

  it('that upstream refuses ends the drama free', async () => {
    const before = await rig.balance();
    const drama = await rig.ended(await rig.order({ text: 'A lamp [[fail]]' }));
    expect(drama.task).toMatchObject({ status: 'failed', failure: { code: 'step_failed' } });
    expect(await rig.balance()).toEqual(before);
    expect(await rig.audit()).toEqual([]);
  });
});

describe('an order', () => {
  const input = (overrides: object = {}) => ({
    ...dramaInput.parse({
      source: 'idea',
      text: 'A lamp',
      models: { storyboard: rig.models.text.slug, picture: rig.models.image.slug },
      requestKey: newId(),
      ...overrides,
    }),
    userId: rig.user.id,
  });

  it('is the same task when it is sent twice, and refused with another body', async () => {
    const order = input();
    const first = await submitDrama(rig.deps, order);
    expect(await submitDrama(rig.deps, order)).toEqual({ taskId: first.taskId, created: false });
    await expect(submitDrama(rig.deps, { ...order, text: 'Another' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it.each([
    [
      'a picture model as the storyboard',
      () => ({ models: { storyboard: rig.models.image.slug, picture: rig.models.image.slug } }),
      'text model',
    ],
    [
      'a model that is not there',
      () => ({ models: { storyboard: rig.models.text.slug, picture: 'nothing' } }),
      'There is no image model',
    ],
    [
      'a text that its language model cannot take',
      () => ({ text: 'a '.repeat(14_900) }),
      'characters too long',
    ],
    ['music that is not there', () => ({ music: newId() }), 'not there any more'],
    [
      'references for a model that takes none',
      () => ({ references: [newId()] }),
      'takes no reference pictures',
    ],
  ])('with %s is refused before anything is charged', async (_what, overrides, message) => {
    await expect(submitDrama(rig.deps, input(overrides()))).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
  });

  it('has an estimate before there is a storyboard', async () => {
    const { models, ratio, titleCard } = input({
      models: {
        storyboard: rig.models.text.slug,
        picture: rig.models.image.slug,
        clip: rig.models.video.slug,
        voice: rig.models.audio.slug,
      },
    });
    const quote = await quoteDrama(rig.deps, {
      models,
      ratio,
      titleCard,
      shots: 4,
      seconds: 3,
      userId: rig.user.id,
    });
    expect(quote.totalCredits).toBe(4 * (PRICES.picture + 3 * PRICES.clipSecond + PRICES.voice));
    expect(quote.seconds).toBe(14);
  });
});
