import { eq, sql } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { generationTaskEvents, generationTasks } from '#server/db/schema/index.ts';
import { redactValue } from '#server/lib/redact.ts';
import type { TaskRow } from './claim-queries.ts';
import type { Status } from './status.ts';

/** The right to write a task's status: which claim, by which executor. */
export type Lease = {
  taskId: string;
  token: number;
  executorId: string;
  workerId: string | null;
  /** `wake_seq` as the claim saw it; a hint that came later makes the row due again at once. */
  wakeSeq: number;
};

export type TaskEvent = { type: string; actor: string; reason?: string; data?: Record<string, unknown> };

export async function insertEvent(
  tx: DbOrTx,
  row: Pick<TaskRow, 'id' | 'eventSeq'>,
  event: TaskEvent & { from?: Status; to?: Status; lease?: Lease },
): Promise<void> {
  await tx.insert(generationTaskEvents).values({
    taskId: row.id,
    seq: row.eventSeq,
    type: event.type,
    actor: event.actor,
    executorId: event.lease?.executorId ?? null,
    workerId: event.lease?.workerId ?? null,
    leaseToken: event.lease?.token ?? null,
    fromStatus: event.from ?? null,
    toStatus: event.to ?? null,
    reason: event.reason ?? null,
    data: event.data ? redactValue(event.data) : null,
  });
}

/** Appends an event without a change of status; raises version so that pages see it. */
export async function appendEvent(tx: Tx, taskId: string, event: TaskEvent): Promise<void> {
  const [row] = await tx
    .update(generationTasks)
    .set({
      eventSeq: sql`${generationTasks.eventSeq} + 1`,
      version: sql`${generationTasks.version} + 1`,
      updatedAt: sql`now()`,
    })
    .where(eq(generationTasks.id, taskId))
    .returning({ id: generationTasks.id, eventSeq: generationTasks.eventSeq });
  if (row) await insertEvent(tx, row, event);
}

/** First event of a new task (number 1). */
export async function insertFirstEvent(
  tx: Tx,
  taskId: string,
  event: TaskEvent & { to: Status },
): Promise<void> {
  await insertEvent(tx, { id: taskId, eventSeq: 1 }, event);
}
