import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { isMigrated, migrateDatabase, migrationsFolder, pendingMigrations } from './migrate.ts';

let t: TestDatabase;
let copy: string;
beforeEach(async () => {
  t = await createTestDatabase({ migrated: false, max: 4 });
  copy = mkdtempSync(path.join(os.tmpdir(), 'sidelane-migrations-'));
  cpSync(migrationsFolder(), copy, { recursive: true });
});
afterEach(async () => {
  rmSync(copy, { recursive: true, force: true });
  await t.close();
});

type Journal = {
  entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[];
};
const journalOf = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, 'meta', '_journal.json'), 'utf8')) as Journal;
const allTags = () => journalOf(migrationsFolder()).entries.map(({ tag }) => tag);

/** Adds a migration to the copied folder, `offset` milliseconds after (before, if negative) the last one. */
function addMigration(tag: string, statement: string, offset: number): void {
  const journal = journalOf(copy);
  const last = journal.entries.at(-1);
  if (!last) throw new Error('The journal is empty.');
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + offset, tag });
  writeFileSync(path.join(copy, 'meta', '_journal.json'), JSON.stringify(journal));
  writeFileSync(path.join(copy, `${tag}.sql`), statement);
}

const appliedRows = async () => {
  const [row] = await t.sql<
    { count: number }[]
  >`select count(*)::int as count from drizzle.__drizzle_migrations`;
  return row?.count;
};

const drizzleKit = (args: string[], url: string | undefined) =>
  promisify(execFile)(process.execPath, ['node_modules/drizzle-kit/bin.cjs', ...args], {
    env: { ...process.env, DATABASE_URL: url ?? '', DATABASE_DIRECT_URL: '' },
  });

test('applies all migrations to an empty database, and nothing the second time', async () => {
  expect(await pendingMigrations(t.sql)).toEqual(allTags());
  expect(await isMigrated(t.sql)).toBe(false);
  expect(await migrateDatabase({ url: t.url })).toEqual(allTags());
  expect(await isMigrated(t.sql)).toBe(true);
  expect(await migrateDatabase({ url: t.url })).toEqual([]);
  expect(await appliedRows()).toBe(allTags().length);
});

test('of several migrators that start at once one works and the others find nothing to do', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => migrateDatabase({ url: t.url })));
  expect(results.filter((tags) => tags.length > 0)).toEqual([allTags()]);
  expect(await appliedRows()).toBe(allTags().length);
});

test('waits for the holder of the lock and says so once', async () => {
  const holder = await t.sql.reserve();
  const waiting: string[] = [];
  await holder`select pg_advisory_lock(8316288573689130597)`;
  const run = migrateDatabase({ url: t.url, onWait: () => waiting.push('waiting') });
  await expect.poll(() => waiting).toEqual(['waiting']);
  expect(await pendingMigrations(t.sql)).toEqual(allTags());
  await holder`select pg_advisory_unlock(8316288573689130597)`;
  holder.release();
  expect(await run).toEqual(allTags());
});

test('drizzle-kit migrate and ours apply the same files, in either order', async () => {
  await drizzleKit(['migrate'], t.url);
  expect(await isMigrated(t.sql)).toBe(true);
  expect(await migrateDatabase({ url: t.url })).toEqual([]);

  const other = await createTestDatabase({ migrated: false });
  try {
    await migrateDatabase({ url: other.url });
    await drizzleKit(['migrate'], other.url);
    expect(await isMigrated(other.sql)).toBe(true);
  } finally {
    await other.close();
  }
  expect(await appliedRows()).toBe(allTags().length);
});

test('drizzle-kit without DATABASE_URL says in one line what to do', async () => {
  const failure = await drizzleKit(['migrate'], undefined).then(
    () => undefined,
    (error: { code: number; stderr: string }) => error,
  );
  expect(failure?.code).toBe(1);
  expect(failure?.stderr.trim()).toMatch(/^DATABASE_URL is not set: .*npm run db:migrate.*$/);
});

test('a database behind the code names what it lacks', async () => {
  await migrateDatabase({ url: t.url });
  addMigration('0099_later', 'create table later (id int);', 1_000);
  expect(await pendingMigrations(t.sql, copy)).toEqual(['0099_later']);
  expect(await isMigrated(t.sql)).toBe(true);
});

test('a failing migration applies nothing and is told in one line', async () => {
  addMigration('0099_broken', 'create table half (id int);--> statement-breakpoint\nselect 1/0;', 1_000);
  await expect(migrateDatabase({ url: t.url, folder: copy })).rejects.toThrow(
    /^The migration failed, nothing was applied: division by zero$/,
  );
  expect(await pendingMigrations(t.sql, copy)).toEqual([...allTags(), '0099_broken']);
  // The lock went with the session: a corrected folder can be applied at once.
  expect(await migrateDatabase({ url: t.url })).toEqual(allTags());
});

test('a migration dated before the last one applied is not lost in silence', async () => {
  await migrateDatabase({ url: t.url });
  addMigration('0099_early', 'create table early (id int);', -1);
  await expect(migrateDatabase({ url: t.url, folder: copy })).rejects.toThrow(
    /^0099_early is older than the last/,
  );
});

test('an unreachable database is told in one line without the password', async () => {
  const failure = await migrateDatabase({ url: 'postgres://u:hush-hush@127.0.0.1:9/x' }).catch(
    (error: Error) => error,
  );
  expect(String(failure)).toMatch(
    /^MigrationError: The database does not answer \(.*\): check DATABASE_URL\.$/,
  );
  expect(String(failure)).not.toContain('hush-hush');
});
