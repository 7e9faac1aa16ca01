import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import {
  deleteCollection,
  deleteMembers,
  insertCollection,
  insertMembers,
  isNameTaken,
  lockCollection,
  saveName,
} from './collection-queries.ts';
import { MAX_COLLECTIONS } from './schemas.ts';

type CollectionRef = { userId: string; collectionId: string };

/** @throws AppError `conflict` when there is one of this name, or there are too many */
export async function createCollection(
  deps: Pick<Deps, 'db' | 'newId'>,
  input: { userId: string; name: string },
): Promise<{ id: string; name: string }> {
  const id = deps.newId();
  const answer = await insertCollection(deps.db, { ...input, id });
  if (answer === 'taken') throw nameTaken();
  if (answer === 'too_many') {
    throw new AppError('conflict', `You have ${MAX_COLLECTIONS} collections. Delete one first.`);
  }
  return { id, name: input.name };
}

/** @throws AppError `conflict` when another one has this name, `not_found` */
export async function renameCollection(
  deps: Pick<Deps, 'db'>,
  input: CollectionRef & { name: string },
): Promise<{ id: string; name: string }> {
  await deps.db.transaction(async (tx) => {
    if (await isNameTaken(tx, input)) throw nameTaken();
    if (!(await saveName(tx, input))) throw noCollection();
  });
  return { id: input.collectionId, name: input.name };
}

/** The files stay in the library. @throws AppError `not_found` */
export async function removeCollection(
  deps: Pick<Deps, 'db'>,
  input: CollectionRef,
): Promise<{ id: string }> {
  if (!(await deleteCollection(deps.db, input))) throw noCollection();
  return { id: input.collectionId };
}

/**
 * Puts files into a collection, and takes them out of another one when they move. Files of others are left out.
 *
 * @returns how many are in it that were not
 * @throws AppError `not_found`
 */
export async function addToCollection(
  deps: Pick<Deps, 'db'>,
  input: CollectionRef & { outputIds: readonly string[]; from?: string },
): Promise<{ added: number }> {
  return deps.db.transaction(async (tx) => {
    if (!(await lockCollection(tx, input))) throw noCollection();
    const added = await insertMembers(tx, input);
    if (input.from && input.from !== input.collectionId) {
      await takeOut(tx, { ...input, collectionId: input.from });
    }
    return { added };
  });
}

/** @throws AppError `not_found` */
export async function removeFromCollection(
  deps: Pick<Deps, 'db'>,
  input: CollectionRef & { outputIds: readonly string[] },
): Promise<{ removed: number }> {
  return deps.db.transaction(async (tx) => ({ removed: await takeOut(tx, input) }));
}

type Tx = Parameters<typeof lockCollection>[0];

async function takeOut(tx: Tx, input: CollectionRef & { outputIds: readonly string[] }): Promise<number> {
  if (!(await lockCollection(tx, input))) throw noCollection();
  return deleteMembers(tx, input);
}

const noCollection = () => new AppError('not_found', 'There is no such collection.');
const nameTaken = () =>
  new AppError('conflict', 'You have a collection of this name. Choose another one.', { field: 'name' });
