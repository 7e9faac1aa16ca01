import { router, userProcedure } from '#server/trpc/init.ts';
import { listLibrary, readChoices } from './list-library.ts';
import {
  addToCollection,
  createCollection,
  removeCollection,
  removeFromCollection,
  renameCollection,
} from './manage-collections.ts';
import { deleteOutputs, markFavorite, restoreOutputs, trashOutputs } from './mark-outputs.ts';
import { readOutput } from './read-output.ts';
import { readStorage } from './read-storage.ts';
import {
  addToCollectionInput,
  collectionIdInput,
  createCollectionInput,
  favoriteInput,
  libraryFilter,
  libraryListInput,
  libraryOutputInput,
  outputIdsInput,
  removeFromCollectionInput,
  renameCollectionInput,
} from './schemas.ts';
import { measureArchive } from './zip-outputs.ts';

const reads = userProcedure.meta({ audience: 'user', scope: 'read' });

/** Everything that a person's tasks have made. Tokens may read; changes are for browser sessions. */
export const libraryRouter = router({
  list: reads
    .input(libraryListInput.optional())
    .query(({ ctx, input }) =>
      listLibrary(ctx.deps, { ...(input ?? libraryListInput.parse({})), userId: ctx.user.id }),
    ),

  get: reads
    .input(libraryOutputInput)
    .query(({ ctx, input }) => readOutput(ctx.deps, { ...input, userId: ctx.user.id })),

  choices: reads.query(({ ctx }) => readChoices(ctx.deps, ctx.user.id)),

  /** All files of a list as one archive: how much that is. The archive itself is at `/files/library.zip`. */
  archive: reads
    .input(libraryFilter.omit({ trash: true }))
    .query(({ ctx, input }) => measureArchive(ctx.deps, { filter: input, userId: ctx.user.id })),

  storage: reads.query(({ ctx }) => readStorage(ctx.deps, ctx.user.id)),

  favorite: userProcedure
    .input(favoriteInput)
    .mutation(({ ctx, input }) => markFavorite(ctx.deps, { ...input, userId: ctx.user.id })),

  trash: userProcedure
    .input(outputIdsInput)
    .mutation(({ ctx, input }) => trashOutputs(ctx.deps, { ...input, userId: ctx.user.id })),

  restore: userProcedure
    .input(outputIdsInput)
    .mutation(({ ctx, input }) => restoreOutputs(ctx.deps, { ...input, userId: ctx.user.id })),

  /** Only what is in the trash. */
  deleteForGood: userProcedure
    .input(outputIdsInput)
    .mutation(({ ctx, input }) => deleteOutputs(ctx.deps, { ...input, userId: ctx.user.id })),

  collections: router({
    create: userProcedure
      .input(createCollectionInput)
      .mutation(({ ctx, input }) => createCollection(ctx.deps, { ...input, userId: ctx.user.id })),

    rename: userProcedure
      .input(renameCollectionInput)
      .mutation(({ ctx, input }) => renameCollection(ctx.deps, { ...input, userId: ctx.user.id })),

    remove: userProcedure
      .input(collectionIdInput)
      .mutation(({ ctx, input }) => removeCollection(ctx.deps, { ...input, userId: ctx.user.id })),

    addOutputs: userProcedure
      .input(addToCollectionInput)
      .mutation(({ ctx, input }) => addToCollection(ctx.deps, { ...input, userId: ctx.user.id })),

    removeOutputs: userProcedure
      .input(removeFromCollectionInput)
      .mutation(({ ctx, input }) => removeFromCollection(ctx.deps, { ...input, userId: ctx.user.id })),
  }),
});
