import { and, asc, eq, inArray, isNotNull, isNull, max, or, sql } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import {
  compositeSteps,
  compositeTasks,
  creditHolds,
  generationTaskDetails,
  generationTasks,
  outputs,
} from '#server/db/schema/index.ts';
import type { TaskRow } from '../claim-queries.ts';
import type { Lease } from '../event-queries.ts';
import { holds, inMs } from '../lease-queries.ts';
import type { StepInput, StepResult, StepStatus } from './schemas.ts';

export type CompositeRow = typeof compositeTasks.$inferSelect;
export type StepRow = typeof compositeSteps.$inferSelect;
export type OutputRow = typeof outputs.$inferSelect;

export async function insertComposite(tx: Tx, row: typeof compositeTasks.$inferInsert): Promise<void> {
  await tx.insert(compositeTasks).values(row);
}

export async function readComposite(db: DbOrTx, taskId: string): Promise<CompositeRow | undefined> {
  const [row] = await db.select().from(compositeTasks).where(eq(compositeTasks.taskId, taskId));
  return row;
}

/** In the order in which they were recorded. */
export async function readSteps(db: DbOrTx, taskId: string): Promise<StepRow[]> {
  return db
    .select()
    .from(compositeSteps)
    .where(eq(compositeSteps.taskId, taskId))
    .orderBy(asc(compositeSteps.seq));
}

/** A child with what its composite decides by. */
export type ChildRow = {
  task: TaskRow;
  prompt: string;
  modelTitle: string;
  failureMessage: string | null;
  hold: typeof creditHolds.$inferSelect | null;
  outputs: OutputRow[];
};

/** The given tasks, and all that `parentId` has started, with their outputs: two statements, however many they are. */
export async function readChildren(
  db: DbOrTx,
  ids: readonly string[],
  parentId?: string,
): Promise<Map<string, ChildRow>> {
  if (ids.length === 0 && parentId === undefined) return new Map();
  const rows = await db
    .select({
      task: generationTasks,
      prompt: generationTaskDetails.prompt,
      modelTitle: sql<string>`${generationTaskDetails.snapshot}->>'modelTitle'`,
      failureMessage: generationTaskDetails.failureMessage,
      hold: creditHolds,
    })
    .from(generationTasks)
    .innerJoin(generationTaskDetails, eq(generationTaskDetails.taskId, generationTasks.id))
    .leftJoin(creditHolds, eq(creditHolds.taskId, generationTasks.id))
    .where(
      or(
        inArray(generationTasks.id, [...ids]),
        parentId === undefined ? undefined : eq(generationTasks.parentId, parentId),
      ),
    );
  if (rows.length === 0) return new Map();
  const stored = await db
    .select()
    .from(outputs)
    .where(
      inArray(
        outputs.taskId,
        rows.map(({ task }) => task.id),
      ),
    )
    .orderBy(outputs.taskId, outputs.ordinal);
  return new Map(
    rows.map((row) => [row.task.id, { ...row, outputs: stored.filter((o) => o.taskId === row.task.id) }]),
  );
}

/** Children that this composite has started itself and that have not ended. */
export async function listLiveChildren(db: DbOrTx, parentId: string): Promise<TaskRow[]> {
  return db
    .select()
    .from(generationTasks)
    .where(and(eq(generationTasks.parentId, parentId), isNull(generationTasks.finishedAt)))
    .orderBy(generationTasks.id);
}

/** Locks the composite's row under its lease; false when the lease is lost: write nothing then. */
export async function lockLeased(tx: Tx, lease: Lease): Promise<boolean> {
  const rows = await tx
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(and(holds(lease), isNull(generationTasks.finishedAt)))
    .for('no key update');
  return rows.length === 1;
}

/**
 * Whether the user has asked it to pause, stop or cancel since its step began. Of a row that is locked: whoever asks locks
 * it too.
 */
export async function isHalted(tx: Tx, taskId: string): Promise<boolean> {
  const rows = await tx
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .innerJoin(compositeTasks, eq(compositeTasks.taskId, generationTasks.id))
    .where(
      and(
        eq(generationTasks.id, taskId),
        or(
          isNotNull(generationTasks.cancelRequestedAt),
          isNotNull(compositeTasks.pausedAt),
          isNotNull(compositeTasks.stopRequestedAt),
        ),
      ),
    );
  return rows.length > 0;
}

export async function isCancelRequested(db: DbOrTx, taskId: string): Promise<boolean> {
  const rows = await db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(and(eq(generationTasks.id, taskId), isNotNull(generationTasks.cancelRequestedAt)));
  return rows.length === 1;
}

/**
 * Counts a composition that is begun (+1), or one that this process has outlived (−1): what remains are those that ended
 * with their process. Keeps the lease; false when it is lost.
 */
