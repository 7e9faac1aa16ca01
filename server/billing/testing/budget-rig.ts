import { sql } from 'drizzle-orm';
import type { Db, Tx } from '#server/db/client.ts';
import type { CompositeKind } from '#server/generation/status.ts';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import type { TestDatabase } from '#server/testing/database.ts';
import { createModel, createTask } from '#server/testing/factories.ts';
import { TEST_CONFIG } from '#server/testing/rig.ts';
import { captureHold, drawHold, placeHold, requestRefund, settleBudget } from '../holds.ts';
import { voidRefund } from '../manage-refunds.ts';
import { runRefundBatch } from '../run-refund-batch.ts';

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };

type Budget = { status: string; amount: number; free: number; spent: number; captured: number; back: number };
export type BudgetRig = Awaited<ReturnType<typeof createBudgetRig>>;
type End = 'succeeded' | 'failed' | 'cancelled';

/** Composites and children as far as money sees them: rows, and the movements that the engine asks for. */
export async function createBudgetRig(t: TestDatabase) {
  const { id: modelId } = await createModel(t.db);

  async function insertTask(overrides: Parameters<typeof createTask>[1]): Promise<string> {
    const { id } = await createTask(t.db, { modelId, holdCredits: 0, ...overrides });
    await t.sql`delete from credit_holds where task_id = ${id}`;
    return id;
  }

  /** Status as the engine moves it, in the transaction of the settlement. */
  const endTask = (tx: Tx, taskId: string, to: End) =>
    tx.execute(sql`
      update generation_tasks set status = ${to}, next_poll_at = null, finished_at = now(), waiting_for = null,
        waiting_until = null, has_outputs = ${to === 'succeeded'},
        failure_code = ${to === 'failed' ? 'upstream_failed' : null}
      where id = ${taskId}`);

  const rig = {
    /** A composite that holds nothing yet. */
    bareComposite: (userId: string, kind: CompositeKind = 'agent', id = newId()) =>
      insertTask({ id, userId, kind, status: 'waiting' }),

    async composite(userId: string, credits: number): Promise<string> {
      const taskId = await rig.bareComposite(userId);
      await rig.hold(t.db, { taskId, userId, credits });
      return taskId;
    },
    hold: (db: Db, input: { taskId: string; userId: string; credits: number }) =>
      db.transaction((tx) => placeHold(tx, { ...input, reason: 'Budget', isBudget: true })),

    /** A child without money so far. */
    bareChild: (userId: string, parentId: string) => insertTask({ userId, parentId, status: 'running' }),

    draw: (
      input: { taskId: string; parentTaskId: string; userId: string; credits: number },
      db: Db = t.db,
    ): Promise<boolean> => db.transaction((tx) => drawHold(tx, input)),

    /** A child with its draw. */
    async child(userId: string, parentTaskId: string, credits: number): Promise<string> {
      const taskId = await rig.bareChild(userId, parentTaskId);
      if (!(await rig.draw({ taskId, parentTaskId, userId, credits }))) throw new Error('Over the budget');
      return taskId;
    },

    /** A child delivers so much of what it ordered. */
    deliver: (taskId: string, capturedCredits: number, db: Db = t.db) =>
      db.transaction(async (tx) => {
        await captureHold(tx, { taskId, capturedCredits });
        await endTask(tx, taskId, 'succeeded');
      }),
    fail: (taskId: string, db: Db = t.db) =>
      db.transaction(async (tx) => {
        await requestRefund(tx, { taskId, reason: 'Failed' });
        await endTask(tx, taskId, 'failed');
      }),
    settle: (taskId: string, to: End, db: Db = t.db) =>
      db.transaction(async (tx) => {
        const end = await settleBudget(tx, { taskId, delivered: to === 'succeeded', reason: 'Nothing' });
        await endTask(tx, taskId, to);
        return end;
      }),

    async budget(taskId: string): Promise<Budget> {
      const [row] = await t.sql`
        select status, amount_credits::int as amount, budget_free_credits::int as free,
          budget_spent_credits::int as spent, captured_credits::int as captured, returned_credits::int as back
        from credit_holds where task_id = ${taskId}`;
      return { ...row } as Budget;
    },
    async entriesOf(taskId: string): Promise<string[]> {
      const rows = await t.sql`
        select kind, delta_credits from credit_ledger where task_id = ${taskId} order by created_at, id`;
      return rows.map((row) => `${row.kind} ${row.delta_credits}`);
    },
    async refundsOf(taskId: string): Promise<string[]> {
      const rows = await t.sql`select status from credit_refunds where task_id = ${taskId}`;
      return rows.map((row) => row.status);
    },
    /** What the cost guard counts for a user. */
    async spentToday(userId: string): Promise<number> {
      const [row] = await t.sql`
        select coalesce(sum(spent_credits), 0)::int as spent from credit_day_spending where user_id = ${userId}`;
      return row?.spent;
    },
    payRefund: (taskId: string) =>
      runRefundBatch(
        { db: t.db, renewalDb: t.db, config: TEST_CONFIG, logger, random: () => 0, newId },
        { limit: 1, workerId: null, taskIds: [taskId] },
      ),
    async voidRefundOf(taskId: string, operatorId: string): Promise<void> {
      const [refund] = await t.sql`
        update credit_refunds set status = 'manual', next_attempt_at = null where task_id = ${taskId} returning id`;
      await voidRefund(t, { refundId: refund?.id, reason: 'It was delivered by mail', operatorId });
    },
  };
  return rig;
}

/** Runs all at the same moment. @returns how many were done, and why the others were not */
export async function endsOf(work: Promise<unknown>[]): Promise<{ done: number; reasons: string[] }> {
  const results = await Promise.allSettled(work);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  return { done: results.length - reasons.length, reasons };
}

export function throwOnceAt(point: CrashPointName): void {
  let thrown = false;
  setCrashHandler((name) => {
    if (name !== point || thrown) return;
    thrown = true;
    throw new Error(`stopped at ${name}`);
  });
}
