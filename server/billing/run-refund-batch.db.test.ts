import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { TEST_CONFIG } from '#server/testing/rig.ts';
import { auditLedger } from './audit.ts';
import { claimDueRefunds, settleRefund } from './queries.ts';
import { runRefundBatch } from './run-refund-batch.ts';

let t: TestDatabase;
let renewal: { db: TestDatabase['db'] };
const lines: { level: string; message: string }[] = [];
beforeAll(async () => {
  t = await createTestDatabase({ max: 12 });
  renewal = t.open({ max: 1 });
});
afterAll(() => t.close());
afterEach(async () => {
  setCrashHandler(undefined);
  lines.length = 0;
  await t.sql`update credit_refunds set status = 'manual', next_attempt_at = null where status = 'pending'`;
});

const log = (level: string) => (_fields: object, message: string) => void lines.push({ level, message });
const logger: Logger = {
  debug: log('debug'),
  info: log('info'),
  warn: log('warn'),
  error: log('error'),
  child: () => logger,
};

function deps(config: Partial<typeof TEST_CONFIG> = {}) {
  return {
    db: t.db,
    renewalDb: renewal.db,
    config: { ...TEST_CONFIG, ...config },
    logger,
    random: () => 1,
    newId,
  };
}

/** A user who has nothing but the refunds of so many failed tasks of 10 credits each. */
async function owed(tasks: number) {
  const user = await createUser(t.db, { balanceCredits: tasks * 10 });
  const ids: string[] = [];
  for (let index = 0; index < tasks; index += 1) {
    ids.push((await createTask(t.db, { userId: user.id, status: 'failed', holdCredits: 10 })).id);
  }
  return { userId: user.id, taskIds: ids };
}

const balanceOf = async (userId: string) =>
  Number(
    (await t.sql`select balance_credits from credit_accounts where user_id = ${userId}`)[0]?.balance_credits,
  );
const refundOf = async (taskId: string) =>
  (await t.sql`select * from credit_refunds where task_id = ${taskId}`)[0];

it('B36 five batches at once post each refund exactly once', async () => {
  const { userId, taskIds } = await owed(12);
  const batches = await Promise.all(
    Array.from({ length: 5 }, () => runRefundBatch(deps(), { limit: 12, workerId: null })),
  );
  expect(batches.reduce((sum, batch) => sum + batch.settled, 0)).toBe(12);
  expect(await balanceOf(userId)).toBe(120);
  const entries = await t.sql`select key from credit_ledger where user_id = ${userId} and kind = 'refund'`;
  expect(entries.map((row) => row.key).sort()).toEqual(taskIds.map((id) => `refund:task:${id}`).sort());
  expect(await auditLedger(t.db)).toEqual([]);
});

it('B37 a crash between any two of claim, statements and commit costs time only: the next holder posts it once', async () => {
  for (const point of [
    'refund.after-claim',
    'refund.after-settle',
    'refund.after-close',
    'refund.after-entry',
    'refund.before-commit',
    'refund.after-commit',
  ] as const) {
    const { userId, taskIds } = await owed(1);
    const crashed: string[] = [];
    setCrashHandler((name) => {
      if (name !== point) return;
      crashed.push(name);
      throw new Error('crash');
    });
    await runRefundBatch(deps(), { limit: 5, workerId: null }).catch(() => undefined);
    setCrashHandler(undefined);
    expect(crashed).toEqual([point]);
    await t.sql`update credit_refunds set lease_until = now() - interval '1 second', next_attempt_at = now()
      where task_id = ${taskIds[0] ?? ''} and status = 'pending' and lease_until is not null`;
    await t.sql`update credit_refunds set next_attempt_at = now() where task_id = ${taskIds[0] ?? ''} and status = 'pending'`;
    await runRefundBatch(deps(), { limit: 5, workerId: null });
    await runRefundBatch(deps(), { limit: 5, workerId: null });
    expect(await balanceOf(userId)).toBe(10);
    expect(await refundOf(taskIds[0] ?? '')).toMatchObject({ status: 'settled' });
  }
  expect(await auditLedger(t.db)).toEqual([]);
});