export async function countBegun(db: DbOrTx, lease: Lease, by: 1 | -1): Promise<boolean> {
  const rows = await db
    .update(generationTasks)
    .set({ pollCount: sql`greatest(0, ${generationTasks.pollCount} + ${by})` })
    .where(and(holds(lease), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id });
  return rows.length === 1;
}

/** The row of the task is locked by the caller. False: nothing has changed. */
export async function setPaused(tx: Tx, taskId: string, paused: boolean): Promise<boolean> {
  const { pausedAt } = compositeTasks;
  const rows = await tx
    .update(compositeTasks)
    .set({ pausedAt: (paused ? sql`now()` : null) as never })
    .where(and(eq(compositeTasks.taskId, taskId), paused ? isNull(pausedAt) : isNotNull(pausedAt)))
    .returning({ taskId: compositeTasks.taskId });
  return rows.length === 1;
}

/** From then on no child is started. The row of the task is locked by the caller. False: it was stopped before. */
export async function setStopped(tx: Tx, taskId: string): Promise<boolean> {
  const rows = await tx
    .update(compositeTasks)
    .set({ stopRequestedAt: sql`now()` as never })
    .where(and(eq(compositeTasks.taskId, taskId), isNull(compositeTasks.stopRequestedAt)))
    .returning({ taskId: compositeTasks.taskId });
  return rows.length === 1;
}

/** A new deadline for what is waited for from now on; under the lease, which stays. */
export async function restartWait(tx: Tx, taskId: string, ms: number): Promise<void> {
  await tx
    .update(generationTasks)
    .set({ waitingFor: 'children', waitingUntil: inMs(ms) as never })
    .where(and(eq(generationTasks.id, taskId), eq(generationTasks.status, 'waiting')));
}

/** A word in the last moment has its effect: the deadline is not before the next look at it. */
export async function extendWait(tx: Tx, taskId: string): Promise<void> {
  await tx
    .update(generationTasks)
    .set({ waitingUntil: sql`greatest(${generationTasks.waitingUntil}, ${inMs(LEAST_LEFT_MS)})` as never })
    .where(and(eq(generationTasks.id, taskId), eq(generationTasks.status, 'waiting')));
}

const LEAST_LEFT_MS = 3_600_000;

/** Records a step once; false when one with this key is there. The row of the task is locked by the caller. */
export async function insertStep(
  tx: Tx,
  row: {
    taskId: string;
    key: string;
    kind: string;
    status?: StepStatus;
    childTaskId?: string;
    input: StepInput;
    result?: StepResult;
  },
): Promise<boolean> {
  const [last] = await tx
    .select({ seq: max(compositeSteps.seq) })
    .from(compositeSteps)
    .where(eq(compositeSteps.taskId, row.taskId));
  const ended = row.status !== undefined && hasEnded(row.status);
  const rows = await tx
    .insert(compositeSteps)
    .values({ ...row, seq: (last?.seq ?? 0) + 1, ...(ended ? { endedAt: sql`now()` as never } : {}) })
    .onConflictDoNothing()
    .returning({ id: compositeSteps.id });
  return rows.length === 1;
}

const hasEnded = (status: StepStatus): boolean => !['planned', 'awaiting', 'running'].includes(status);

/** Changes a step that is in one of the given statuses; false when it is not (any more). */
export async function updateStep(
  tx: Tx,
  input: {
    taskId: string;
    key: string;
    from: readonly StepStatus[];
    to: StepStatus;
    result?: StepResult;
    input?: StepInput;
    childTaskId?: string | null;
  },
): Promise<boolean> {
  const rows = await tx
    .update(compositeSteps)
    .set({
      status: input.to,
      ...(input.result === undefined ? {} : { result: input.result }),
      ...(input.input === undefined ? {} : { input: input.input }),
      ...(input.childTaskId === undefined ? {} : { childTaskId: input.childTaskId }),
      endedAt: (hasEnded(input.to) ? sql`now()` : null) as never,
    })
    .where(
      and(
        eq(compositeSteps.taskId, input.taskId),
        eq(compositeSteps.key, input.key),
        inArray(compositeSteps.status, [...input.from]),
      ),
    )
    .returning({ id: compositeSteps.id });
  return rows.length === 1;
}

/** The row of the task is locked by the caller, under its lease or as the user's. */
export async function updateComposite(
  tx: Tx,
  taskId: string,
  set: Partial<Pick<CompositeRow, 'phase' | 'plan' | 'estimateCredits'>>,
): Promise<void> {
  await tx
    .update(compositeTasks)
    .set({
      ...set,
      ...(set.plan === undefined ? {} : { planVersion: sql`${compositeTasks.planVersion} + 1` }),
    })
    .where(eq(compositeTasks.taskId, taskId));
}
