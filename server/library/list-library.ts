import type { Deps } from '#server/deps.ts';
import { listCollections } from './collection-queries.ts';
import { listItems, listUsedModels, type Place } from './queries.ts';
import type { LibraryChoices, LibraryListInput, LibraryPage } from './schemas.ts';

type LibraryDeps = Pick<Deps, 'db'>;

/** A person's files, those of the newest task first. One statement, however many there are. */
export async function listLibrary(
  deps: LibraryDeps,
  input: LibraryListInput & { userId: string },
): Promise<LibraryPage> {
  const { userId, cursor, limit, ...filter } = input;
  const found = await listItems(deps.db, { userId, filter, after: readCursor(cursor), limit: limit + 1 });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: last && found.length > limit ? `${last.taskId}.${last.ordinal}` : null };
}

function readCursor(cursor: string | undefined): Place | undefined {
  const [taskId, ordinal] = cursor?.split('.') ?? [];
  return taskId && ordinal ? { taskId, ordinal: Math.min(Number(ordinal), 2_147_483_647) } : undefined;
}

/** What the filters of the library can be set to. */
export async function readChoices(deps: LibraryDeps, userId: string): Promise<LibraryChoices> {
  const [collections, models] = await Promise.all([
    listCollections(deps.db, userId),
    listUsedModels(deps.db, userId),
  ]);
  return { collections, models };
}
