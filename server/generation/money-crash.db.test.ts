import { drizzle } from 'drizzle-orm/postgres-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import * as schema from '#server/db/schema/index.ts';
import type { Deps } from '#server/deps.ts';
import { newId } from '#server/lib/ids.ts';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { cancelTask } from './cancel-task.ts';
import { createExecutor, type Executor } from './executor.ts';
import { submitTask } from './submit-task.ts';

/**
 * A process that stops before any statement of a submit, a settlement, a failure, a cancel or a refund: whoever comes
 * after it moves the money once, and the cost guard counts what was charged.
 */

let rig: Rig;
let faulty: Deps;
let executor: Executor;
/** Statements of the faulty process until one throws; undefined: none does. */
let left: number | undefined;
let hasStopped = false;

beforeAll(async () => {
  rig = await createRig();
  const { sql } = rig.t.open({ max: 10, applicationName: 'sidelane-faulty' });
  const logger = {
    logQuery(query: string) {
      if (left === undefined) return;
      left -= 1;
      if (left > 0) return;
      left = undefined;
      hasStopped = true;
      throw new Error(`stopped before: ${query.slice(0, 60)}`);
    },
  };
  faulty = { ...rig.deps, db: drizzle(sql, { schema, logger }) };
  executor = createExecutor(faulty);
});
afterAll(async () => {
  await executor.drain();
  await rig.close();
});
afterEach(() => {
  left = undefined;
  setCrashHandler(undefined);
});

/** Counts statements from the first time that this point is passed. */
function stopAfter(point: CrashPointName, statements: number): void {
  let passed = false;
  setCrashHandler((name) => {
    if (name !== point || passed) return;
    passed = true;
    left = statements;
  });
}

/** Nothing waits for its next time; a lease that somebody holds is left alone. */
async function makeDue(taskId: string): Promise<void> {
  await rig.t.sql`update generation_tasks set next_poll_at = now()
    where id = ${taskId} and finished_at is null and lease_until is null`;
  await rig.t.sql`update credit_refunds set next_attempt_at = now()
    where task_id = ${taskId} and status = 'pending' and lease_until is null`;
}

/** The leases of the process that stopped run out. */
async function letLeasesPass(taskId: string): Promise<void> {
  await rig.t.sql`update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now()
    where id = ${taskId} and finished_at is null and lease_until is not null`;
  await rig.t.sql`update credit_refunds set lease_until = null, leased_by = null
    where task_id = ${taskId} and status = 'pending'`;
}

/** Ledger entries of a task in order, what its hold ended as, and what its user's day counts. */
async function moneyOf(userId: string, taskId: string) {
  const entries = await rig.t.sql<{ entry: string }[]>`
    select kind || ' ' || delta_credits as entry from credit_ledger where task_id = ${taskId} order by id`;
  const [hold] = await rig.t.sql`select status, captured_credits::int as captured from credit_holds
    where task_id = ${taskId}`;
  const [day] = await rig.t.sql`select sum(spent_credits)::int as spent from credit_day_spending
    where user_id = ${userId}`;
  return { entries: entries.map(({ entry }) => entry), hold: { ...hold }, spent: day?.spent };
}

/** One user with one task, so that days can be compared. */
async function freshTask(kind: 'image' | 'video', prompt: string, params: Record<string, unknown>) {
  const { id: userId } = await createUser(rig.db);
  return { userId, taskId: await rig.submit(kind, { userId, prompt, params }) };
}

