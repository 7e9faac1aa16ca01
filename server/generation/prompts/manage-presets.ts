import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { deletePreset, listPresets, upsertPreset } from './prompt-queries.ts';
import { MAX_PRESETS, type PresetView } from './schemas.ts';

/** Keeps parameters of a model under a name; the name's earlier ones are replaced. @throws AppError `conflict` past the most presets */
export async function savePreset(
  deps: Pick<Deps, 'db' | 'newId'>,
  input: { userId: string; model: string; name: string; params: Record<string, unknown> },
): Promise<{ id: string }> {
  const id = await upsertPreset(deps.db, { ...input, id: deps.newId() }, MAX_PRESETS);
  if (!id) throw new AppError('conflict', `This model has ${MAX_PRESETS} presets. Delete one first.`);
  return { id };
}

/** A person's presets of a model, by name. */
export function readPresets(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; model: string },
): Promise<PresetView[]> {
  return listPresets(deps.db, input);
}

/** Nothing happens when it is not there, or not theirs. */
export function removePreset(deps: Pick<Deps, 'db'>, input: { userId: string; id: string }): Promise<void> {
  return deletePreset(deps.db, input);
}
