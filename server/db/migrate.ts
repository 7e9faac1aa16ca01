import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { isSchemaMissing } from './errors.ts';

/** Oldest server that the SQL of this product runs on (`server_version_num`). */
const OLDEST_SERVER = 150_000;

/** Key of the advisory lock: the letters "sidelane" as a number. Old and new migrators must share it, so it stays. */
const LOCK_KEY = '8316288573689130597';

type JournalEntry = { tag: string; when: number };

export type MigrateOptions = {
  /** A direct connection: session locks do not pass a transaction-mode pooler. */
  url: string;
  /** Folder of migrations; by default the repository's `drizzle/`. */
  folder?: string;
  /** Called once when another migrator holds the lock. */
  onWait?: () => void;
};

/** The database cannot be migrated; the message says what to do. */
class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigrationError';
  }
}

/** `drizzle/` of this checkout, seen from the sources as well as from a bundle in `dist/`. */
export function migrationsFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = path.join(folder, 'drizzle');
    if (existsSync(path.join(candidate, 'meta', '_journal.json'))) return candidate;
    const parent = path.dirname(folder);
    if (parent === folder) throw new MigrationError('The folder drizzle/ with the migrations is missing.');
    folder = parent;
  }
}

function readJournal(folder: string): JournalEntry[] {
  return (
    JSON.parse(readFileSync(path.join(folder, 'meta', '_journal.json'), 'utf8')) as {
      entries: JournalEntry[];
    }
  ).entries;
}

/**
 * Applies what is missing, in one transaction, under a session advisory lock: of several that start at once one works
 * and the others find nothing to do. Writes the table that `npx drizzle-kit migrate` writes.
 *
 * @returns the tags applied, oldest first
 * @throws MigrationError when the server is too old, cannot be reached, or a migration fails (then none is applied)
 */
export async function migrateDatabase(options: MigrateOptions): Promise<string[]> {
  const folder = options.folder ?? migrationsFolder();
  // One connection that never retires: the lock belongs to its session.
  const sql = postgres(options.url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 10,
    onnotice: () => {},
    connection: {
      application_name: 'sidelane-migrate',
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
    },
  });
  try {
    await checkServer(sql);
    const [attempt] = await sql<
      { locked: boolean }[]
    >`select pg_try_advisory_lock(${LOCK_KEY}::bigint) as locked`;
    if (!attempt?.locked) {
      options.onWait?.();
      await sql`select pg_advisory_lock(${LOCK_KEY}::bigint)`;
    }
    const before = await pendingMigrations(sql, folder);
    await migrate(drizzle(sql), { migrationsFolder: folder });
    const skipped = await pendingMigrations(sql, folder);
    if (skipped.length > 0) {
      throw new MigrationError(
        `${skipped.join(', ')} is older than the last migration applied and was skipped: delete it and generate it again.`,
      );
    }
    return before;
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    throw new MigrationError(`The migration failed, nothing was applied: ${rootMessage(error)}`, {
      cause: error,
    });
  } finally {
    // Ending the session gives the lock back.
    await sql.end({ timeout: 5 });
  }
}

async function checkServer(sql: postgres.Sql): Promise<void> {
  let version: number;
  try {
    const [row] = await sql<{ version: string }[]>`select current_setting('server_version_num') as version`;
    version = Number(row?.version);
  } catch (error) {
    throw new MigrationError(`The database does not answer (${rootMessage(error)}): check DATABASE_URL.`, {
      cause: error,
    });
  }
  if (!(version >= OLDEST_SERVER)) {
    throw new MigrationError(`PostgreSQL ${Math.floor(version / 10_000)} is too old: use 15 or newer.`);
  }
}

/** Tags of migrations that this code expects and the database lacks, oldest first. All of them on an empty database. */
export async function pendingMigrations(sql: postgres.Sql, folder = migrationsFolder()): Promise<string[]> {
  const expected = readJournal(folder);
  try {
    const rows = await sql<{ created_at: string }[]>`select created_at from drizzle.__drizzle_migrations`;
    const applied = new Set(rows.map((row) => Number(row.created_at)));
    return expected.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag);
  } catch (error) {
    if (isSchemaMissing(error)) return expected.map(({ tag }) => tag);
    throw error;
  }
}

/** How many migrations this code has. */
export const knownMigrations = (): number => readJournal(migrationsFolder()).length;

/** Whether the database has every migration that this code expects. */
export async function isMigrated(sql: postgres.Sql, folder?: string): Promise<boolean> {
  return (await pendingMigrations(sql, folder)).length === 0;
}

/** The innermost reason in one line: Drizzle's wrapper quotes the statement, the driver says what was wrong. */
function rootMessage(error: unknown): string {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  if (current instanceof AggregateError) current = current.errors[0];
  const text = current instanceof Error ? current.message || current.name : String(current);
  return text.split('\n')[0] ?? text;
}
