import type { Deps } from '#server/deps.ts';
import { saveFavorite, saveGone, saveRestored, saveTrashed } from './mark-queries.ts';

type Selection = { userId: string; outputIds: readonly string[] };
type LibraryDeps = Pick<Deps, 'db'>;
/** Ids of the files that were changed: others of the selection are somebody else's, or not there any more. */
type Changed = { outputIds: string[] };

export async function markFavorite(
  deps: LibraryDeps,
  input: Selection & { favorite: boolean },
): Promise<Changed> {
  return { outputIds: await saveFavorite(deps.db, input) };
}

/**
 * Throws files away: they are hidden at once, their share links stop, and they are removed after 30 days. What tasks
 * under way have made, or need for a film or a run, stays until they have ended. No money moves.
 */
export async function trashOutputs(deps: LibraryDeps, input: Selection): Promise<Changed> {
  return { outputIds: await saveTrashed(deps.db, input) };
}

/** Takes files back out of the trash; their share links work again. */
export async function restoreOutputs(deps: LibraryDeps, input: Selection): Promise<Changed> {
  return { outputIds: await saveRestored(deps.db, input) };
}

/** Has files of the trash removed with the next turn of the retention lane. They cannot be taken back. */
export async function deleteOutputs(deps: LibraryDeps, input: Selection): Promise<Changed> {
  return { outputIds: await saveGone(deps.db, input) };
}