it('a holder whose lease another one has taken over posts nothing', async () => {
  const { userId, taskIds } = await owed(1);
  const [stale] = await claimDueRefunds(t.db, { limit: 1, leaseSeconds: 30, executorId: newId(), taskIds });
  const other = { limit: 9, leaseSeconds: 30, executorId: newId() };
  expect(await claimDueRefunds(t.db, other)).toEqual([]);
  await t.sql`update credit_refunds set lease_until = now() - interval '1 second' where id = ${stale?.id ?? ''}`;
  const [fresh] = await claimDueRefunds(t.db, { limit: 1, leaseSeconds: 30, executorId: newId(), taskIds });
  if (!stale || !fresh) throw new Error('claimed twice');
  expect(await t.db.transaction((tx) => settleRefund(tx, stale))).toBe(false);
  expect(await balanceOf(userId)).toBe(0);
});

it('a batch that wakes up after its lease was taken over leaves the refund to its successor', async () => {
  const { userId, taskIds } = await owed(1);
  const taskId = taskIds[0] ?? '';
  setCrashHandler(async (name) => {
    if (name !== 'refund.after-claim') return;
    setCrashHandler(undefined);
    await t.sql`update credit_refunds set lease_until = now() - interval '1 second' where task_id = ${taskId}`;
    await claimDueRefunds(t.db, { limit: 1, leaseSeconds: 30, executorId: newId(), taskIds });
  });
  expect(await runRefundBatch(deps(), { limit: 1, workerId: null })).toMatchObject({
    claimed: 1,
    settled: 0,
  });
  expect(await balanceOf(userId)).toBe(0);
  expect(await refundOf(taskId)).toMatchObject({ status: 'pending', attempts: 0 });
  await t.sql`update credit_refunds set lease_until = now() - interval '1 second' where task_id = ${taskId}`;
  expect(await runRefundBatch(deps(), { limit: 1, workerId: null })).toMatchObject({ settled: 1 });
  expect(await balanceOf(userId)).toBe(10);
});

it('B54 a poisoned refund is put off by a growing delay, handed to people in the end, and stops no other', async () => {
  const poisoned = await owed(1);
  const healthy = await owed(3);
  const taskId = poisoned.taskIds[0] ?? '';
  await t.sql`update credit_holds set status = 'held' where task_id = ${taskId}`;
  const slow = deps({ refundTries: 4, retryBaseMs: 10_000, retryCapMs: 1_000_000 });

  const first = await runRefundBatch(slow, { limit: 10, workerId: null });
  expect(first).toMatchObject({ claimed: 4, settled: 3, retried: 1, manual: 0 });
  expect(await balanceOf(healthy.userId)).toBe(30);

  const delays: number[] = [];
  for (let tries = 1; tries < 4; tries += 1) {
    const [row] = await t.sql`
      select attempts, last_error, lease_until, extract(epoch from next_attempt_at - now())::float as due_in
      from credit_refunds where task_id = ${taskId}`;
    expect(row).toMatchObject({ attempts: tries, lease_until: null });
    expect(row?.last_error).toContain('not waiting for a refund');
    delays.push(Number(row?.due_in));
    expect(await runRefundBatch(slow, { limit: 10, workerId: null })).toMatchObject({ claimed: 0 });
    await t.sql`update credit_refunds set next_attempt_at = now() where task_id = ${taskId}`;
    const batch = await runRefundBatch(slow, { limit: 10, workerId: null });
    expect(batch).toMatchObject(tries < 3 ? { retried: 1, manual: 0 } : { retried: 0, manual: 1 });
  }
  expect(delays[1]).toBeGreaterThan((delays[0] ?? 0) + 5);
  expect(delays[2]).toBeGreaterThan((delays[1] ?? 0) + 5);
  expect(await refundOf(taskId)).toMatchObject({
    status: 'manual',
    attempts: 4,
    next_attempt_at: null,
    last_error: expect.stringContaining('not waiting for a refund'),
  });
  expect(lines).toContainEqual({ level: 'error', message: 'Refund needs a person: its tries are used up' });
  expect(await balanceOf(poisoned.userId)).toBe(0);
  expect(await runRefundBatch(slow, { limit: 10, workerId: null })).toMatchObject({
    claimed: 0,
    nextDueAt: null,
  });
});

