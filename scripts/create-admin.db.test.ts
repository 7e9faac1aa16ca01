import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyPassword } from '#server/auth/password.ts';
import { findUserByEmail } from '#server/auth/queries.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
let t: TestDatabase;

beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());

type Outcome = { code: number | null; out: string; err: string };

function run(args: string[], options: { url?: string; stdin?: string } = {}): Promise<Outcome> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/create-admin.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: options.url ?? t.url },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

it('makes an administrator with a generated password that is printed once and opens the account', async () => {
  const { code, out } = await run(['--email', 'First@Example.com', '--name', 'First Admin']);
  expect(code).toBe(0);
  const password = /Password \(shown this once\): (\S{20})/.exec(out)?.[1] ?? '';
  const user = await findUserByEmail(t.db, 'first@example.com');
  expect(user).toMatchObject({ role: 'admin', displayName: 'First Admin', disabledAt: null });
  expect(await verifyPassword(user?.passwordHash, password)).toBe(true);
  expect(await t.sql`select 1 from credit_accounts where user_id = ${user?.id ?? ''}`).toHaveLength(1);
});

it('takes a password from standard input and does not print it', async () => {
  const { code, out, err } = await run(['--email', 'piped@example.com', '--password-stdin'], {
    stdin: 'a password by pipe\n',
  });
  expect(code).toBe(0);
  expect(out + err).not.toContain('a password by pipe');
  const user = await findUserByEmail(t.db, 'piped@example.com');
  expect(await verifyPassword(user?.passwordHash, 'a password by pipe')).toBe(true);
});

it('promotes someone who has an account and leaves their password; a new password ends their sessions', async () => {
  const user = await createUser(t.db, { disabledAt: new Date() });
  await t.sql`insert into sessions (id, user_id, expires_at) values (${'0'.repeat(64)}, ${user.id}, now() + interval '1 day')`;
  const kept = await run(['--email', user.email]);
  expect(kept.out).toBe(`${user.email} is an administrator now; the password is unchanged.\n`);
  expect(await findUserByEmail(t.db, user.email)).toMatchObject({
    role: 'admin',
    passwordHash: user.passwordHash,
    disabledAt: null,
  });
  expect(await t.sql`select 1 from sessions where user_id = ${user.id}`).toHaveLength(1);

  await run(['--email', user.email, '--password', 'another long password']);
  const changed = await findUserByEmail(t.db, user.email);
  expect(await verifyPassword(changed?.passwordHash, 'another long password')).toBe(true);
  expect(await t.sql`select 1 from sessions where user_id = ${user.id}`).toHaveLength(0);
});

it.each([
  { args: ['--email', 'nobody'], says: '--email: Enter an e-mail address such as name@example.com.' },
  {
    args: ['--email', 'short@example.com', '--password', 'short'],
    says: 'password: A password has at least 10 characters.',
  },
  {
    args: ['--email', 'two@example.com', '--password', 'long enough one', '--generate'],
    says: 'Use one of --password and --generate.',
  },
  {
    args: ['--email', 'lost@example.com', '--generate'],
    url: 'postgres://someone:very-secret@127.0.0.1:9/none',
    says: 'The database does not answer. Start it, or check DATABASE_URL.',
  },
])('says in one line what is wrong: $says', async ({ args, url, says }) => {
  const { code, out, err } = await run(args, { url });
  expect([code, out, err]).toEqual([1, '', `${says}\n`]);
});

it('grants credits on top, by the ledger, and refuses what is no amount', async () => {
  const args = ['--email', 'rich@example.com', '--generate'];
  expect((await run([...args, '--credits', '250'])).out).toContain('250 credits granted.');
  const rows = await t.sql`select a.balance_credits, l.delta_credits, l.actor from credit_accounts a
    join users u on u.id = a.user_id join credit_ledger l on l.user_id = u.id where u.email = 'rich@example.com'`;
  expect(rows).toEqual([{ balance_credits: '250', delta_credits: '250', actor: 'cli' }]);
  for (const credits of ['-5', '1e3', 'many']) {
    const refused = await run([...args, `--credits=${credits}`]);
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('--credits: give a whole number'),
    });
  }
});
