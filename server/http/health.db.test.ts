import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDb } from '#server/db/client.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { cookieOf, procedureCaller } from './test-client.ts';
import { startCuttableProxy } from './test-proxy.ts';

let t: TestDatabase;
let app: TestApp;
let draining = false;

beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t, { isDraining: () => draining });
});
afterAll(async () => {
  await app.close();
  await t.close();
});

async function readiness(url = app.url) {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('/readyz', () => {
  it('tells whether a daemon is at work without depending on it', async () => {
    expect(await readiness()).toEqual({
      status: 200,
      body: { ready: true, database: 'ok', migrations: 'applied', daemon: 'none', daemonLastSeenAt: null },
    });
    await t.sql`insert into maintenance_workers (worker_id, version, protocol, started_at) values ('w', '1', 1, now())`;
    expect((await readiness()).body).toMatchObject({ ready: true, daemon: 'fresh' });
    await t.sql`update maintenance_workers set last_seen_at = now() - interval '10 minutes'`;
    expect(await readiness()).toMatchObject({ status: 200, body: { ready: true, daemon: 'stale' } });
  });

  it('answers 503 with the reason while the process drains; the process is alive', async () => {
    draining = true;
    const during = await readiness();
    draining = false;
    expect(during).toMatchObject({
      status: 503,
      body: { ready: false, reason: 'This process is shutting down.' },
    });
    const alive = await fetch(`${app.url}/healthz`);
    expect([alive.status, await alive.json()]).toEqual([200, { alive: true }]);
  });

  it('names the command when migrations are missing, and procedures do too', async () => {
    const url = new URL(t.url);
    const name = `${url.pathname.slice(1)}_empty`;
    await t.sql`create database ${t.sql(name)} template template0`;
    url.pathname = `/${name}`;
    const empty = openDb({ url: url.href, max: 2 });
    const unmigrated = await startTestApp(empty);
    const probe = await readiness(unmigrated.url);
    const call = procedureCaller(unmigrated.url);
    const answer = await call.mutate('auth.signUp', {
      email: 'early@example.com',
      displayName: 'Early',
      password: 'a quiet long password',
    });
    await unmigrated.close();
    await empty.close();
    await t.sql`drop database ${t.sql(name)} with (force)`;
    expect(probe.status).toBe(503);
    expect(probe.body).toMatchObject({ ready: false, database: 'ok', migrations: 'pending' });
    expect(probe.body.reason).toMatch(/^\d+ migrations? (is|are) missing\. Run: npm run db:migrate$/);
    expect([answer.status, answer.error?.message]).toEqual([
      503,
      'The database is not migrated. An operator has to run: npm run db:migrate',
    ]);
  });
});

describe('when the database goes away', () => {
  it('answers 503 with a sentence everywhere, and serves again when it is back', async () => {
    const proxy = await startCuttableProxy(t.url);
    const handle = t.open({ url: proxy.url, max: 3 });
    const cutOff = await startTestApp(handle);
    const call = procedureCaller(cutOff.url);
    const input = { email: 'patient@example.com', displayName: 'P', password: 'a quiet long password' };
    const cookie = cookieOf(await call.mutate('auth.signUp', input));
    expect((await call.query('auth.me', { cookie })).status).toBe(200);

    // A pause that grew with the outage would make every request of a long one hang.
    const { backoff } = handle.sql.options;
    expect(typeof backoff === 'function' ? backoff(1_000) : backoff).toBeLessThanOrEqual(1);
    await proxy.cut();
    const sentence = 'The database does not answer. Accepted work is safe; try again in a moment.';
    // Whether identity, a procedure or a file needs it: the same answer.
    const session = await call.query('auth.me', { cookie });
    expect([session.status, session.error?.message]).toEqual([503, sentence]);
    expect(session.headers.get('retry-after')).toBe('5');
    const signIn = await call.mutate('auth.signIn', input);
    expect(signIn.status).toBe(503);
    const signUp = await call.mutate('auth.signUp', { ...input, email: 'next@example.com' });
    expect([signUp.status, signUp.error?.message]).toEqual([503, sentence]);
    const file = await fetch(`${cutOff.url}/files/outputs/018f3b5c-1111-7111-8111-111111111111`, {
      headers: { cookie },
    });
    expect([file.status, await file.json()]).toMatchObject([
      503,
      { error: { code: 'unavailable', message: sentence } },
    ]);
    expect(await readiness(cutOff.url)).toMatchObject({
      status: 503,
      body: { ready: false, database: 'unreachable', reason: 'The database does not answer.' },
    });
    expect((await fetch(`${cutOff.url}/healthz`)).status).toBe(200);
    const metrics = await fetch(`${cutOff.url}/metrics`, {
      headers: { authorization: 'Bearer test-service-token-0123456789abcdef' },
    });
    expect(await metrics.text()).toContain('sidelane_database_up 0');

    await proxy.restore();
    await expect.poll(async () => (await readiness(cutOff.url)).status, { timeout: 60_000 }).toBe(200);
    expect((await call.query<{ email: string }>('auth.me', { cookie })).data?.email).toBe(
      'patient@example.com',
    );
    expect(cutOff.log.join('\n')).not.toContain(new URL(t.url).password || 'no password in the url');

    await cutOff.close();
    await handle.close();
    await proxy.close();
  });
});
