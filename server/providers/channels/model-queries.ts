import { eq, inArray, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { models, providerChannels } from '#server/db/schema/channels.ts';
import type { AdminModelView } from './schemas.ts';

type ModelRow = typeof models.$inferSelect;
type ModelChange = Partial<Omit<ModelRow, 'id' | 'slug' | 'kind' | 'channelId' | 'createdAt' | 'updatedAt'>>;

/** All models, disabled ones too, in display order. */
export async function listModels(db: DbOrTx): Promise<AdminModelView[]> {
  const rows = await db
    .select({
      model: models,
      channel: { id: providerChannels.id, name: providerChannels.name, enabled: providerChannels.enabled },
    })
    .from(models)
    .innerJoin(providerChannels, eq(providerChannels.id, models.channelId))
    .orderBy(models.kind, models.sortOrder, models.title);
  return rows.map(({ model, channel }) => {
    const { channelId: _channelId, createdAt: _createdAt, updatedAt: _updatedAt, ...view } = model;
    return { ...view, channel };
  });
}

export async function findModel(db: DbOrTx, modelId: string): Promise<ModelRow | undefined> {
  const [row] = await db.select().from(models).where(eq(models.id, modelId));
  return row;
}

export async function insertModels(db: DbOrTx, values: (typeof models.$inferInsert)[]): Promise<void> {
  if (values.length > 0) await db.insert(models).values(values);
}

/** False when there is no such model. */
export async function saveModel(db: DbOrTx, modelId: string, set: ModelChange): Promise<boolean> {
  const rows = await db
    .update(models)
    .set({ ...set, updatedAt: sql`now()` })
    .where(eq(models.id, modelId))
    .returning({ id: models.id });
  return rows.length > 0;
}

/** Which of these public names are in use. */
export async function takenSlugs(db: DbOrTx, slugs: readonly string[]): Promise<Set<string>> {
  if (slugs.length === 0) return new Set();
  const rows = await db
    .select({ slug: models.slug })
    .from(models)
    .where(inArray(models.slug, [...slugs]));
  return new Set(rows.map((row) => row.slug));
}
