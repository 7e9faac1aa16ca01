import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
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

/** Titles of models by slug, also of those that are turned off. */
export async function readModelTitles(db: DbOrTx, slugs: readonly string[]): Promise<Record<string, string>> {
  if (slugs.length === 0) return {};
  const rows = await db
    .select({ slug: models.slug, title: models.title })
    .from(models)
    .where(inArray(models.slug, [...slugs]));
  return Object.fromEntries(rows.map(({ slug, title }) => [slug, title]));
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

/** Seconds from submit to result. */
export type ModelTimes = { p50Seconds: number; p90Seconds: number; count: number };

/** So many of the latest successes are looked at: the newest part of one index, whatever the table holds. */
const LATEST_SUCCESSES = 2_000;
const MOST_DAYS = 30;

/** Times of models by slug; composites are not among them, for they are as long as their steps. */
export async function readTimesBySlug(db: Db): Promise<ReadonlyMap<string, ModelTimes>> {
  const rows = await db.execute<{ slug: string; p50: number; p90: number; count: number }>(sql`
    with recent as materialized (
      select model_id, kind, extract(epoch from finished_at - submitted_at)::float8 as seconds
      from generation_tasks
      where status = 'succeeded'
        -- Ids carry the time of their making: the index ends the look-up, also where nothing was made for long.
        and id > (lpad(to_hex((extract(epoch from now() - make_interval(days => ${MOST_DAYS}::int)) * 1000)::bigint),
          12, '0') || '00000000000000000000')::uuid
      order by id desc limit ${LATEST_SUCCESSES})
    select m.slug, count(*)::int as count,
      percentile_cont(0.5) within group (order by r.seconds) as p50,
      percentile_cont(0.9) within group (order by r.seconds) as p90
    from recent r join models m on m.id = r.model_id
    where r.kind not in ('agent', 'drama')
    group by m.slug`);
  return new Map(
    rows.map(({ slug, p50, p90, count }) => [slug, { p50Seconds: p50, p90Seconds: p90, count }]),
  );
}
