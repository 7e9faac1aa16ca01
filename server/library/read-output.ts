import type { Deps } from '#server/deps.ts';
import { readModels } from '#server/generation/read-tasks.ts';
import { AppError } from '#server/lib/app-error.ts';
import { followUpsOf } from './follow-ups.ts';
import { findItem, findNeighbours } from './queries.ts';
import type { LibraryOutputInput, LibraryOutputView } from './schemas.ts';
import { toShareView } from './share-links.ts';
import { listSharesOf } from './share-queries.ts';

/**
 * One file with everything its page shows, and the files beside it in the list that it is looked at in.
 *
 * @throws AppError `not_found`, the same for a foreign file as for none and for one that was removed
 */
export async function readOutput(
  deps: Deps,
  input: LibraryOutputInput & { userId: string },
): Promise<LibraryOutputView> {
  const { userId, outputId, ...filter } = input;
  const found = await findItem(deps.db, { userId, outputId });
  if (!found) throw new AppError('not_found', 'There is no such file in your library.');
  const { taskKind, chargedCredits, delivered, ...item } = found;
  const [neighbours, models, shares] = await Promise.all([
    findNeighbours(deps.db, {
      userId,
      filter: { ...filter, trash: item.trashedAt !== null },
      place: { taskId: item.taskId, ordinal: item.ordinal },
    }),
    readModels(deps),
    listSharesOf(deps.db, { userId, outputId }),
  ]);
  return {
    ...item,
    task: { id: item.taskId, kind: taskKind },
    cost: chargedCredits === null ? null : { chargedCredits, outputs: delivered },
    ...(item.trashedAt === null
      ? followUpsOf(item, models, deps.config.maxUploadBytes)
      : { followUps: [], noFollowUps: null }),
    shares: shares.map((row) => toShareView(deps, row)),
    ...neighbours,
  };
}
