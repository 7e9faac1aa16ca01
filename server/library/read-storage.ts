import type { Deps } from '#server/deps.ts';
import { sumStorage } from './queries.ts';
import type { StorageView } from './schemas.ts';

/** How much room a person's files take. */
export async function readStorage(deps: Pick<Deps, 'db'>, userId: string): Promise<StorageView> {
  return sumStorage(deps.db, userId);
}
