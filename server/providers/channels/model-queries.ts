import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { modelCandidates, models, providerChannels } from '#server/db/schema/channels.ts';
import type { AdminModelView, CandidateView } from './models/schemas.ts';

export type ModelRow = typeof models.$inferSelect;
export type ModelChange = Partial<
  Omit<ModelRow, 'id' | 'slug' | 'kind' | 'channelId' | 'createdAt' | 'updatedAt'>
>;

const channelView = {
  id: providerChannels.id,
  name: providerChannels.name,
  protocol: providerChannels.protocol,
  enabled: providerChannels.enabled,
};

/** All models, disabled ones too, in display order. */
export async function listModels(db: DbOrTx): Promise<AdminModelView[]> {
  const rows = await db
    .select({ model: models, channel: channelView })
    .from(models)
    .innerJoin(providerChannels, eq(providerChannels.id, models.channelId))
    .orderBy(models.kind, models.sortOrder, models.title, models.id);
  const candidates = await listCandidates(
    db,
    rows.map(({ model }) => model.id),
  );
  return rows.map(({ model, channel }) => {
    const { channelId: _channelId, createdAt: _createdAt, updatedAt: _updatedAt, ...view } = model;
    return { ...view, channel, candidates: candidates.get(model.id) ?? [] };
  });
}

/** Further candidates by model, in the order in which they are tried. */
export async function listCandidates(
  db: DbOrTx,
  modelIds: readonly string[],
): Promise<Map<string, CandidateView[]>> {
  if (modelIds.length === 0) return new Map();
  const rows = await db
    .select({ candidate: modelCandidates, channel: channelView })
    .from(modelCandidates)
    .innerJoin(providerChannels, eq(providerChannels.id, modelCandidates.channelId))
    .where(inArray(modelCandidates.modelId, [...modelIds]))
    .orderBy(asc(modelCandidates.priority));
  const byModel = new Map<string, CandidateView[]>();
  for (const { candidate, channel } of rows) {
    const { id, modelId, upstreamModel, endpoint, priority, cost } = candidate;
    const list = byModel.get(modelId) ?? [];
    byModel.set(modelId, [...list, { id, channel, upstreamModel, endpoint, priority, cost }]);
  }
  return byModel;
}

/** The model, locked until the transaction ends, so that changes of it and of its candidates queue up. */
export async function lockModel(tx: DbOrTx, modelId: string): Promise<ModelRow | undefined> {
  const [row] = await tx.select().from(models).where(eq(models.id, modelId)).for('no key update');
  return row;
}

export async function findModelKind(tx: DbOrTx, modelId: string): Promise<ModelRow['kind'] | undefined> {
  const [row] = await tx.select({ kind: models.kind }).from(models).where(eq(models.id, modelId));
  return row?.kind;
}

/** Models of a kind as people see them, locked until the transaction ends: moves of two administrators queue up. */
export async function lockKind(
  tx: DbOrTx,
  kind: ModelRow['kind'],
): Promise<{ id: string; sortOrder: number }[]> {
  return tx
    .select({ id: models.id, sortOrder: models.sortOrder })
    .from(models)
    .where(eq(models.kind, kind))
    .orderBy(models.sortOrder, models.title, models.id)
    .for('no key update');
}

export async function insertModels(db: DbOrTx, values: (typeof models.$inferInsert)[]): Promise<void> {
  if (values.length > 0) await db.insert(models).values(values);
}

export async function saveModel(tx: DbOrTx, modelId: string, set: ModelChange): Promise<void> {
  await tx
    .update(models)
    .set({ ...set, updatedAt: sql`now()` })
    .where(eq(models.id, modelId));
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

export async function insertCandidate(
  tx: DbOrTx,
  values: typeof modelCandidates.$inferInsert,
): Promise<void> {
  await tx.insert(modelCandidates).values(values);
}

export async function saveCandidateCost(
  tx: DbOrTx,
  candidateId: string,
  cost: CandidateView['cost'],
): Promise<void> {
  await tx.update(modelCandidates).set({ cost }).where(eq(modelCandidates.id, candidateId));
}

export async function deleteCandidate(tx: DbOrTx, modelId: string, candidateId: string): Promise<void> {
  await tx
    .delete(modelCandidates)
    .where(and(eq(modelCandidates.id, candidateId), eq(modelCandidates.modelId, modelId)));
}

/**
 * Numbers the candidates of a locked model from 1 in this order. A unique index is checked row by row, so all of them
 * move out of the way first: `gap` is larger than any priority in use.
 */
export async function numberCandidates(
  tx: DbOrTx,
  modelId: string,
  candidateIds: readonly string[],
  gap: number,
): Promise<void> {
  const { id, priority } = modelCandidates;
  const ofModel = eq(modelCandidates.modelId, modelId);
  await tx
    .update(modelCandidates)
    .set({ priority: sql`${priority} + ${gap}` })
    .where(ofModel);
  for (const [index, candidateId] of candidateIds.entries()) {
    await tx
      .update(modelCandidates)
      .set({ priority: index + 1 })
      .where(and(ofModel, eq(id, candidateId)));
  }
}
