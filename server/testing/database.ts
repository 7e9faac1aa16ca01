import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { type DbHandle, type DbOptions, openDb } from '#server/db/client.ts';

export type TestDatabaseOptions = Partial<DbOptions> & {
  /** False: a database without schema. */
  migrated?: boolean;
};

export type TestDatabase = DbHandle & {
  /** Connection string of the clone, for child processes and further pools. */
  url: string;
  /** Opens another pool on the same clone; `close` of the database closes it too. */
  open(options?: Partial<DbOptions>): DbHandle;
};

/**
 * A private clone of the migrated template. Call it in `beforeAll` and `close` in `afterAll`.
 *
 * `close` ends the pools opened here, drops the clone and fails when somebody else is still connected, which means that
 * a pool or a child process leaked.
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { adminUrl, template, clonePrefix } = inject('testServer');
  const name = `${clonePrefix}${randomBytes(6).toString('hex')}`;
  const { migrated = true, ...poolOptions } = options;
  await asAdmin(adminUrl, (admin) =>
    admin.unsafe(`create database ${name} template ${migrated ? template : 'template0'}`),
  );
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;

  const handles: DbHandle[] = [];
  const open = (more: Partial<DbOptions> = {}) => {
    const handle = openDb({
      url: url.href,
      max: 10,
      applicationName: 'sidelane-test',
      // Files open pools for processes that come and go: what is idle must not fill the server.
      idleSeconds: 3,
      ...poolOptions,
      ...more,
    });
    handles.push(handle);
    return handle;
  };
  const { db, sql } = open();
  const close = async () => {
    await Promise.all(handles.map((handle) => handle.close()));
    await asAdmin(adminUrl, (admin) => dropClone(admin, name));
  };
  return { db, sql, url: url.href, open, close };
}

async function asAdmin<T>(adminUrl: string, work: (admin: postgres.Sql) => Promise<T>): Promise<T> {
  const admin = postgres(adminUrl, { max: 1, connect_timeout: 30, onnotice: () => {} });
  try {
    return await work(admin);
  } finally {
    await admin.end({ timeout: 5 });
  }
}

async function dropClone(admin: postgres.Sql, name: string): Promise<void> {
  const leaked = await stillConnected(admin, name);
  await admin`drop database if exists ${admin(name)} with (force)`;
  if (leaked.length > 0) {
    throw new Error(
      `Connections to the test database leaked: ${leaked.join(', ')}. Close every pool and child process.`,
    );
  }
}

/** A closed socket takes a moment to end its backend: asks until none is left, for at most 5 s. */
async function stillConnected(admin: postgres.Sql, name: string): Promise<string[]> {
  const end = Date.now() + 5_000;
  for (;;) {
    const rows = await admin<{ application: string; state: string | null }[]>`
      select application_name as application, state from pg_stat_activity
      where datname = ${name} and backend_type = 'client backend'`;
    if (rows.length === 0) return [];
    if (Date.now() > end)
      return rows.map((row) => `${row.application || 'unnamed'} (${row.state ?? 'unknown'})`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
