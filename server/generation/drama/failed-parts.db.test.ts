import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { models } from '#server/db/schema/index.ts';
import { decideFailedParts } from './decide-failed-parts.ts';
import type { DramaView } from './schemas.ts';
import { createDramaRig, type DramaRig, PRICES } from './testing/drama-rig.ts';
import { composer } from './testing/quick-composer.ts';

vi.mock('#server/composition/compose-film.ts', () => import('./testing/quick-composer.ts'));

let rig: DramaRig;
beforeAll(async () => {
  rig = await createDramaRig();
});
afterAll(() => rig.close());

const SHOT = PRICES.picture + PRICES.clipSecond + PRICES.voice;
const mine = (taskId: string) => ({ userId: rig.user.id, taskId });
const failedParts = (taskId: string): Promise<DramaView> =>
  rig.until(taskId, ({ phase, waitingFor }) => phase === 'failed_parts' && waitingFor === 'user');
const orderShots = (shots: number, directives: string) =>
  rig.order({
    text: `A lamp [[shots=${shots}]] [[seconds=1]] ${directives}`,
    shots,
    startBelowCredits: 1_000,
  });

it('B69: a failed clip is made and charged again, nothing else, and the film is put together free', async () => {
  const before = (await rig.balance()).balanceCredits;
  const taskId = await orderShots(6, '[[child:4.clip reject:400,times=1]]');
  const failed = await failedParts(taskId);
  expect(failed.shots.map(({ clip }) => clip?.status)).toEqual([
    'done',
    'done',
    'done',
    'failed',
    'done',
    'done',
  ]);
  expect(
    failed.shots.every(({ picture, voice }) => picture?.status === 'done' && voice?.status === 'done'),
  ).toBe(true);
  expect(failed.shots[3]?.clip?.problem).toBeTruthy();
  expect(failed.budget).toMatchObject({
    heldCredits: 6 * SHOT,
    spentCredits: 6 * SHOT - PRICES.clipSecond,
    freeCredits: PRICES.clipSecond,
    openCredits: 0,
  });
  const children = (await rig.childrenOf(taskId)).map(({ id }) => id);
  expect(children).toHaveLength(1 + 6 * 3);

  // The web process is restarted: nothing of this is in its memory.
  await rig.executor.drain();
  const { executor } = rig.anotherProcess();
  await decideFailedParts(rig.deps, { ...mine(taskId), decision: 'retry' });
  const drama = await rig.ended(taskId, executor);
  expect(drama.task).toMatchObject({
    status: 'succeeded',
    money: { state: 'charged', chargedCredits: 6 * SHOT },
  });
  const after = await rig.childrenOf(taskId);
  expect(after.map(({ id }) => id).slice(0, children.length)).toEqual(children);
  expect(after.slice(children.length).map(({ kind }) => kind)).toEqual(['video']);
  expect(await rig.createsOf(taskId)).toBe(1 + 6 * 3 + 1);
  expect(drama.shots[3]?.clip).toMatchObject({ key: 'shot:shot-4:clip:2', status: 'done' });
  expect((await rig.balance()).balanceCredits).toBe(before - 6 * SHOT - PRICES.storyboard);
  expect(await rig.audit()).toEqual([]);
});

