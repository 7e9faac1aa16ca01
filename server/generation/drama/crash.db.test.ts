import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { listOutputs } from '../output-queries.ts';
import { createDramaRig, type DramaRig, PRICES } from './testing/drama-rig.ts';

vi.mock('#server/composition/compose-film.ts', () => import('./testing/quick-composer.ts'));

/** A process that stops anywhere: nothing is made or charged twice, and the film is made all the same. */

let rig: DramaRig;
beforeAll(async () => {
  rig = await createDramaRig({ characters: true });
});
afterEach(() => setCrashHandler(undefined));
afterAll(() => rig.close());

const POINTS: readonly CrashPointName[] = [
  'composite.before-step',
  'composite.after-record',
  'composite.after-action',
  'child.after-task',
  'child.after-step',
  'draw.after-budget',
  'child.before-commit',
  'child.after-commit',
  'child.after-wake',
  'draw.after-return',
  'hold.after-entry',
  'hold.after-guard',
  'compose.before',
  'compose.after-film',
  'compose.after-store',
  'composite.after-settle',
  'capture.after-close',
  'composite.after-commit',
];

/** Two pictures, and one reference picture of each of their two characters. */
const MADE = 4;

async function expectOneOfEach(taskId: string): Promise<void> {
  const children = await rig.childrenOf(taskId);
  expect(children.map(({ kind }) => kind).sort()).toEqual([...Array(MADE).fill('image'), 'text']);
  expect(await rig.createsOf(taskId)).toBe(MADE + 1);
  const ordinals = (await listOutputs(rig.db, taskId)).map(({ ordinal }) => ordinal);
  expect(ordinals).toEqual([0, 1, 2, 3]);
  const drama = await rig.drama(taskId);
  expect(drama.task).toMatchObject({
    status: 'succeeded',
    money: { state: 'charged', chargedCredits: MADE * PRICES.picture },
  });
  await runRefundBatch(rig.deps, { limit: 100, workerId: null });
  expect(await rig.audit()).toEqual([]);
}

/** Leases of stopped holders run out. */
const letLeasesEnd = (taskId: string) =>
  rig.t.sql`update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now()
    where (id = ${taskId} or parent_id = ${taskId}) and finished_at is null and lease_until > now()`;

describe.each([1, 3])('an exception at the %ith pass of', (pass) => {
  it.each(POINTS)('%s', { timeout: 600_000 }, async (point) => {
    let seen = 0;
    setCrashHandler((name) => {
      if (name !== point) return;
      seen += 1;
      if (seen === pass) throw new Error(`crash at ${name}`);
    });
    const taskId = await rig.orderPictures(2);
    const drama = await rig.ended(taskId);
    expect(drama.task.failure).toBeNull();
    // Some points are passed only once or twice; every one is passed.
    expect(seen).toBeGreaterThan(0);
    await expectOneOfEach(taskId);
  });
});

describe('a process that stops for good while a step is under way', () => {
  it.each([
    'child.after-commit',
    'composite.after-action',
    'compose.before',
    'compose.after-film',
    'compose.after-store',
  ] as const)(
    'at %s: another one goes on, and the first writes nothing any more',
    { timeout: 600_000 },
    async (point) => {
      let letGo = () => {};
      let isStopped = false;
      const gate = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      setCrashHandler(async (name) => {
        if (name !== point || isStopped) return;
        isStopped = true;
        await gate;
      });
      const taskId = await rig.orderPictures(2);
      await rig.until(taskId, () => isStopped);
      const { executor } = rig.anotherProcess();
      await letLeasesEnd(taskId);
      await rig.ended(taskId, executor);
      letGo();
      await rig.knock();
      await expectOneOfEach(taskId);
    },
  );
});

it('two processes work on one film together', { timeout: 600_000 }, async () => {
  const { executor } = rig.anotherProcess();
  const taskId = await rig.orderPictures(2);
  await Promise.all([rig.ended(taskId), rig.ended(taskId, executor)]);
  await expectOneOfEach(taskId);
});
