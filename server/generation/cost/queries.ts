import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { dispatches } from '#server/db/schema/index.ts';
import type { Usage } from '#server/providers/provider.ts';
import type { KnownCost } from './cost-of.ts';

/** What upstream takes for this model on this account now, as it is written there; null: not known. */
export async function readCost(
  db: DbOrTx,
  target: { modelId: string; channelId: string; upstreamModel: string },
): Promise<unknown> {
  const on = (table: SQL, modelId: SQL) => sql`
    select cost from ${table} where ${modelId} = ${target.modelId}
      and channel_id = ${target.channelId} and upstream_model = ${target.upstreamModel}`;
  const [row] = await db.execute<{ cost: unknown }>(sql`
    select coalesce((${on(sql`model_candidates`, sql`model_id`)}), (${on(sql`models`, sql`id`)})) as cost`);
  return row?.cost ?? null;
}

/** What upstream says that a job used and took, with the answer that says it. */
export async function saveUsage(tx: DbOrTx, dispatchId: string, usage: Usage): Promise<void> {
  await tx.update(dispatches).set({ usage }).where(eq(dispatches.id, dispatchId));
}

/** Once: what is known stays. */
export async function saveCost(tx: Tx, dispatchId: string, { micros, from }: KnownCost): Promise<void> {
  await tx
    .update(dispatches)
    .set({ costMicros: micros, costFrom: from })
    .where(and(eq(dispatches.id, dispatchId), isNull(dispatches.costMicros)));
}
