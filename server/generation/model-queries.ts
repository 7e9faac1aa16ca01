import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Db, DbOrTx } from '#server/db/client.ts';
import { modelCandidates, models, providerChannels, providerKeys } from '#server/db/schema/index.ts';

/** An account that may take a model's tasks, with its current key. */
export type CandidateRow = {
  channel: typeof providerChannels.$inferSelect;
  keyId: string | null;
  upstreamModel: string;
  endpoint: string;
};

/** A model with the accounts that may take its tasks: its own channel first, then the others by priority. */
export type ModelRow = { model: typeof models.$inferSelect; candidates: CandidateRow[] };

export async function findModel(db: DbOrTx, slug: string): Promise<ModelRow | undefined> {
  const [model] = await db.select().from(models).where(eq(models.slug, slug));
  return model && (await withCandidates(db, [model]))[0];
}

/** Enabled models in the order of display, whatever their channels are doing. */
export async function listEnabledModels(db: Db): Promise<ModelRow[]> {
  const rows = await db
    .select()
    .from(models)
    .where(eq(models.enabled, true))
    .orderBy(models.sortOrder, models.title);
  return withCandidates(db, rows);
}

async function withCandidates(
  db: DbOrTx,
  rows: readonly (typeof models.$inferSelect)[],
): Promise<ModelRow[]> {
  if (rows.length === 0) return [];
  const further = await db
    .select()
    .from(modelCandidates)
    .where(
      inArray(
        modelCandidates.modelId,
        rows.map((row) => row.id),
      ),
    )
    .orderBy(modelCandidates.priority);
  const channels = await readChannels(
    db,
    [...rows, ...further].map((row) => row.channelId),
  );
  return rows.map((model) => ({
    model,
    candidates: [model, ...further.filter((row) => row.modelId === model.id)].flatMap((row) => {
      const found = channels.get(row.channelId);
      return found ? [{ ...found, upstreamModel: row.upstreamModel, endpoint: row.endpoint }] : [];
    }),
  }));
}

async function readChannels(db: DbOrTx, ids: readonly string[]) {
  const rows = await db
    .select({ channel: providerChannels, keyId: providerKeys.id })
    .from(providerChannels)
    .leftJoin(
      providerKeys,
      and(eq(providerKeys.channelId, providerChannels.id), isNull(providerKeys.retiredAt)),
    )
    .where(inArray(providerChannels.id, [...new Set(ids)]));
  return new Map(rows.map((row) => [row.channel.id, row]));
}
