import { asc, eq } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { creditPacks } from '#server/db/schema/index.ts';

export type PackRow = typeof creditPacks.$inferSelect;

/** Packs in the order in which the shop shows them. */
export async function listPacks(db: DbOrTx, input: { enabledOnly: boolean }): Promise<PackRow[]> {
  return db
    .select()
    .from(creditPacks)
    .where(input.enabledOnly ? eq(creditPacks.enabled, true) : undefined)
    .orderBy(asc(creditPacks.position), asc(creditPacks.id));
}

export async function findPack(db: DbOrTx, packId: string): Promise<PackRow | undefined> {
  const [row] = await db.select().from(creditPacks).where(eq(creditPacks.id, packId));
  return row;
}

export async function lockPack(tx: Tx, packId: string): Promise<PackRow | undefined> {
  const [row] = await tx.select().from(creditPacks).where(eq(creditPacks.id, packId)).for('no key update');
  return row;
}

/** @returns false when there is a pack of this id already */
export async function insertPack(tx: Tx, pack: typeof creditPacks.$inferInsert): Promise<boolean> {
  const rows = await tx
    .insert(creditPacks)
    .values(pack)
    .onConflictDoNothing()
    .returning({ id: creditPacks.id });
  return rows.length === 1;
}

export async function updatePack(
  tx: Tx,
  packId: string,
  set: Partial<typeof creditPacks.$inferInsert>,
): Promise<void> {
  await tx.update(creditPacks).set(set).where(eq(creditPacks.id, packId));
}
