import { execFile } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isMigrated } from '#server/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';

let t: TestDatabase;
beforeEach(async () => {
  t = await createTestDatabase({ migrated: false, max: 2 });
});
afterEach(() => t.close());

function runDb(args: string[], env: Record<string, string>) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['--import', 'tsx', 'scripts/db.ts', ...args],
      { env: { ...process.env, DATABASE_URL: '', DATABASE_DIRECT_URL: '', DATABASE_POOLED: '', ...env } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: `${stdout}${stderr}` }),
    );
  });
}

test('db:migrate applies the migrations, through the direct connection when there is one', async () => {
  const first = await runDb(['migrate'], { DATABASE_URL: t.url });
  expect(first).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Applied 0000_\w+, 0001_\w+.*\.\n$/),
  });
  const nowhere = 'postgres://127.0.0.1:9/none';
  const second = await runDb(['migrate'], {
    DATABASE_URL: nowhere,
    DATABASE_POOLED: '1',
    DATABASE_DIRECT_URL: t.url,
  });
  expect(second).toEqual({ code: 0, output: 'The database is up to date.\n' });
  expect(await isMigrated(t.sql)).toBe(true);
});

test('db:migrate behind a pooler asks for the direct connection', async () => {
  const run = await runDb(['migrate'], { DATABASE_URL: t.url, DATABASE_POOLED: '1' });
  expect(run.code).toBe(1);
  expect(run.output).toBe(
    'DATABASE_URL leads to a pooler, and migrations need a session: set DATABASE_DIRECT_URL.\n',
  );
});

test('db:migrate without a server in reach tells it in one line', async () => {
  const run = await runDb(['migrate'], { DATABASE_URL: 'postgres://127.0.0.1:9/none' });
  expect(run.code).toBe(1);
  expect(run.output).toMatch(/^The database does not answer \([^\n]*\): check DATABASE_URL\.\n$/);
});

test('the migrations express the schema: nothing is left to generate', async () => {
  const run = await runDb(['check'], {});
  expect(run.output).toContain('No schema changes');
  expect(run.code).toBe(0);
});

test('further arguments reach drizzle-kit', async () => {
  const run = await runDb(['generate', '--help'], {});
  expect(run.output).toContain('--custom');
});