describe('of a film whose parts failed in part', () => {
  const process = () => rig.anotherProcess().executor;

  it('a retry of a picture makes its clip and voice too, which were never begun', async () => {
    const by = process();
    const taskId = await orderShots(1, '[[child:1 reject:400,times=1]]');
    await rig.until(taskId, ({ phase, waitingFor }) => phase === 'failed_parts' && waitingFor === 'user', by);
    const [shot] = (await rig.drama(taskId)).shots;
    expect([shot?.picture?.status, shot?.clip?.status, shot?.voice?.status]).toEqual([
      'failed',
      'skipped',
      'skipped',
    ]);
    await decideFailedParts(rig.deps, {
      ...mine(taskId),
      decision: 'retry',
      shotId: 'shot-1',
      part: 'picture',
    });
    const drama = await rig.ended(taskId, by);
    expect(drama.task).toMatchObject({ status: 'succeeded', money: { chargedCredits: SHOT } });
    expect(await rig.audit()).toEqual([]);
  });

  it('the film is made without what failed: no picture, no shot; no voice, silence', async () => {
    const by = process();
    const taskId = await orderShots(2, '[[child:1 fail]] [[child:2.voice fail]]');
    await rig.until(taskId, ({ phase, waitingFor }) => phase === 'failed_parts' && waitingFor === 'user', by);
    await decideFailedParts(rig.deps, { ...mine(taskId), decision: 'finish_without' });
    const drama = await rig.ended(taskId, by);
    const charged = PRICES.picture + PRICES.clipSecond;
    expect(drama.task).toMatchObject({
      status: 'succeeded',
      money: { state: 'partly_charged', chargedCredits: charged, returnedCredits: 2 * SHOT - charged },
    });
    expect(composer.orders.at(-1)?.shots.map(({ id, voice }) => [id, voice])).toEqual([['shot-2', null]]);
    expect(await rig.audit()).toEqual([]);
  });

  it('nothing is left: it ends failed and gives everything back', async () => {
    const by = process();
    const before = (await rig.balance()).balanceCredits;
    const taskId = await orderShots(1, '[[child:1 fail]]');
    await rig.until(taskId, ({ phase, waitingFor }) => phase === 'failed_parts' && waitingFor === 'user', by);
    await decideFailedParts(rig.deps, { ...mine(taskId), decision: 'finish_without' });
    const drama = await rig.ended(taskId, by);
    expect(drama.task).toMatchObject({
      status: 'failed',
      failure: { code: 'step_failed' },
      money: { state: 'refunded', chargedCredits: 0 },
    });
    expect((await rig.balance()).balanceCredits).toBe(before - PRICES.storyboard);
    expect(await rig.audit()).toEqual([]);
  });

  it('nobody decides for a week: it is made without them', async () => {
    const by = process();
    const taskId = await orderShots(2, '[[child:2 fail]]');
    await rig.until(taskId, ({ phase, waitingFor }) => phase === 'failed_parts' && waitingFor === 'user', by);
    await rig.t
      .sql`update generation_tasks set waiting_until = now() - interval '1 second', next_poll_at = now()
      where id = ${taskId}`;
    const drama = await rig.ended(taskId, by);
    expect(drama.task).toMatchObject({ status: 'succeeded', money: { chargedCredits: SHOT } });
    expect(await rig.audit()).toEqual([]);
  });

  it('a retry is refused when the budget does not reach, when nothing like that failed, and afterwards', async () => {
    const by = process();
    const taskId = await orderShots(1, '[[child:1.voice fail]]');
    await rig.until(taskId, ({ phase, waitingFor }) => phase === 'failed_parts' && waitingFor === 'user', by);
    const retry = (part?: 'clip' | 'voice') =>
      decideFailedParts(rig.deps, { ...mine(taskId), decision: 'retry', shotId: 'shot-1', part });
    const audio = rig.models.audio;
    await rig.db
      .update(models)
      .set({ price: { unit: 'call', credits: 9 } })
      .where(eq(models.id, audio.id));
    await expect(retry()).rejects.toMatchObject({
      code: 'insufficient_credits',
      message: expect.stringContaining('2 are left'),
    });
    await rig.db.update(models).set({ price: audio.price }).where(eq(models.id, audio.id));
    await expect(retry('clip')).rejects.toMatchObject({ code: 'conflict' });
    expect((await rig.drama(taskId)).phase).toBe('failed_parts');
    const decisions = await Promise.allSettled([retry(), retry()]);
    expect(decisions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await rig.until(taskId, ({ phase, waitingFor }) => phase === 'failed_parts' && waitingFor === 'user', by);
    expect((await rig.childrenOf(taskId)).filter(({ kind }) => kind === 'audio')).toHaveLength(2);
    await decideFailedParts(rig.deps, { ...mine(taskId), decision: 'finish_without' });
    await expect(retry()).rejects.toMatchObject({ code: 'conflict' });
    expect((await rig.ended(taskId, by)).task.status).toBe('succeeded');
    expect(await rig.audit()).toEqual([]);
  });

  it('an uncertain part keeps the film waiting until its own policy ends it; upstream got one order', async () => {
    const by = process();
    const taskId = await orderShots(2, '[[child:1.clip drop]]');
    const waiting = await rig.until(
      taskId,
      ({ shots }) =>
        shots[0]?.clip?.child?.status === 'uncertain' &&
        shots.every(({ voice }) => voice?.status === 'done') &&
        shots[1]?.clip?.status === 'done',
      by,
    );
    expect(waiting).toMatchObject({ phase: 'shots', waitingFor: 'children' });
    expect(waiting.shots[0]?.clip?.child?.uncertainUntil).toBeInstanceOf(Date);
    expect(waiting.budget.openCredits).toBe(PRICES.clipSecond);
    const child = waiting.shots[0]?.clip?.child?.taskId ?? '';
    await rig.t
      .sql`update generation_tasks set uncertain_until = now(), next_poll_at = now() where id = ${child}`;
    await rig.until(taskId, ({ phase, waitingFor }) => phase === 'failed_parts' && waitingFor === 'user', by);
    await decideFailedParts(rig.deps, { ...mine(taskId), decision: 'finish_without' });
    const drama = await rig.ended(taskId, by);
    expect(drama.task.status).toBe('succeeded');
    const creates = await rig.creates(child);
    expect(creates.map(({ received }) => received)).toEqual([1]);
    expect(await rig.audit()).toEqual([]);
  });
});
