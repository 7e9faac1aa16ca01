import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { grantCredits } from '#server/billing/ledger.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
let t: TestDatabase;

beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());

function runAudit(
  url: string,
  args: string[] = [],
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/audit.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: url },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

it('says that the books are right, then names the account that was changed past the ledger and exits 1', async () => {
  const user = await createUser(t.db);
  await t.db.transaction((tx) =>
    grantCredits(tx, { userId: user.id, credits: 40, key: newId(), actor: 'cli', reason: 'test' }),
  );
  expect(await runAudit(t.url)).toEqual({ code: 0, out: 'The books are right.\n', err: '' });

  await t.sql`update credit_accounts set balance_credits = balance_credits + 1 where user_id = ${user.id}`;
  const { code, out } = await runAudit(t.url);
  expect(code).toBe(1);
  // The balance, its chain and its buckets: one line each, all about this account.
  const lines = out.trim().split('\n');
  expect(lines[0]).toContain('Σ ledger = balance');
  for (const line of lines) expect(line).toContain(user.id);
  expect(out).not.toContain('The books are right.');
});

it('tells in one line what is wrong with the database or the call', async () => {
  const gone = await runAudit('postgres://nobody@127.0.0.1:1/none');
  expect(gone).toEqual({
    code: 1,
    out: '',
    err: 'The database does not answer. Start it, or check DATABASE_URL.\n',
  });
  const unknown = await runAudit(t.url, ['--fast']);
  expect(unknown.code).toBe(1);
  expect(unknown.err.trim().split('\n')).toHaveLength(1);
});