it('tells when the next refund can be claimed, and takes no more than its limit', async () => {
  const { taskIds } = await owed(3);
  const batch = await runRefundBatch(deps(), { limit: 2, workerId: null });
  expect(batch).toMatchObject({ claimed: 2, settled: 2 });
  expect(batch.nextDueAt?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  await t.sql`update credit_refunds set next_attempt_at = '2090-01-01T00:00:00Z' where task_id = any(${taskIds}) and status = 'pending'`;
  const idle = await runRefundBatch(deps(), { limit: 2, workerId: null });
  expect(idle).toMatchObject({ claimed: 0, nextDueAt: new Date('2090-01-01T00:00:00Z') });
});

it('B55 the refund of a disabled and of a deleted user is posted to their ledger once and ends', async () => {
  for (const gone of ['disabled', 'deleted'] as const) {
    const { userId, taskIds } = await owed(1);
    await t.sql`update users set disabled_at = now(), deleted_at = ${gone === 'deleted' ? t.sql`now()` : null}
      where id = ${userId}`;
    const batches = await Promise.all(
      Array.from({ length: 3 }, () => runRefundBatch(deps(), { limit: 5, workerId: null })),
    );
    expect(batches.reduce((sum, batch) => sum + batch.settled, 0)).toBe(1);
    expect(await balanceOf(userId)).toBe(10);
    expect(await refundOf(taskIds[0] ?? '')).toMatchObject({ status: 'settled', next_attempt_at: null });
    expect(await runRefundBatch(deps(), { limit: 5, workerId: null })).toMatchObject({ claimed: 0 });
  }
  const known = await t.sql`select task_id from credit_refunds where status = 'settled'`;
  const ids = known.map((row) => row.task_id);
  expect((await auditLedger(t.db)).filter(({ id }) => ids.includes(id))).toEqual([]);
});

it('B52 refunds that wait for their turn keep their leases, so that no other batch claims them', async () => {
  const { userId } = await owed(3);
  const leases = async () =>
    (
      await t.sql`select lease_until::text as until from credit_refunds where user_id = ${userId} and status = 'pending'
        order by id`
    ).map((row) => String(row.until));
  let before: string[] | undefined;
  let after: string[] = [];
  setCrashHandler(async (name) => {
    if (name !== 'refund.after-commit' || before) return;
    before = await leases();
    // Somebody renews both, or this never ends.
    do after = await leases();
    while (after.some((until, index) => until === before?.[index]));
  });
  const batch = await runRefundBatch(deps({ leaseSeconds: 3 }), { limit: 10, workerId: null });
  expect(batch).toMatchObject({ claimed: 3, settled: 3 });
  expect(before).toHaveLength(2);
  for (const [index, until] of after.entries()) {
    expect(Date.parse(until)).toBeGreaterThan(Date.parse(before?.[index] ?? ''));
  }
  expect(await balanceOf(userId)).toBe(30);
});

it('the pause before the next try is between half and all of its ceiling', async () => {
  const { taskIds } = await owed(1);
  const taskId = taskIds[0] ?? '';
  await t.sql`update credit_holds set status = 'held' where task_id = ${taskId}`;
  for (const [random, atLeast, atMost] of [
    [0, 49, 51],
    [0.5, 74, 76],
    [1, 99, 101],
  ] as const) {
    await t.sql`update credit_refunds set next_attempt_at = now(), attempts = 0 where task_id = ${taskId}`;
    const config = { retryBaseMs: 100_000, retryCapMs: 100_000 };
    await runRefundBatch({ ...deps(config), random: () => random }, { limit: 1, workerId: null });
    const [row] = await t.sql`select extract(epoch from next_attempt_at - now())::float8 as pause
      from credit_refunds where task_id = ${taskId}`;
    expect(row?.pause).toBeGreaterThan(atLeast - 5);
    expect(row?.pause).toBeLessThan(atMost);
  }
});
