import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#server/db/client.ts';
import { generationTasks } from '#server/db/schema/index.ts';
import { tellOfTask } from '#server/notifications/tell-owner.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import type { TaskRow } from './claim-queries.ts';
import { insertEvent, type Lease, type TaskEvent } from './event-queries.ts';
import { dueUnlessWoken, holds, inMs, type TaskPatch, wakeTask } from './lease-queries.ts';
import { isComposite, type LiveStatus, type Status } from './status.ts';
import { canMove } from './transitions.ts';

/**
 * Moves a leased task to another status and appends the event, in the caller's transaction. Every live target ends
 * the lease unless `keepLease`; `nextDelayMs` says when the next step is due. An end and an `uncertain` are told to the
 * task's owner in the same transaction.
 *
 * @returns the new row, or undefined when the lease is lost or the status is no longer `from`: write nothing else then
 * @throws Error for a pair that the transition table refuses
 */
export async function moveLeased(
  tx: Tx,
  input: {
    lease: Lease;
    from: LiveStatus;
    to: Status;
    set?: TaskPatch;
    event: TaskEvent;
    keepLease?: boolean;
    nextDelayMs?: number;
    /** A further condition on the row. */
    and?: SQL;
    /** What the end costs, for what the owner is told; a composite's is read from its budget. */
    chargedCredits?: number;
  },
): Promise<TaskRow | undefined> {
  if (!canMove(input.from, input.to)) throw new Error(`A task cannot go from ${input.from} to ${input.to}`);
  const terminal = input.to === 'succeeded' || input.to === 'failed' || input.to === 'cancelled';
  const [row] = await tx
    .update(generationTasks)
    .set({
      ...input.set,
      status: input.to,
      version: sql`${generationTasks.version} + 1`,
      eventSeq: sql`${generationTasks.eventSeq} + 1`,
      updatedAt: sql`now()`,
      ...(terminal ? { finishedAt: sql`now()`, nextPollAt: null } : {}),
      ...(!terminal && !input.keepLease
        ? { nextPollAt: dueUnlessWoken(input.lease, inMs(input.nextDelayMs ?? 0)) }
        : {}),
      ...(input.keepLease ? {} : { leaseUntil: null, leasedBy: null }),
    } as never)
    .where(and(holds(input.lease), eq(generationTasks.status, input.from), input.and))
    .returning();
  if (!row) return undefined;
  await insertEvent(tx, row, { ...input.event, from: input.from, to: input.to, lease: input.lease });
  if (terminal) await wakeParent(tx, row);
  await tellOfMove(tx, row, input.chargedCredits);
  return row;
}

/** Moves a task that nobody needs to hold (cancel before sending, an operator's verdict), by source statuses alone. */
export async function moveUnleased(
  tx: Tx,
  input: { taskId: string; from: readonly Status[]; to: Status; set?: TaskPatch; event: TaskEvent },
): Promise<TaskRow | undefined> {
  const from = input.from.filter((status) => canMove(status, input.to));
  if (from.length === 0) throw new Error(`A task cannot go from ${input.from.join(', ')} to ${input.to}`);
  const [before] = await tx
    .select({ status: generationTasks.status })
    .from(generationTasks)
    .where(
      and(
        eq(generationTasks.id, input.taskId),
        inArray(generationTasks.status, from),
        sql`(${generationTasks.leaseUntil} is null or ${generationTasks.leaseUntil} < now())`,
      ),
    )
    .for('no key update');
  if (!before) return undefined;
  const terminal = input.to === 'succeeded' || input.to === 'failed' || input.to === 'cancelled';
  const [row] = await tx
    .update(generationTasks)
    .set({
      ...input.set,
      status: input.to,
      version: sql`${generationTasks.version} + 1`,
      eventSeq: sql`${generationTasks.eventSeq} + 1`,
      // The next claim's token is higher still: whoever held this row before writes nothing any more.
      leaseToken: sql`${generationTasks.leaseToken} + 1`,
      leaseUntil: null,
      leasedBy: null,
      updatedAt: sql`now()`,
      ...(terminal ? { finishedAt: sql`now()`, nextPollAt: null } : { nextPollAt: sql`now()` }),
    } as never)
    .where(and(eq(generationTasks.id, input.taskId), inArray(generationTasks.status, from)))
    .returning();
  if (!row) return undefined;
  await insertEvent(tx, row, { ...input.event, from: before.status, to: input.to });
  if (terminal) await wakeParent(tx, row);
  await tellOfMove(tx, row);
  return row;
}

/** A child's end makes its composite due at once, in the same transaction. */
async function wakeParent(tx: Tx, child: TaskRow): Promise<void> {
  if (child.parentId === null) return;
  await wakeTask(tx, child.parentId);
  await crashPoint('child.after-wake');
}

/** Both ways of moving a task end here, so no end of one that its owner ordered is left untold. */
async function tellOfMove(tx: Tx, row: TaskRow, chargedCredits = 0): Promise<void> {
  if (row.parentId !== null) return;
  switch (row.status) {
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      await tellOfTask(tx, {
        taskId: row.id,
        type: `task.${row.status}`,
        charged: isComposite(row.kind) ? 'budget' : chargedCredits,
      });
      return;
    case 'uncertain':
      await tellOfTask(tx, { taskId: row.id, type: 'task.uncertain', charged: 'open' });
  }
}
