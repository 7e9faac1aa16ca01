import { Readable } from 'node:stream';
import { eq, sql } from 'drizzle-orm';
import {
  creditHolds,
  creditRefunds,
  dispatches,
  generationTaskEvents,
  outputs,
  requestKeys,
} from '#server/db/schema/index.ts';
import type { Deps } from '#server/deps.ts';
import { newId } from '#server/lib/ids.ts';
import { createTask, type TaskOverrides, type TestTask } from '#server/testing/factories.ts';

/** Tasks of long ago, in every state that a task and its money can be in. */

const DAY_MS = 86_400_000;

/** An id as a submit so many days ago would have made it. */
function oldId(days: number): string {
  const hex = Math.floor(Date.now() - days * DAY_MS)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
}

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

export const STATES = [
  'queued',
  'dispatching',
  'running',
  'uncertain',
  'archiving',
  'waiting',
  'running, without a hold of its own',
  'failed, refund pending',
  'failed, refund with an operator',
  'failed, refund open beside a closed hold',
  'failed, refunded, watched for a late result',
  'succeeded, hold still open',
  'succeeded, settled',
  'failed, refunded',
  'failed, refund voided',
  'cancelled, settled',
] as const;
export type State = (typeof STATES)[number];

/** The states in which nothing more can come: what retention may touch. */
export const OVER: readonly State[] = [
  'succeeded, settled',
  'failed, refunded',
  'failed, refund voided',
  'cancelled, settled',
];

/** A task of so many days ago with one output, its file and preview, two events and its request key. */
export async function makeOldTask(
  deps: Pick<Deps, 'db' | 'storage'>,
  input: { state: State; days: number } & TaskOverrides,
): Promise<TestTask & { outputId: string }> {
  const { state, days, ...overrides } = input;
  const { db, storage } = deps;
  const status = state.split(',')[0] as TestTask['status'];
  const isTerminal = ['succeeded', 'failed', 'cancelled'].includes(status);
  const id = oldId(days);
  const task = await createTask(db, {
    id,
    status,
    eventSeq: 2,
    ...(isTerminal ? { finishedAt: daysAgo(days) } : {}),
    ...overrides,
  });
  await setMoney(deps, task, state);

  const [output] =
    status === 'succeeded'
      ? await db.select().from(outputs).where(eq(outputs.taskId, id))
      : await db
          .insert(outputs)
          .values({
            taskId: id,
            ordinal: 0,
            kind: 'image',
            mime: 'image/png',
            bytes: 4,
            sha256: '0'.repeat(64),
            storageKey: `outputs/${id}/0`,
          })
          .returning();
  if (!output) throw new Error('The task has no output.');
  const previewKey = `previews/${id}/0.webp`;
  await db
    .update(outputs)
    .set({ createdAt: daysAgo(days), previewKey, previewTriedAt: daysAgo(days) })
    .where(eq(outputs.id, output.id));
  for (const key of [output.storageKey, previewKey]) await putFile(storage, key);

  await db.insert(generationTaskEvents).values([
    { taskId: id, seq: 1, type: 'submitted', actor: `user:${task.userId}` },
    {
      taskId: id,
      seq: 2,
      type: 'failed',
      actor: 'executor',
      reason: 'It said: a quiet harbour is not allowed.',
    },
  ]);
  await db
    .insert(requestKeys)
    .values({ userId: task.userId, key: `key-${id}`, bodyHash: 'x', taskId: id, createdAt: daysAgo(days) });
  return { ...task, outputId: output.id };
}

export async function putFile(storage: Deps['storage'], key: string): Promise<void> {
  await storage.put(key, Readable.from([Buffer.from('made')]), { maxBytes: 100 });
}

async function setMoney({ db }: Pick<Deps, 'db'>, task: TestTask, state: State): Promise<void> {
  const hold = db.update(creditHolds);
  const ofTask = eq(creditHolds.taskId, task.id);
  const refund = (set: Partial<typeof creditRefunds.$inferInsert>) =>
    db.update(creditRefunds).set(set).where(eq(creditRefunds.taskId, task.id));
  const closeHold = () =>
    hold
      .set({ status: 'refunded', returnedCredits: task.holdCredits, closedAt: sql`now()` as never })
      .where(ofTask);
  switch (state) {
    case 'failed, refund with an operator':
      await refund({ status: 'manual', nextAttemptAt: null });
      return;
    case 'failed, refund open beside a closed hold':
      await closeHold();
      return;
    case 'running, without a hold of its own':
      await db.delete(creditHolds).where(ofTask);
      return;
    case 'failed, refunded':
    case 'failed, refunded, watched for a late result':
      await refund({ status: 'settled', settledAt: new Date(), nextAttemptAt: null });
      await closeHold();
      if (state !== 'failed, refunded') {
        const soon = new Date(Date.now() + DAY_MS);
        await db
          .update(dispatches)
          .set({ nextWatchAt: soon, watchUntil: soon })
          .where(eq(dispatches.taskId, task.id));
      }
      return;
    case 'failed, refund voided':
      await refund({ status: 'voided', resolution: 'Paid in another way.', nextAttemptAt: null });
      await closeHold();
      return;
    case 'succeeded, hold still open':
      await hold
        .set({ status: 'held', capturedCredits: 0, returnedCredits: 0, closedAt: null })
        .where(ofTask);
      return;
    default:
  }
}