/** Ends a task by a process that works. */
async function finish(taskId: string): Promise<void> {
  await letLeasesPass(taskId);
  for (let knocks = 0; knocks < 500; knocks += 1) {
    await makeDue(taskId);
    await rig.knock();
    await runRefundBatch(rig.deps, { limit: 100, workerId: null });
    const [row] = await rig.t.sql`
      select 1 from generation_tasks t join credit_holds h on h.task_id = t.id
      where t.id = ${taskId} and t.finished_at is not null and h.closed_at is not null`;
    if (row) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Task ${taskId} did not end`);
}

/**
 * Runs with a stop before the 1st, the 2nd … statement, until two runs pass without one: claims of the same process come
 * in between, so one run may need fewer statements than another.
 *
 * @returns how many stops there were
 */
async function atEveryStatement(run: (statements: number) => Promise<boolean>): Promise<number> {
  let stops = 0;
  for (let statements = 1, passed = 0; passed < 2; statements += 1) {
    if (statements > 100) throw new Error('It never passed');
    if (await run(statements)) stops += 1;
    else passed += 1;
  }
  return stops;
}

/** True when the stop that was set has happened; takes back one that has not. */
function stopped(): boolean {
  const happened = hasStopped;
  hasStopped = false;
  left = undefined;
  setCrashHandler(undefined);
  return happened;
}

describe('a stop before each statement of', () => {
  it.each([
    [
      'a settlement in part',
      {
        kind: 'image' as const,
        prompt: 'flags [[partial]]',
        params: { n: 2 },
        from: 'archive.after-record' as const,
      },
      { entries: ['hold -6', 'return 3'], hold: { status: 'captured', captured: 3 }, spent: 3 },
    ],
    [
      'a failure and its refund',
      {
        kind: 'video' as const,
        prompt: 'a boat [[fail]]',
        params: { seconds: 1 },
        from: 'poll.after' as const,
      },
      { entries: ['hold -5', 'refund 5'], hold: { status: 'refunded', captured: 0 }, spent: 0 },
    ],
  ])('%s moves money once', { timeout: 300_000 }, async (_name, order, end) => {
    const stops = await atEveryStatement(async (statements) => {
      const { userId, taskId } = await freshTask(order.kind, order.prompt, order.params);
      stopAfter(order.from, statements);
      for (let knocks = 0; knocks < 200 && !hasStopped; knocks += 1) {
        await makeDue(taskId);
        await executor.run({ limit: 100, budgetMs: 50, workerId: null }).catch(() => undefined);
        const [row] = await rig.t.sql`
          select 1 from generation_tasks where id = ${taskId} and finished_at is not null`;
        if (row) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const happened = stopped();
      await finish(taskId);
      expect(await moneyOf(userId, taskId)).toEqual(end);
      return happened;
    });
    expect(stops).toBeGreaterThan(8);
    expect(await rig.audit()).toEqual([]);
  });

  it('a cancel before the send moves money once', async () => {
    const stops = await atEveryStatement(async (statements) => {
      const { userId, taskId } = await freshTask('image', 'a lamp', {});
      left = statements;
      await cancelTask(faulty, { userId, taskId }).catch(() => undefined);
      const happened = stopped();
      await cancelTask(rig.deps, { userId, taskId });
      await finish(taskId);
      const end = { entries: ['hold -3', 'refund 3'], hold: { status: 'refunded', captured: 0 }, spent: 0 };
      expect(await moneyOf(userId, taskId)).toEqual(end);
      return happened;
    });
    expect(stops).toBeGreaterThan(8);
    expect(await rig.audit()).toEqual([]);
  });

  it('a submit leaves nothing or one task, and the same key finds or makes it', {
    timeout: 300_000,
  }, async () => {
    const stops = await atEveryStatement(async (statements) => {
      const { id: userId } = await createUser(rig.db);
      const input = {
        userId,
        kind: 'image' as const,
        model: rig.models.image.slug,
        prompt: 'a lamp',
        params: {},
        references: [],
        requestKey: newId(),
      };
      left = statements;
      const answer = await submitTask(faulty, input).catch(() => undefined);
      const happened = stopped();
      const kept = await rig.t.sql`select id from generation_tasks where user_id = ${userId}`;
      expect(kept).toHaveLength(answer ? 1 : 0);
      const { taskId } = await submitTask(rig.deps, input);
      expect(await moneyOf(userId, taskId)).toEqual({
        entries: ['hold -3'],
        hold: { status: 'held', captured: 0 },
        spent: 3,
      });
      await cancelTask(rig.deps, { userId, taskId });
      return happened;
    });
    expect(stops).toBeGreaterThan(15);
    expect(await rig.audit()).toEqual([]);
  });
});

describe('an exception at a named point of', () => {
  const throwOnceAt = (point: CrashPointName) => {
    let thrown = 0;
    setCrashHandler((name) => {
      if (name !== point || thrown > 0) return;
      thrown += 1;
      throw new Error(`crash at ${name}`);
    });
    return () => thrown;
  };

  it.each(['submit.after-task', 'hold.after-entry', 'hold.after-guard', 'submit.after-hold'] as const)(
    'a submit leaves nothing: %s',
    async (point) => {
      const { id: userId } = await createUser(rig.db);
      const thrown = throwOnceAt(point);
      await expect(rig.submit('image', { userId })).rejects.toThrow('crash');
      expect(thrown()).toBe(1);
      expect(await rig.t.sql`select 1 from credit_day_spending where user_id = ${userId}`).toEqual([]);
      expect(await rig.balance(userId)).toMatchObject({ balanceCredits: 1_000, heldCredits: 0 });
    },
  );

  it.each(['cancel.after-status', 'refund.after-hold', 'cancel.after-commit'] as const)(
    'a cancel is refunded once: %s',
    async (point) => {
      const { userId, taskId } = await freshTask('image', 'a lamp', {});
      const thrown = throwOnceAt(point);
      await expect(cancelTask(rig.deps, { userId, taskId })).rejects.toThrow('crash');
      expect(thrown()).toBe(1);
      setCrashHandler(undefined);
      await cancelTask(rig.deps, { userId, taskId });
      await finish(taskId);
      expect(await moneyOf(userId, taskId)).toMatchObject({ entries: ['hold -3', 'refund 3'], spent: 0 });
    },
  );
});
