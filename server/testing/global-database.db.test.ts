import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import type { TestProject } from 'vitest/node';
import { createTestDatabase, type TestDatabase } from './database.ts';
import setup, { type TestServer } from './global-database.ts';

let t: TestDatabase;
let admin: postgres.Sql;
beforeAll(async () => {
  t = await createTestDatabase({ max: 1 });
  admin = postgres(inject('testServer').adminUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await admin.end();
  await t.close();
});
afterEach(() => vi.unstubAllEnvs());

async function exists(name: string): Promise<boolean> {
  return (await admin`select 1 from pg_database where datname = ${name}`).length > 0;
}

/** What another run of the tests on the same server would do. */
async function startOtherRun(): Promise<{ server: TestServer; end(): Promise<void> }> {
  vi.stubEnv('TEST_DATABASE_URL', inject('testServer').adminUrl);
  let server: TestServer | undefined;
  const project = { provide: (_key: string, value: TestServer) => (server = value) };
  const end = await setup(project as unknown as TestProject);
  if (!server) throw new Error('Nothing was provided.');
  return { server, end };
}

test('a run drops what killed runs left and nothing that a live one uses', async () => {
  const mine = new URL(t.url).pathname.slice(1);
  const leftClone = 'sidelane_test_00000000_left';
  const leftTemplate = 'sidelane_template_000000000000';
  for (const name of [leftClone, leftTemplate]) {
    await admin.unsafe(`drop database if exists ${name}`).catch(() => {});
    if (!(await exists(name))) await admin.unsafe(`create database ${name}`);
  }
  await admin.unsafe(`alter database ${leftTemplate} with is_template true`);

  const other = await startOtherRun();
  expect(await exists(leftClone)).toBe(false);
  expect(await exists(leftTemplate)).toBe(false);
  expect(await exists(mine)).toBe(true);
  expect(other.server.template).toBe(inject('testServer').template);
  expect(other.server.clonePrefix).not.toBe(inject('testServer').clonePrefix);
  await other.end();
});
