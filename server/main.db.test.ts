import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildServer } from '#scripts/build-server.ts';
import { createApiToken } from '#server/auth/api-tokens.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { createClient } from '#server/trpc/client.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVICE_TOKEN = 'main-test-token-0123456789abcdef0';
/** Below the checkout, so that it finds its packages. */
const BUNDLE = path.join(ROOT, '.cache', `web-under-test-${process.pid}`);
const children: ChildProcess[] = [];
let t: TestDatabase;
let dir: string;

beforeAll(async () => {
  t = await createTestDatabase();
  dir = await mkdtemp(path.join(os.tmpdir(), 'sidelane-main-'));
  await buildServer(BUNDLE);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  }
});
afterAll(async () => {
  for (const folder of [dir, BUNDLE]) await rm(folder, { recursive: true, force: true });
  await t.close();
});

type Web = { child: ChildProcess; out: () => string; err: () => string; exit: Promise<number | null> };

/** A real web process without pages. */
function start(env: Record<string, string>): Web {
  const child = spawn(process.execPath, [path.join(BUNDLE, 'web.js')], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'test',
      PORT: '0',
      DATABASE_URL: t.url,
      ENCRYPTION_KEY: 'ab'.repeat(32),
      STORAGE_DIR: path.join(dir, 'files'),
      MAINTENANCE_TOKEN: SERVICE_TOKEN,
      DRAIN_SECONDS: '30',
      ...env,
    },
  });
  children.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const exit = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return { child, out: () => out, err: () => err, exit };
}

