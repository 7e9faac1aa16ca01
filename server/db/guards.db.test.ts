import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TERMINAL_STATUSES } from '#server/generation/status.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import {
  creditAccounts,
  creditHolds,
  creditLedger,
  creditRefunds,
  dispatches,
  generationTaskEvents,
  generationTasks,
  outputs,
  users,
} from './schema/index.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());

/** What PostgreSQL said, below Drizzle's wrapper. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  if (!error) return 'accepted';
  return error.cause instanceof Error ? error.cause.message : error.message;
}

async function createEvent(): Promise<string> {
  const { id } = await createTask(t.db);
  await t.db.insert(generationTaskEvents).values({ taskId: id, seq: 1, type: 'submitted', actor: 'test' });
  return id;
}

describe('append-only tables', () => {
  test('the ledger refuses update, delete and truncate', async () => {
    const { id } = await createUser(t.db);
    const mine = eq(creditLedger.userId, id);
    expect(await refusal(t.db.update(creditLedger).set({ deltaCredits: 9 }).where(mine))).toMatch(
      /^credit_ledger is append-only: UPDATE is refused/,
    );
    expect(await refusal(t.db.delete(creditLedger).where(mine))).toMatch(/DELETE is refused/);
    expect(await refusal(t.db.execute(sql`truncate credit_ledger cascade`))).toMatch(/TRUNCATE is refused/);
    expect(await refusal(t.db.execute(sql`truncate users cascade`))).toMatch(
      /is append-only: TRUNCATE is refused/,
    );
    expect(await t.db.$count(creditLedger, mine)).toBe(1);
  });

  test('an upsert that would update a ledger entry is refused, one that does nothing is not', async () => {
    const { id } = await createUser(t.db);
    const entry = {
      userId: id,
      kind: 'grant',
      deltaCredits: 5,
      balanceAfterCredits: 5,
      key: `grant:user:${id}`,
    } as const;
    const insert = () => t.db.insert(creditLedger).values({ ...entry, actor: 'test', reason: 'twice' });
    expect(await refusal(insert().onConflictDoNothing())).toBe('accepted');
    expect(
      await refusal(insert().onConflictDoUpdate({ target: creditLedger.key, set: { deltaCredits: 5 } })),
    ).toMatch(/append-only/);
  });

  test('task events refuse update, delete and truncate', async () => {
    const taskId = await createEvent();
    const mine = eq(generationTaskEvents.taskId, taskId);
    expect(await refusal(t.db.update(generationTaskEvents).set({ reason: 'x' }).where(mine))).toMatch(
      /^generation_task_events is append-only: UPDATE/,
    );
    expect(await refusal(t.db.delete(generationTaskEvents).where(mine))).toMatch(/DELETE is refused/);
    expect(await refusal(t.db.execute(sql`truncate generation_task_events`))).toMatch(/TRUNCATE is refused/);
  });
});

describe('a terminal task keeps its status', () => {
  test.each(TERMINAL_STATUSES)('%s', async (status) => {
    const task = await createTask(t.db, { status });
    const mine = eq(generationTasks.id, task.id);
    const revive = {
      status: 'running',
      nextPollAt: new Date(),
      finishedAt: null,
      deadlineAt: new Date(),
    } as const;
    expect(
      await refusal(
        t.db
          .update(generationTasks)
          .set({ ...revive, failureCode: null })
          .where(mine),
      ),
    ).toBe(`generation task ${task.id} is ${status} and stays so: the change to running is refused.`);
    const other = status === 'cancelled' ? 'succeeded' : 'cancelled';
    expect(
      await refusal(
        t.db.update(generationTasks).set({ status: other, hasOutputs: true, failureCode: null }).where(mine),
      ),
    ).toMatch(/stays so/);
    // What follows the end (previews, a late output) may still be noted.
    expect(await refusal(t.db.update(generationTasks).set({ version: 9, status }).where(mine))).toBe(
      'accepted',
    );
  });

  test('a live task may change', async () => {
    const task = await createTask(t.db, { status: 'queued' });
    const change = t.db
      .update(generationTasks)
      .set({ status: 'dispatching' })
      .where(eq(generationTasks.id, task.id));
    expect(await refusal(change)).toBe('accepted');
  });
});

describe('dispatches keep evidence', () => {
  const setDispatch = (id: string, set: Partial<typeof dispatches.$inferInsert>) =>
    refusal(t.db.update(dispatches).set(set).where(eq(dispatches.id, id)));
  const openDispatch = async () => {
    const task = await createTask(t.db, {
      status: 'dispatching',
      dispatch: { phase: 'intent', sentAt: null },
    });
    return { taskId: task.id, id: task.dispatch?.id ?? '' };
  };

  test('intent → sent → outcome, then the outcome stays', async () => {
    const { id } = await openDispatch();
    expect(await setDispatch(id, { phase: 'sent', sentAt: new Date() })).toBe('accepted');
    const known = { outcome: 'accepted', outcomeAt: new Date(), upstreamId: 'job-1' } as const;
    expect(await setDispatch(id, known)).toBe('accepted');
    expect(await setDispatch(id, { outcome: 'failed' })).toMatch(
      /has the outcome accepted and keeps it: the change to failed/,
    );
    expect(await setDispatch(id, { outcome: null, outcomeAt: null })).toMatch(
      /the change to null is refused/,
    );
    expect(await setDispatch(id, { nextWatchAt: new Date(), watchUntil: new Date() })).toBe('accepted');
  });

  test('what was sent cannot become unsent', async () => {
    const { id } = await openDispatch();
    await setDispatch(id, { phase: 'sent', sentAt: new Date() });
    expect(await setDispatch(id, { phase: 'intent', sentAt: null })).toMatch(
      /was sent: its phase cannot go back to intent/,
    );
  });

  test('one open dispatch per task; a void one makes room', async () => {
    const { id, taskId } = await openDispatch();
    const [row] = await t.db.select().from(dispatches).where(eq(dispatches.id, id));
    if (!row) throw new Error('no dispatch');
    const again = { ...row, id: undefined, number: 2, taskId };
    expect(await refusal(t.db.insert(dispatches).values(again))).toMatch(/dispatches_one_open_key/);
    expect(await setDispatch(id, { outcome: 'not_sent', outcomeAt: new Date() })).toBe('accepted');
    expect(await refusal(t.db.insert(dispatches).values(again))).toBe('accepted');
  });

  test('a dispatch that was never sent has no answer', async () => {
    const { id } = await openDispatch();
    expect(await setDispatch(id, { outcome: 'done', outcomeAt: new Date() })).toMatch(
      /dispatches_intent_never_ran/,
    );
  });
});

describe('CHECKs refuse what cannot be', () => {
  const now = new Date();
  test.each([
    [
      'terminal without finish time',
      { status: 'cancelled', nextPollAt: null },
      'generation_tasks_finished_iff_terminal',
    ],
    ['live with finish time', { finishedAt: now }, 'generation_tasks_finished_iff_terminal'],
    ['live without due time', { nextPollAt: null }, 'generation_tasks_due_iff_live'],
    ['terminal with due time', { status: 'cancelled', finishedAt: now }, 'generation_tasks_due_iff_live'],
    ['lease without holder', { leaseUntil: now }, 'generation_tasks_lease_has_holder'],
    ['uncertain without end', { status: 'uncertain' }, 'generation_tasks_uncertain_ends'],
    ['waiting without end', { kind: 'agent', status: 'waiting' }, 'generation_tasks_waiting_ends'],
    [
      'waiting of what is sent itself',
      { status: 'waiting', waitingFor: 'children', waitingUntil: now },
      'generation_tasks_composite_waits',
    ],
    ['composite in the queue', { kind: 'drama', status: 'queued' }, 'generation_tasks_composite_never_sent'],
    [
      'composite below another',
      {
        kind: 'agent',
        status: 'waiting',
        waitingFor: 'children',
        waitingUntil: now,
        parentId: '01a00000-0000-7000-8000-000000000000',
      },
      'generation_tasks_child_is_leaf',
    ],
    ['running without deadline', { status: 'running' }, 'generation_tasks_running_ends'],
    ['archiving without end', { status: 'archiving' }, 'generation_tasks_archiving_ends'],
    [
      'succeeded without outputs',
      { status: 'succeeded', nextPollAt: null, finishedAt: now },
      'generation_tasks_succeeded_has_outputs',
    ],
    [
      'failed without code',
      { status: 'failed', nextPollAt: null, finishedAt: now },
      'generation_tasks_failed_has_code',
    ],
    ['live with failure code', { failureCode: 'x' }, 'generation_tasks_failed_has_code'],
    ['unknown status', { status: 'lost' as never }, 'generation_tasks_status_known'],
    ['progress over 100', { progress: 101 }, 'generation_tasks_progress_range'],
  ] as const)('task: %s', async (_name, set, constraint) => {
    const { id } = await createTask(t.db);
    expect(await refusal(t.db.update(generationTasks).set(set).where(eq(generationTasks.id, id)))).toContain(
      constraint,
    );
  });

  test('a terminal task holds no lease', async () => {
    const { id } = await createTask(t.db, { status: 'succeeded' });
    const lease = { leaseUntil: now, leasedBy: id };
    expect(
      await refusal(t.db.update(generationTasks).set(lease).where(eq(generationTasks.id, id))),
    ).toContain('generation_tasks_no_lease_when_terminal');
  });

  test('a balance is never negative', async () => {
    const { id } = await createUser(t.db);
    const change = t.db
      .update(creditAccounts)
      .set({ balanceCredits: -1 })
      .where(eq(creditAccounts.userId, id));
    expect(await refusal(change)).toContain('credit_accounts_balance_range');
  });

  test('a hold is captured in full or in part, never by more or with a rest unreturned', async () => {
    const { id } = await createTask(t.db, { holdCredits: 4 });
    const set = (capturedCredits: number, returnedCredits: number) =>
      refusal(
        t.db
          .update(creditHolds)
          .set({ status: 'captured', capturedCredits, returnedCredits, closedAt: now })
          .where(eq(creditHolds.taskId, id)),
      );
    expect(await set(3, 0)).toContain('credit_holds_ends_once');
    expect(await set(5, 0)).toContain('credit_holds_ends_once');
    expect(await set(3, 1)).toBe('accepted');
  });

  test('a budget is settled when nothing of it is drawn, by what its draws were charged', async () => {
    const { id } = await createTask(t.db, { holdCredits: 4 });
    const set = (patch: Partial<typeof creditHolds.$inferInsert>) =>
      refusal(t.db.update(creditHolds).set(patch).where(eq(creditHolds.taskId, id)));
    const captured = { status: 'captured' as const, closedAt: now };
    expect(await set({ budgetFreeCredits: 3, budgetSpentCredits: 2 })).toContain('credit_holds_budget');
    expect(await set({ budgetFreeCredits: 1, budgetSpentCredits: 2 })).toBe('accepted');
    expect(await set({ ...captured, capturedCredits: 2, returnedCredits: 2 })).toContain(
      'credit_holds_budget_ends',
    );
    expect(await set({ budgetFreeCredits: 2 })).toBe('accepted');
    expect(await set({ ...captured, capturedCredits: 1, returnedCredits: 3 })).toContain(
      'credit_holds_budget_ends',
    );
    expect(await set({ ...captured, capturedCredits: 2, returnedCredits: 2 })).toBe('accepted');
  });

  test('a draw is no budget, counts in no cost guard and waits for no refund lane', async () => {
    const parent = await createTask(t.db);
    const { id } = await createTask(t.db, { holdCredits: 4 });
    const set = (patch: Partial<typeof creditHolds.$inferInsert>) =>
      refusal(t.db.update(creditHolds).set(patch).where(eq(creditHolds.taskId, id)));
    expect(await set({ source: 'parent' })).toContain('credit_holds_source');
    expect(await set({ source: 'parent', parentTaskId: parent.id })).toBe('accepted');
    expect(await set({ spentOn: '2026-01-01' })).toContain('credit_holds_draw');
    expect(await set({ status: 'refunding' })).toContain('credit_holds_draw');
    expect(await set({ budgetFreeCredits: 4, budgetSpentCredits: 0 })).toContain('credit_holds_draw');
  });

  test('a draw is closed together with its budget, as a release that knows no budgets would not do', async () => {
    const parent = await createTask(t.db, { holdCredits: 10 });
    const { id } = await createTask(t.db, { holdCredits: 4 });
    const hold = (taskId: string) => eq(creditHolds.taskId, taskId);
    await t.db.transaction(async (tx) => {
      await tx
        .update(creditHolds)
        .set({ budgetFreeCredits: 6, budgetSpentCredits: 0 })
        .where(hold(parent.id));
      await tx.update(creditHolds).set({ source: 'parent', parentTaskId: parent.id }).where(hold(id));
    });
    const captured = { status: 'captured' as const, capturedCredits: 3, returnedCredits: 1, closedAt: now };
    const alone = t.db.update(creditHolds).set(captured).where(hold(id));
    expect(await refusal(alone)).toContain('was changed without the budget');
    const together = t.db.transaction(async (tx) => {
      await tx.update(creditHolds).set(captured).where(hold(id));
      await tx
        .update(creditHolds)
        .set({ budgetFreeCredits: 7, budgetSpentCredits: 3 })
        .where(hold(parent.id));
    });
    expect(await refusal(together)).toBe('accepted');
  });

  test('one refund per task, and a settled one has its time', async () => {
    const { id, userId } = await createTask(t.db, { status: 'failed' });
    const again = t.db
      .insert(creditRefunds)
      .values({ taskId: id, userId, amountCredits: 4, reason: 'again' });
    expect(await refusal(again)).toContain('credit_refunds_task_key');
    const settle = t.db
      .update(creditRefunds)
      .set({ status: 'settled', nextAttemptAt: null })
      .where(eq(creditRefunds.taskId, id));
    expect(await refusal(settle)).toContain('credit_refunds_settled_at');
  });

  test('an output is not empty, and each ordinal is stored once', async () => {
    const { id } = await createTask(t.db, { status: 'succeeded' });
    const output = { taskId: id, kind: 'image', mime: 'image/png', sha256: 'x', storageKey: 'k' } as const;
    expect(await refusal(t.db.insert(outputs).values({ ...output, ordinal: 1, bytes: 0 }))).toContain(
      'outputs_not_empty',
    );
    expect(await refusal(t.db.insert(outputs).values({ ...output, ordinal: 0, bytes: 1 }))).toContain(
      'outputs_ordinal_key',
    );
  });

  test('a user with a task or a ledger entry cannot be deleted', async () => {
    const { userId } = await createTask(t.db);
    expect(await refusal(t.db.delete(users).where(eq(users.id, userId)))).toMatch(/violates.*foreign key/);
  });
});
