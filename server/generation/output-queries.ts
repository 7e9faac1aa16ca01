import { eq } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { generationTaskDetails, outputs } from '#server/db/schema/index.ts';
import type { TaskSnapshot } from './schemas.ts';

export async function saveArtefacts(
  tx: DbOrTx,
  taskId: string,
  patch: Partial<
    Pick<typeof generationTaskDetails.$inferInsert, 'artefacts' | 'reportedUnits' | 'rawResult'>
  >,
): Promise<void> {
  await tx.update(generationTaskDetails).set(patch).where(eq(generationTaskDetails.taskId, taskId));
}

/** Puts the next account's conditions in the place of those of the one that refused. */
export async function saveSnapshot(tx: Tx, taskId: string, snapshot: TaskSnapshot): Promise<void> {
  await tx.update(generationTaskDetails).set({ snapshot }).where(eq(generationTaskDetails.taskId, taskId));
}

export async function saveFailure(
  tx: Tx,
  taskId: string,
  patch: { failureMessage: string; failureDetail: string | null },
): Promise<void> {
  await tx.update(generationTaskDetails).set(patch).where(eq(generationTaskDetails.taskId, taskId));
}

/** Records a stored artefact once; a second one with the same ordinal is ignored. */
export async function insertOutput(db: DbOrTx, row: typeof outputs.$inferInsert): Promise<boolean> {
  const rows = await db.insert(outputs).values(row).onConflictDoNothing().returning({ id: outputs.id });
  return rows.length === 1;
}

export async function listOutputs(db: DbOrTx, taskId: string): Promise<(typeof outputs.$inferSelect)[]> {
  return db.select().from(outputs).where(eq(outputs.taskId, taskId)).orderBy(outputs.ordinal);
}
