import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '#scripts/lib/embedded-postgres.ts';
import { migrateDatabase, migrationsFolder } from '#server/db/migrate.ts';

/** What a test file needs to clone the template. */
export type TestServer = {
  /** A database of a role that may create databases. */
  adminUrl: string;
  template: string;
  /** Prefix of this run's clones. */
  clonePrefix: string;
};

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestServer;
  }
}

/** First key of our advisory locks: "a run uses the database with this name". */
const IN_USE = 0x51de;
const TEMPLATE_PREFIX = 'sidelane_template_';
const CLONE_PREFIX = 'sidelane_test_';

/**
 * Starts the embedded PostgreSQL, or uses TEST_DATABASE_URL, and makes the migrated template once per content of
 * `drizzle/`. Runs share the server; each holds a lock on what it uses, so that leftovers of killed runs are told from
 * databases of live ones and dropped.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? undefined : await startEmbeddedPostgres({ name: 'test' });
  const adminUrl = given ?? server?.url ?? '';
  const sql = postgres(adminUrl, { max: 1, max_lifetime: null, connect_timeout: 30, onnotice: () => {} });
  try {
    const template = `${TEMPLATE_PREFIX}${hashOf(migrationsFolder())}`;
    const run = `${CLONE_PREFIX}${randomBytes(4).toString('hex')}`;
    // One run at a time prepares, so none drops what another is about to use.
    await sql`select pg_advisory_lock(${IN_USE}, 0)`;
    await sql`select pg_advisory_lock_shared(${IN_USE}, hashtext(${run}))`;
    await sql`select pg_advisory_lock_shared(${IN_USE}, hashtext(${template}))`;
    await dropLeftovers(sql);
    await makeTemplate(sql, adminUrl, template);
    await sql`select pg_advisory_unlock(${IN_USE}, 0)`;
    project.provide('testServer', { adminUrl, template, clonePrefix: `${run}_` });
    return async () => {
      await sql.end({ timeout: 5 });
      await server?.stop();
    };
  } catch (error) {
    await sql.end({ timeout: 5 });
    await server?.stop();
    throw error;
  }
}

function hashOf(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const file of files.map((entry) => path.join(entry.parentPath, entry.name)).sort()) {
    hash.update(path.relative(folder, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 12);
}

/** The flag `datistemplate` marks a finished template; a half-made one is made again. */
async function makeTemplate(sql: postgres.Sql, adminUrl: string, template: string): Promise<void> {
  const found = await sql`select 1 from pg_database where datname = ${template} and datistemplate`;
  if (found.length > 0) return;
  await sql`drop database if exists ${sql(template)}`;
  await sql`create database ${sql(template)}`;
  await migrateDatabase({ url: databaseUrl(adminUrl, template) });
  await sql`alter database ${sql(template)} with is_template true allow_connections false`;
}

/** Drops clones and templates that no live run holds a lock on. */
async function dropLeftovers(sql: postgres.Sql): Promise<void> {
  const rows = await sql<{ name: string; template: boolean }[]>`
    select datname as name, datistemplate as template from pg_database
    where starts_with(datname, ${CLONE_PREFIX}) or (starts_with(datname, ${TEMPLATE_PREFIX}) and datistemplate)`;
  for (const { name, template } of rows) {
    const key = template ? name : name.slice(0, CLONE_PREFIX.length + 8);
    // Not by trying to take it: a lock that our own session holds would be granted again.
    const holders = await sql`
      select 1 from pg_locks
      where locktype = 'advisory' and classid = ${IN_USE} and objid::bigint = (hashtext(${key})::bigint & 4294967295)
        and objsubid = 2 and database = (select oid from pg_database where datname = current_database())`;
    if (holders.length > 0) continue;
    if (template) await sql`alter database ${sql(name)} with is_template false`;
    await sql`drop database if exists ${sql(name)} with (force)`;
  }
}

/** The same server and role, another database. */
function databaseUrl(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}
