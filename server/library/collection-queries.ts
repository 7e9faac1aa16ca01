import { and, eq, sql } from 'drizzle-orm';
import type { Db, Tx } from '#server/db/client.ts';
import { collections } from '#server/db/schema/library.ts';
import { uuidArray } from '#server/lib/leases.ts';
import { type CollectionView, MAX_COLLECTIONS } from './schemas.ts';

const own = (userId: string, collectionId: string) =>
  and(eq(collections.userId, userId), eq(collections.id, collectionId));

/** With how many files are shown in each. */
export async function listCollections(db: Db, userId: string): Promise<CollectionView[]> {
  return await db.execute<CollectionView>(sql`
    select c.id, c.name, (
      select count(*)::int from collection_outputs x join outputs o on o.id = x.output_id
      where x.collection_id = c.id and o.trashed_at is null and o.removed_at is null) as outputs
    from collections c where c.user_id = ${userId} order by lower(c.name), c.id limit ${MAX_COLLECTIONS}`);
}

export async function findCollectionName(
  db: Db,
  input: { userId: string; collectionId: string },
): Promise<string | undefined> {
  const [row] = await db
    .select({ name: collections.name })
    .from(collections)
    .where(own(input.userId, input.collectionId));
  return row?.name;
}

/** Undefined: there is one of this name, or there are too many. */
export async function insertCollection(
  db: Db,
  input: { id: string; userId: string; name: string },
): Promise<'made' | 'taken' | 'too_many'> {
  const rows = await db.execute<{ made: number; total: number }>(sql`
    with present as (select count(*)::int as total from collections where user_id = ${input.userId}),
    made as (
      insert into collections (id, user_id, name)
      select ${input.id}::uuid, ${input.userId}::uuid, ${input.name} from present where total < ${MAX_COLLECTIONS}
      on conflict do nothing returning 1)
    select (select count(*)::int from made) as made, total from present`);
  const [row] = rows;
  if (row?.made) return 'made';
  return (row?.total ?? 0) >= MAX_COLLECTIONS ? 'too_many' : 'taken';
}

export async function isNameTaken(
  tx: Tx,
  input: { userId: string; collectionId: string; name: string },
): Promise<boolean> {
  const [row] = await tx.execute(sql`
    select 1 from collections
    where user_id = ${input.userId} and lower(name) = lower(${input.name}) and id <> ${input.collectionId}`);
  return row !== undefined;
}

export async function saveName(
  tx: Tx,
  input: { userId: string; collectionId: string; name: string },
): Promise<boolean> {
  const rows = await tx
    .update(collections)
    .set({ name: input.name })
    .where(own(input.userId, input.collectionId))
    .returning({ id: collections.id });
  return rows.length > 0;
}

/** The files stay. */
export async function deleteCollection(
  db: Db,
  input: { userId: string; collectionId: string },
): Promise<boolean> {
  const rows = await db
    .delete(collections)
    .where(own(input.userId, input.collectionId))
    .returning({ id: collections.id });
  return rows.length > 0;
}

/** Locks it against being deleted meanwhile. False: it is not this person's, or gone. */
export async function lockCollection(
  tx: Tx,
  input: { userId: string; collectionId: string },
): Promise<boolean> {
  const rows = await tx
    .select({ id: collections.id })
    .from(collections)
    .where(own(input.userId, input.collectionId))
    .for('key share');
  return rows.length > 0;
}

/** How many are in it that were not. */
export async function insertMembers(
  tx: Tx,
  input: { userId: string; collectionId: string; outputIds: readonly string[] },
): Promise<number> {
  const rows = await tx.execute(sql`
    insert into collection_outputs (collection_id, output_id)
    select ${input.collectionId}::uuid, o.id from outputs o join generation_tasks t on t.id = o.task_id
    where o.id = any(${uuidArray(input.outputIds)}) and t.user_id = ${input.userId} and o.removed_at is null
    order by o.id on conflict do nothing returning 1`);
  return rows.length;
}

export async function deleteMembers(
  tx: Tx,
  input: { collectionId: string; outputIds: readonly string[] },
): Promise<number> {
  // In the order of their ids, as they are put in: two selections that overlap never wait for each other.
  const rows = await tx.execute(sql`
    with chosen as materialized (
      select output_id from collection_outputs
      where collection_id = ${input.collectionId} and output_id = any(${uuidArray(input.outputIds)})
      order by output_id for update)
    delete from collection_outputs c using chosen
    where c.collection_id = ${input.collectionId} and c.output_id = chosen.output_id returning 1`);
  return rows.length;
}
