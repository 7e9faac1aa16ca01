import { isSchemaMissing } from '#server/db/errors.ts';

export const NOT_MIGRATED = 'The database is not migrated: run npm run db:migrate.';

/** Runs a knock; when the tables are not there (yet), answers that nothing was found and why, instead of failing. */
export async function whenMigrated<T>(run: () => Promise<T>, nothing: (message: string) => T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isSchemaMissing(error)) return nothing(NOT_MIGRATED);
    throw error;
  }
}
