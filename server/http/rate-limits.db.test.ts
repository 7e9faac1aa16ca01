import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Db } from '#server/db/client.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createRateLimits, LIMITS } from './rate-limits.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { cookieOf, procedureCaller } from './test-client.ts';

const PASSWORD = 'a quiet long password';
let t: TestDatabase;
const apps: TestApp[] = [];

beforeAll(async () => {
  t = await createTestDatabase();
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  await t.sql`delete from rate_limits`;
});
afterAll(() => t.close());

async function start(options: Parameters<typeof startTestApp>[1] = {}) {
  const app = await startTestApp(t, options);
  apps.push(app);
  return procedureCaller(app.url);
}

const small = (points: number) => ({
  points,
  seconds: 600,
  message: 'Too many tries.',
  withoutStore: 'refuse' as const,
});

async function signUp(call: Awaited<ReturnType<typeof start>>, email: string) {
  return call.mutate('auth.signUp', { email, displayName: 'Ada', password: PASSWORD });
}

it('counts guesses over all replicas and says how long to wait', async () => {
  const limits = { 'sign-in-pair': small(3) };
  const [first, second] = [await start({ limits }), await start({ limits })];
  const guess = (call: typeof first) =>
    call.mutate('auth.signIn', { email: 'eve@example.com', password: 'guess' });
  const statuses = [];
  for (const call of [first, second, first, second, first]) statuses.push((await guess(call)).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);

  const refused = await guess(second);
  expect(refused.error?.message).toBe('Too many tries. Try again in 10 minutes.');
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(600);
  expect(refused.error?.data.retryAfterSeconds).toBe(wait);
});

it('lets no guess slip past when many come at once', async () => {
  const call = await start({ limits: { 'sign-in-pair': small(3) } });
  const guess = () => call.mutate('auth.signIn', { email: 'mallory@example.com', password: 'guess' });
  const answers = await Promise.all(Array.from({ length: 12 }, guess));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(9);
});

it('gives the allowance back after the right password, to that account only', async () => {
  const call = await start({ limits: { 'sign-in-pair': small(3) } });
  await signUp(call, 'owner@example.com');
  const signIn = (password: string) => call.mutate('auth.signIn', { email: 'owner@example.com', password });
  for (const password of ['no', 'no', PASSWORD, 'no', 'no', PASSWORD]) {
    expect((await signIn(password)).status).toBe(password === PASSWORD ? 200 : 401);
  }
});

it('bounds what one address tries over many accounts, and new accounts', async () => {
  const call = await start({ limits: { 'sign-in-address': small(2), 'sign-up': small(1) } });
  const statuses = [];
  for (const name of ['a', 'b', 'c']) {
    statuses.push(
      (await call.mutate('auth.signIn', { email: `${name}@example.com`, password: 'guess' })).status,
    );
  }
  expect(statuses).toEqual([401, 401, 429]);
  expect((await signUp(call, 'one@example.com')).status).toBe(200);
  expect((await signUp(call, 'two@example.com')).status).toBe(429);
});

it('counts calls per token: another token of the same user goes on', async () => {
  const call = await start({ limits: { api: { ...small(2), withoutStore: 'allow' } } });
  const cookie = cookieOf(await signUp(call, 'service@example.com'));
  const tokens = [];
  for (const name of ['first', 'second']) {
    const input = { name, scopes: ['read'] };
    tokens.push(
      (await call.mutate<{ secret: string }>('auth.tokens.create', input, { cookie })).data?.secret,
    );
  }
  const read = (token: string | undefined) => call.query('billing.balance', { token });
  expect([(await read(tokens[0])).status, (await read(tokens[0])).status]).toEqual([200, 200]);
  expect((await read(tokens[0])).status).toBe(429);
  expect((await read(tokens[1])).status).toBe(200);
});

it('believes a forwarded address only from as many proxies as are configured', async () => {
  const limits = { 'sign-in-address': small(1) };
  const direct = await start({ limits });
  const proxied = await start({ limits, trustProxyHops: 1 });
  const guess = (call: typeof direct, address: string) =>
    call.mutate(
      'auth.signIn',
      { email: `${Math.random()}@example.com`, password: 'guess' },
      { headers: { 'x-forwarded-for': address } },
    );
  expect((await guess(direct, '192.0.2.1')).status).toBe(401);
  expect((await guess(direct, '192.0.2.2')).status).toBe(429);
  expect((await guess(proxied, '192.0.2.3')).status).toBe(401);
  expect((await guess(proxied, '192.0.2.4')).status).toBe(401);
  // One household owns a whole /64.
  expect((await guess(proxied, '2001:db8:1:2::1')).status).toBe(401);
  expect((await guess(proxied, '2001:db8:1:2:ffff::9')).status).toBe(429);
});

it('keeps addresses and e-mails out of the table', async () => {
  const call = await start();
  await call.mutate('auth.signIn', { email: 'private@example.com', password: 'guess' });
  const rows = await t.sql<{ key: string }[]>`select key from rate_limits`;
  expect(rows.length).toBeGreaterThanOrEqual(2);
  for (const { key } of rows) expect(key).not.toMatch(/private|example|127\.0\.0\.1/);
});

it('refuses sign-in while it cannot count, and lets other calls through', async () => {
  const logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };
  const broken = {
    insert: () => {
      throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    },
  };
  const limits = createRateLimits({ db: broken as unknown as Db, logger });
  for (const name of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    const outcome = await limits.consume(name, 'someone').then(
      () => 'allowed',
      (error: { code: string }) => error.code,
    );
    expect(outcome, name).toBe(name.startsWith('sign-in') ? 'unavailable' : 'allowed');
  }
  limits.close();
});
