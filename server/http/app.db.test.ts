import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask } from '#server/testing/factories.ts';
import { SERVICE_TOKEN, startTestApp, type TestApp } from './test-app.ts';
import { cookieOf, procedureCaller } from './test-client.ts';

const PASSWORD = 'a quiet long password';
let t: TestDatabase;
let app: TestApp;
let call: ReturnType<typeof procedureCaller>;
let cookie: string;

beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t);
  call = procedureCaller(app.url);
  cookie = cookieOf(
    await call.mutate('auth.signUp', { email: 'ada@example.com', displayName: 'Ada', password: PASSWORD }),
  );
});
afterAll(async () => {
  await app.close();
  await t.close();
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${app.url}${path}`, { headers });

describe('security headers', () => {
  it('names a fresh script nonce on every answer', async () => {
    const nonces = [];
    for (let round = 0; round < 2; round += 1) {
      const policy = (await get('/nowhere')).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("script-src 'self' 'nonce-");
      expect(policy).toContain("img-src 'self' blob: data:");
      expect(policy).toContain("media-src 'self' blob: data:");
      expect(policy).toContain("frame-ancestors 'none'");
      // Over plain http it would make browsers ask for assets on a port that speaks no TLS.
      expect(policy).not.toContain('upgrade-insecure-requests');
      nonces.push(/'nonce-([\w-]{22})'/.exec(policy)?.[1]);
    }
    expect(nonces[0]).toBeTruthy();
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('tells nothing of the software and forbids sniffing', async () => {
    const { headers } = await get('/nowhere');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // `no-referrer` would make browsers send "Origin: null" with our own forms.
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('strict-transport-security')).toBeNull();
  });
});

describe('origin check', () => {
  const signOut = (options: object) => call.mutate('auth.signOut', undefined, options);

  it('lets the own page change things', async () => {
    expect((await signOut({ headers: { origin: app.url } })).status).toBe(200);
    expect((await signOut({ headers: { 'sec-fetch-site': 'same-origin', origin: 'null' } })).status).toBe(
      200,
    );
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site', cookie: 'sidelane_session=x' },
  ])('refuses what another site sends: %o', async (headers) => {
    const answer = await signOut({ headers });
    expect(answer.status).toBe(403);
    expect(answer.error?.message).toBe(
      'This request came from another site. Open the page itself and try again.',
    );
  });

  it('tells the own host under another scheme from the own page', async () => {
    const headers = { origin: app.url.replace('http:', 'https:'), 'sec-fetch-site': 'cross-site' };
    expect((await signOut({ headers })).status).toBe(403);
  });

  it('refuses a mutation with a cookie that names no origin at all', async () => {
    const headers = { cookie, 'content-type': 'application/json' };
    const response = await fetch(`${app.url}/api/trpc/auth.signOut`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(403);
    expect((await call.query('auth.me', { cookie })).data).not.toBeNull();
  });

  it('holds the public origin against the header when one is set', async () => {
    const behind = await startTestApp(t, { config: { publicOrigin: 'https://lane.example' } });
    const send = (origin: string) =>
      procedureCaller(behind.url).mutate('auth.signOut', undefined, { origin });
    expect((await send('https://lane.example')).status).toBe(200);
    const wrong = await send(behind.url);
    await behind.close();
    expect([wrong.status, wrong.error?.message]).toEqual([
      403,
      'This request came from another site. Open https://lane.example and try again.',
    ]);
  });

  it('does not stand in the way of programs with a token', async () => {
    const created = await call.mutate<{ secret: string }>(
      'auth.tokens.create',
      { name: 'robot', scopes: ['read'] },
      { cookie },
    );
    const answer = await call.mutate('auth.signOut', undefined, { token: created.data?.secret });
    expect(answer.status).toBe(200);
  });
});

describe('bad requests', () => {
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${app.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  it('says that a body is no JSON', async () => {
    const response = await post('/api/trpc/auth.signIn', '{"json": {');
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text).toContain('The request body is not valid JSON.');
  });

  it('refuses an announced body over 1 MB, and one that grows over it', async () => {
    const announced = await post('/api/trpc/auth.signIn', JSON.stringify({ json: 'x'.repeat(1_100_000) }));
    expect([announced.status, await announced.text()]).toEqual([
      413,
      expect.stringContaining('too large: 1 MB at most'),
    ]);
    const chunks = new ReadableStream({
      start(controller) {
        for (let chunk = 0; chunk < 12; chunk += 1)
          controller.enqueue(new TextEncoder().encode('x'.repeat(100_000)));
        controller.close();
      },
    });
    const grown = await fetch(`${app.url}/api/trpc/auth.signIn`, {
      method: 'POST',
      body: chunks,
      headers: { 'content-type': 'application/json' },
      duplex: 'half',
    } as RequestInit);
    expect([grown.status, await grown.text()]).toEqual([
      413,
      expect.stringContaining('too large: 1 MB at most'),
    ]);
    expect((await call.query('auth.me', { cookie })).data).not.toBeNull();
  });

  it('refuses other content types and oversized batches', async () => {
    const form = await post('/api/trpc/auth.signIn', 'a=b', { 'content-type': 'text/plain' });
    expect(form.status).toBe(415);
    const names = Array.from({ length: 21 }, () => 'auth.me').join(',');
    const batch = await get(`/api/trpc/${names}?batch=1&input=%7B%7D`);
    expect(batch.status).toBe(400);
  });

  it('never answers with a stack or a path of ours', async () => {
    const answers = await Promise.all([
      get('/%E0%A4%A', { accept: 'text/html' }),
      get('/api/trpc/no.such.procedure'),
      get('/api/trpc/auth.signIn'),
      get('/api/elsewhere'),
      get('/files/outputs/not-an-id'),
      post('/api/trpc/auth.signIn', 'nonsense'),
      post('/api/trpc/auth.tokens.create', '{"json":{}}', { authorization: 'Bearer sdl_nonsense' }),
      get('/metrics'),
      get('/nowhere', { accept: 'text/html' }),
    ]);
    for (const response of answers) {
      const text = await response.text();
      expect(response.status, text).toBeGreaterThanOrEqual(400);
      expect(response.status, text).toBeLessThan(500);
      expect(text).not.toMatch(/node_modules|\.ts:|\bat \w+ \(|"stack"/);
    }
  });

  it('hides what broke inside from callers, and passwords from the log', async () => {
    const broken = await startTestApp(t, {
      config: { signUpCredits: Number.NaN },
    });
    const input = { email: 'broken@example.com', displayName: 'B', password: 'do not print this one' };
    const answer = await procedureCaller(broken.url).mutate('auth.signUp', input);
    await broken.close();
    expect(answer.status).toBe(500);
    expect(answer.error?.message).toBe(
      'Something went wrong on our side. Nothing was charged twice; try again.',
    );
    const log = broken.log.join('\n');
    expect(log).toContain('A procedure failed');
    expect(log).not.toContain(input.password);
    expect(log).not.toContain('argon2id');
  });
});

describe('access log', () => {
  it('has one line per request without query, cookie or token', async () => {
    await get('/nowhere?token=sdl_secret-in-query', {
      cookie: 'sidelane_session=secret-cookie',
      'x-request-id': 'given-id-1',
    });
    await expect.poll(() => app.log.filter((line) => line.includes('given-id-1'))).toHaveLength(1);
    const line = app.log.find((entry) => entry.includes('given-id-1')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ level: 'info', method: 'GET', path: '/nowhere', status: 404 });
    expect(app.log.join('\n')).not.toMatch(/secret-in-query|secret-cookie/);
  });
});

describe('/metrics', () => {
  it('is closed without the service token', async () => {
    expect((await get('/metrics')).status).toBe(401);
    expect((await get('/metrics', { authorization: 'Bearer wrong-token-0123456789abcdef0123' })).status).toBe(
      401,
    );
    expect((await get('/metrics', { cookie })).status).toBe(401);
  });

  it('shows work and process, and nobody', async () => {
    const task = await createTask(t.db, { kind: 'image' });
    await createTask(t.db, { kind: 'image', status: 'failed' });
    const response = await get('/metrics', { authorization: `Bearer ${SERVICE_TOKEN}` });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await response.text();
    for (const line of [
      'sidelane_tasks{status="queued"} 1',
      'sidelane_tasks{status="running"} 0',
      'sidelane_tasks_ended_last_day{status="failed"} 1',
      'sidelane_tasks_due 1',
      'sidelane_refunds{status="pending"} 1',
      'sidelane_steps_in_flight{class="poll"} 3',
      'sidelane_database_up 1',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toContain('sidelane_http_request_seconds_bucket{');
    for (const personal of [task.userId, task.id, 'ada@example.com', '/nowhere'])
      expect(text).not.toContain(personal);
  });

  it('stays closed when no service token is set', async () => {
    const without = await startTestApp(t, { serviceToken: 'short' });
    const response = await fetch(`${without.url}/metrics`, { headers: { authorization: 'Bearer short' } });
    await without.close();
    expect(response.status).toBe(401);
  });
});

describe('service token', () => {
  it('opens maintenance and nothing of any user', async () => {
    const token = SERVICE_TOKEN;
    const headers = { 'x-sidelane-worker-id': 'worker-1', 'x-sidelane-protocol': '1' };
    const heartbeat = { version: '0.1.0', startedAt: new Date(), lanes: [] };
    const beat = await call.mutate('maintenance.heartbeat', heartbeat, { token, headers });
    expect(beat.data).toMatchObject({ accepted: true });
    expect(await t.sql`select 1 from maintenance_workers where worker_id = 'worker-1'`).toHaveLength(1);
    expect((await call.query('billing.balance', { token, headers })).status).toBe(401);
    expect((await call.query('workers.list', { token, headers })).status).toBe(404);
    expect((await call.mutate('maintenance.heartbeat', heartbeat, { cookie, headers })).status).toBe(401);
  });
});

describe('admin procedures', () => {
  it('look like nothing to users and open to administrators', async () => {
    expect((await call.query('workers.list')).status).toBe(401);
    expect((await call.query('workers.list', { cookie })).status).toBe(404);
    await t.sql`update users set role = 'admin' where email = 'ada@example.com'`;
    expect((await call.query('workers.list', { cookie })).status).toBe(200);
    const created = await call.mutate<{ secret: string }>(
      'auth.tokens.create',
      { name: 'of an admin', scopes: ['read'] },
      { cookie },
    );
    expect((await call.query('workers.list', { token: created.data?.secret })).status).toBe(404);
    await t.sql`update users set role = 'user' where email = 'ada@example.com'`;
  });
});