/** Resolves with its address once it serves. */
async function started(web: Web): Promise<string> {
  await expect.poll(web.out, { timeout: 60_000, interval: 20 }).toMatch(/Web process started: http/);
  return /Web process started: (http:\/\/[^"]+)/.exec(web.out())?.[1] ?? '';
}

/** A knock that waits for 20 s; `sent` resolves when all of it has left this process. */
function longPoll(origin: string) {
  const call = request(`${origin}/api/trpc/maintenance.generationTasks.run`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SERVICE_TOKEN}`,
      'content-type': 'application/json',
      'x-sidelane-worker-id': 'worker-1',
      'x-sidelane-protocol': '1',
    },
  });
  const answer = new Promise<{ claimed: number; waitedMs: number }>((resolve, reject) => {
    call.on('error', reject);
    call.on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(JSON.parse(text).result.data.json);
    });
  });
  const sent = new Promise<void>((resolve) => call.on('finish', () => resolve()));
  call.end(JSON.stringify({ json: { lane: 0, limit: 10, waitMs: 20_000 } }));
  return { sent, answer };
}

describe('what keeps it from starting is told in one line', () => {
  it('bad environment: one line per variable, never the value, exit 78', async () => {
    const web = start({
      DATABASE_URL: 'mysql://db',
      MAINTENANCE_TOKEN: 'short-secret',
      PORT: 'eighty',
      ENCRYPTION_KEY: '',
    });
    expect(await web.exit).toBe(78);
    expect(
      web
        .err()
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      'The environment is not usable:',
      'PORT must be a number',
      'DATABASE_URL must start with postgres:// or postgresql://',
      'MAINTENANCE_TOKEN must have at least 32 characters (make one: openssl rand -hex 32)',
      'ENCRYPTION_KEY is not set',
      'See .env.example.',
    ]);
    expect(web.out()).toBe('');
  });

  it('a payment vendor without its keys: names them, exit 78', async () => {
    const web = start({ PAYMENT_PROVIDER: 'stripe', PUBLIC_ORIGIN: 'https://lane.example' });
    expect(await web.exit).toBe(78);
    expect(web.err()).toContain('STRIPE_SECRET_KEY is not set (PAYMENT_PROVIDER=stripe needs it)');
    expect(web.out()).toBe('');
  });

  it('a port in use: names port and variable', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    const web = start({ PORT: String(port) });
    expect(await web.exit).toBe(1);
    expect(web.err()).toBe(
      `Port ${port} on 127.0.0.1 is in use. Stop what runs there, or set PORT to another port.\n`,
    );
    await new Promise((resolve) => holder.close(resolve));
  });

  it('a database that does not answer: names the host, not the password', async () => {
    const web = start({ DATABASE_URL: 'postgres://someone:very-secret@127.0.0.1:9/none' });
    expect(await web.exit).toBe(1);
    expect(web.err()).toBe(
      'The database at 127.0.0.1:9 does not answer (ECONNREFUSED). Start it, or check DATABASE_URL.\n',
    );
    expect(web.out() + web.err()).not.toContain('very-secret');
  });

  it('storage that cannot be written: names the variable', async () => {
    const file = path.join(dir, 'a-file');
    await writeFile(file, 'not a folder');
    const web = start({ STORAGE_DIR: path.join(file, 'below') });
    expect(await web.exit).toBe(1);
    expect(web.err().trim().split('\n')).toHaveLength(1);
    expect(web.err()).toContain('STORAGE_DIR');
  });
});

it('serves an unmigrated database with a warning, so that migrations may run meanwhile', async () => {
  const url = new URL(t.url);
  const name = `${url.pathname.slice(1)}_bare`;
  await t.sql`create database ${t.sql(name)} template template0`;
  url.pathname = `/${name}`;
  const web = start({ DATABASE_URL: url.href });
  const origin = await started(web);
  expect(web.out()).toContain('The database is not migrated. Run: npm run db:migrate');
  const probe = await fetch(`${origin}/readyz`);
  expect([probe.status, await probe.json()]).toMatchObject([503, { migrations: 'pending' }]);
  web.child.kill('SIGTERM');
  expect(await web.exit).toBe(0);
  await t.sql`drop database ${t.sql(name)} with (force)`;
});

it.each<[string, Record<string, string>, string]>([
  ['nobody', {}, 'Payments: none, credits cannot be bought (PAYMENT_PROVIDER)'],
  [
    'stripe',
    {
      PAYMENT_PROVIDER: 'stripe',
      STRIPE_SECRET_KEY: 'sk_live_51Secret',
      STRIPE_WEBHOOK_SECRET: 'whsec_51Secret',
    },
    'Payments: by stripe"',
  ],
  [
    'the sandbox',
    {
      PAYMENT_PROVIDER: 'sandbox',
      SANDBOX_PAYMENT_URL: 'http://127.0.0.1:9',
      SANDBOX_PAYMENT_SECRET: '51Secret-of-at-least-32-characters',
    },
    'Payments: by sandbox, in test mode: no money moves"',
  ],
])('says at its start that %s takes payments, and shows no key', async (_name, env, line) => {
  const web = start({ PUBLIC_ORIGIN: 'https://lane.example', ...env });
  await started(web);
  expect(web.out()).toContain(line);
  expect(web.out() + web.err()).not.toContain('51Secret');
  web.child.kill('SIGTERM');
  expect(await web.exit).toBe(0);
});

describe('shutdown', () => {
  it('ends long polls and open streams at SIGTERM, closes everything and exits 0', async () => {
    const user = await createUser(t.db);
    const task = await createTask(t.db, {
      kind: 'image',
      userId: user.id,
      nextPollAt: new Date(Date.now() + 3_600_000),
    });
    const { secret } = await createApiToken(t, { userId: user.id, name: 'watcher', scopes: ['read'] });
    const web = start({});
    const origin = await started(web);

    let snapshots = 0;
    createClient({ url: origin, token: secret }).generation.watch.subscribe(
      { taskIds: [task.id] },
      {
        onData: () => {
          snapshots += 1;
        },
        onError: () => {},
      },
    );
    await expect.poll(() => snapshots, { timeout: 30_000 }).toBeGreaterThan(0);
    const knock = longPoll(origin);
    await knock.sent;
    await fetch(`${origin}/healthz`);

    web.child.kill('SIGTERM');
    const { claimed, waitedMs } = await knock.answer;
    expect(claimed).toBe(0);
    // It asked for 20 s.
    expect(waitedMs).toBeLessThan(20_000);
    expect(await web.exit).toBe(0);
    expect(web.out()).toContain('Web process stopped');
    expect(web.err()).toBe('');
    const open =
      await t.sql`select 1 from pg_stat_activity where datname = current_database() and application_name like 'sidelane-%' and application_name <> 'sidelane-test'`;
    expect(open).toHaveLength(0);
  });

  it('exits at once with 1 at a second signal', async () => {
    const web = start({});
    const origin = await started(web);
    // An upload that never ends keeps the server from closing for a while.
    const upload = request(`${origin}/api/trpc/auth.signOut`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '100' },
    });
    upload.on('error', () => {});
    upload.write('{');
    await new Promise<void>((resolve) =>
      upload.on('socket', (socket) => socket.once('connect', () => resolve())),
    );
    await fetch(`${origin}/healthz`);
    web.child.kill('SIGTERM');
    await expect.poll(web.out, { timeout: 30_000, interval: 5 }).toContain('Shutting down');
    web.child.kill('SIGTERM');
    expect(await web.exit).toBe(1);
    upload.destroy();
  });
});
