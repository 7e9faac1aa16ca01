import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { COMPOSITE_CRASH_POINTS } from '#server/testing/step-crash-points.ts';
import { readCompositeView } from './read-composite.ts';
import { type CompositeRig, createCompositeRig } from './testing/composite-rig.ts';

/** A composite on its way: one child per step whatever happens, one settlement, and an end. */

let rig: CompositeRig;

beforeAll(async () => {
  rig = await createCompositeRig();
});
afterAll(() => rig.close());
afterEach(() => setCrashHandler(undefined));

const PARTS = [
  { key: 'a', kind: 'image' as const },
  { key: 'b', kind: 'audio' as const },
];

it('starts a child per step, is due again by their ends, and settles what they were charged', async () => {
  const before = await rig.balance();
  const id = await rig.submitComposite({ parts: PARTS });
  expect(await rig.view(id)).toMatchObject({ status: 'waiting', money: { state: 'held', heldCredits: 100 } });
  const end = await rig.runToEnd(id);
  expect(end).toMatchObject({
    status: 'succeeded',
    progress: 100,
    money: { state: 'partly_charged', heldCredits: 100, chargedCredits: 5, returnedCredits: 95 },
  });
  expect(end.money.part).toBeUndefined();
  const children = await rig.children(id);
  expect(children.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(await rig.holdOf(children[0]?.id ?? '')).toMatchObject({ source: 'parent', amount: 3, captured: 3 });
  expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 5);
  const { view } = await readCompositeView(rig.deps, { userId: rig.user.id, taskId: id });
  expect(view.budget).toEqual({
    estimateCredits: 10,
    heldCredits: 100,
    spentCredits: 5,
    openCredits: 0,
    freeCredits: 95,
  });
  expect(await rig.audit()).toEqual([]);
});

it('a child’s end makes its composite due in the transaction that ends the child', async () => {
  const id = await rig.submitComposite({ parts: [PARTS[0] as (typeof PARTS)[0]] });
  await rig.runUntil(id, () => true);
  let wasDueAtCommit: boolean | undefined;
  setCrashHandler(async (name) => {
    if (name !== 'settle.after-commit' || wasDueAtCommit !== undefined) return;
    const [row] = await rig.t.sql<{ due: boolean }[]>`
      select next_poll_at <= now() or lease_until > now() and wake_seq > 0 as due from generation_tasks where id = ${id}`;
    wasDueAtCommit = row?.due;
  });
  await rig.runToEnd(id);
  expect(wasDueAtCommit).toBe(true);
});

it('steps that the budget does not allow are told so, and nothing is charged for them', async () => {
  const id = await rig.submitComposite({ parts: PARTS, budgetCredits: 4 });
  const end = await rig.runToEnd(id);
  expect(end.money).toMatchObject({ heldCredits: 4, chargedCredits: 3, returnedCredits: 1 });
  expect((await rig.steps(id)).map(({ status }) => status)).toEqual(['done', 'failed']);
  expect(await rig.audit()).toEqual([]);
});

it('without a budget of its own its children are paid from the balance, and it says that nothing is held', async () => {
  const before = await rig.balance();
  const parts = [{ key: 'a', kind: 'text' as const, paidBy: 'balance' as const }];
  const id = await rig.submitComposite({ parts, budgetCredits: null, kind: 'drama', fails: true });
  expect((await rig.view(id)).money).toMatchObject({ state: 'none', heldCredits: 0, chargedCredits: 0 });
  expect((await rig.runToEnd(id)).money.state).toBe('none');
  expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 1);
  expect(await rig.audit()).toEqual([]);
});

it('nothing delivered is a full refund', async () => {
  const before = await rig.balance();
  const id = await rig.submitComposite({ parts: [{ key: 'a', kind: 'video', prompt: 'a lamp [[fail]]' }] });
  expect(await rig.runToEnd(id)).toMatchObject({
    status: 'failed',
    failure: { code: 'step_failed' },
    money: { state: 'refunded' },
  });
  expect(await rig.balance()).toEqual(before);
  expect(await rig.audit()).toEqual([]);
});

async function endAndCheck(id: string): Promise<void> {
  await rig.runUntil(id, (view) => view.finishedAt !== null);
  setCrashHandler(undefined);
  await rig.t.sql`update credit_refunds set lease_until = null, leased_by = null, next_attempt_at = now()
    where status = 'pending'`;
  await runRefundBatch(rig.deps, { limit: 100, workerId: null });
  const steps = await rig.steps(id);
  const children = await rig.children(id);
  // One child per step, each named by its step, each created upstream at most once.
  expect(children.map(({ id }) => id).sort()).toEqual(steps.flatMap((step) => step.childTaskId ?? []).sort());
  for (const child of children) {
    for (const create of await rig.creates(child.id)) expect(create.received).toBeLessThanOrEqual(1);
  }
  expect(await rig.audit()).toEqual([]);
}

describe.each([
  ['succeeds', PARTS.slice(0, 1)],
  ['fails', [{ key: 'a', kind: 'video' as const, prompt: 'a lamp [[fail]]' }]],
])('a run that %s', (_, parts) => {
  it.each(COMPOSITE_CRASH_POINTS)('goes on after an exception at %s', async (point) => {
    let thrown = 0;
    setCrashHandler((name) => {
      if (name !== point || thrown > 0) return;
      thrown += 1;
      throw new Error(`crash at ${name}`);
    });
    await endAndCheck(await rig.submitComposite({ parts }));
  });

  it.each(COMPOSITE_CRASH_POINTS)('goes on in another process when its own ends at %s', async (point) => {
    const mortal = rig.mortalProcess();
    const id = await rig.submitComposite({ parts });
    setCrashHandler((name) => {
      if (name !== point || mortal.isGone()) return;
      mortal.end();
      throw new Error(`gone at ${name}`);
    });
    for (let knocks = 0; knocks < 300 && !mortal.isGone(); knocks += 1) {
      await rig.knock(mortal.executor).catch(() => undefined);
      if ((await rig.view(id)).finishedAt) break;
    }
    setCrashHandler(undefined);
    await rig.t
      .sql`update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now()
      where leased_by = ${mortal.executor.id} and finished_at is null`;
    await endAndCheck(id);
  });
});

it('two processes race: never two children for a step', async () => {
  const other = rig.newProcess();
  const ids = await Promise.all(
    Array.from({ length: 6 }, () =>
      rig.submitComposite({
        parts: [...PARTS, { key: 'c', kind: 'image' }, { key: 'd', kind: 'text' }],
      }),
    ),
  );
  for (const id of ids) {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      await Promise.all([rig.knock(), rig.knock(other.executor)]);
      if ((await rig.view(id)).finishedAt) break;
    }
  }
  for (const id of ids) await endAndCheck(id);
});

it('a holder that lost its lease in the middle of a step writes nothing more', async () => {
  const id = await rig.submitComposite({ parts: PARTS });
  let taken = 0;
  setCrashHandler(async (name) => {
    if (name !== 'composite.before-step' || taken > 0) return;
    taken += 1;
    // Somebody else has claimed it meanwhile.
    await rig.t
      .sql`update generation_tasks set lease_token = lease_token + 1, lease_until = now() + interval '1 hour'
      where id = ${id}`;
  });
  await rig.knock();
  await expect.poll(() => [taken, rig.executor.stats().inFlight.poll], { timeout: 30_000 }).toEqual([1, 0]);
  expect(await rig.steps(id)).toEqual([]);
  expect(await rig.children(id)).toEqual([]);
  setCrashHandler(undefined);
  await rig.hurry(id);
  await endAndCheck(id);
});
