import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { killDaemons, startDaemon } from '#daemon/testing/daemon-process.ts';
import { type DbHandle, openDb } from '#server/db/client.ts';
import { createExecutor } from '#server/generation/executor.ts';
import { SERVICE_TOKEN, startTestApp, type TestApp } from '#server/http/test-app.ts';
import { procedureCaller } from '#server/http/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createDueWatcher, type DueWatcher } from './due-watcher.ts';
import { listWorkers } from './list-workers.ts';
import { NOT_MIGRATED } from './when-migrated.ts';

const patient = { timeout: 60_000, interval: 20 };
const HEADERS = { 'x-sidelane-protocol': '1', 'x-sidelane-worker-id': 'w' };
const quick = { BACKOFF_BASE_MS: '250', BACKOFF_CAP_MS: '250', HEARTBEAT_SECONDS: '1' };

let t: TestDatabase;
let web: Web;
beforeAll(async () => {
  t = await createTestDatabase();
  web = await startWeb(t);
});
afterAll(async () => {
  await web.close();
  await t.close();
});
afterEach(killDaemons);

/** HTTP side, executor and due-watcher of a web process over one database, as `main.ts` puts them together. */
type Web = TestApp & { dueWatcher: DueWatcher };
async function startWeb(handle: Pick<DbHandle, 'db' | 'sql'>, serviceToken?: string): Promise<Web> {
  let executor: ReturnType<typeof createExecutor> | undefined;
  let dueWatcher: DueWatcher | undefined;
  const app = await startTestApp(handle, {
    serviceToken,
    executor: {
      id: 'lazy',
      run: (input) => required(executor).run(input),
      kick: (ids) => required(executor).kick(ids),
      pushUser: (id) => required(executor).pushUser(id),
      stats: () => required(executor).stats(),
      drain: () => required(executor).drain(),
    },
    dueWatcher: {
      sequence: () => required(dueWatcher).sequence(),
      wait: (options) => required(dueWatcher).wait(options),
      close: () => required(dueWatcher).close(),
    },
  });
  executor = createExecutor(app.deps);
  const watcher = createDueWatcher({
    sql: handle.sql,
    pooled: false,
    due: app.deps.due,
    logger: app.deps.logger,
  });
  dueWatcher = watcher;
  await vi.waitFor(() => expect(watcher.sequence()).toBeGreaterThan(0), patient);
  return {
    ...app,
    dueWatcher: watcher,
    async close() {
      await watcher.close();
      await required(executor).drain();
      await app.close();
    },
  };
}
function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Not started yet');
  return value;
}

/** A database in which no migration has run. */
async function createEmptyDatabase(): Promise<DbHandle & { drop(): Promise<void> }> {
  const { adminUrl, clonePrefix } = inject('testServer');
  const name = `${clonePrefix}empty`;
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} });
  await admin`drop database if exists ${admin(name)} with (force)`;
  await admin`create database ${admin(name)}`;
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const handle = openDb({ url: url.href, max: 4, applicationName: 'sidelane-test' });
  return {
    ...handle,
    async drop() {
      await handle.close();
      await admin`drop database if exists ${admin(name)} with (force)`;
      await admin.end();
    },
  };
}

describe('over HTTP', () => {
  const knock = (url: string, token: string | undefined, headers: Record<string, string> = HEADERS) =>
    procedureCaller(url).mutate('maintenance.billingRefunds.run', { limit: 5 }, { token, headers });

  it('serves the right token and refuses a wrong, a short and a missing one', async () => {
    expect((await knock(web.url, SERVICE_TOKEN)).status).toBe(200);
    for (const token of [`${SERVICE_TOKEN}x`, SERVICE_TOKEN.slice(0, -1), 'short', undefined]) {
      const answer = await knock(web.url, token);
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain(SERVICE_TOKEN);
    }
    expect(web.log.join('\n')).not.toContain(SERVICE_TOKEN);
  });

  it('stays closed when its own token is short', async () => {
    const closed = await startTestApp(t, { serviceToken: 'short' });
    try {
      expect((await knock(closed.url, 'short')).status).toBe(401);
      expect((await knock(closed.url, SERVICE_TOKEN)).status).toBe(401);
    } finally {
      await closed.close();
    }
  });

  it('answers 409 with one clear sentence for another protocol and for none', async () => {
    for (const headers of [{ 'x-sidelane-protocol': '99' }, {}] as Record<string, string>[]) {
      const answer = await knock(web.url, SERVICE_TOKEN, headers);
      expect(answer.status).toBe(409);
      expect(answer.error?.message).toMatch(/protocol/);
    }
  });

  it('lets a knock wait, and answers it when a row may be due', async () => {
    const call = procedureCaller(web.url).mutate<{ claimed: number; waitedMs: number }>(
      'maintenance.generationTasks.run',
      { lane: 0, waitMs: 20_000 },
      { token: SERVICE_TOKEN, headers: HEADERS },
    );
    let answered = false;
    void call.then(() => {
      answered = true;
    });
    const waking = setInterval(() => web.deps.due.wake(), 50);
    const answer = await call.finally(() => clearInterval(waking));
    expect(answered).toBe(true);
    expect(answer.status).toBe(200);
    expect(answer.data).toMatchObject({ claimed: 0 });
    expect(answer.data?.waitedMs).toBeLessThan(20_000);
  });
});

describe('a database without tables', () => {
  it('is an answer with nothing found and what to do, never an error', async () => {
    const empty = await createEmptyDatabase();
    const bare = await startWeb(empty);
    try {
      const { mutate } = procedureCaller(bare.url);
      const options = { token: SERVICE_TOKEN, headers: HEADERS };
      const tasks = await mutate('maintenance.generationTasks.run', { lane: 0, waitMs: 20_000 }, options);
      expect([tasks.status, tasks.data]).toEqual([
        200,
        expect.objectContaining({ claimed: 0, message: NOT_MIGRATED }),
      ]);
      const refunds = await mutate('maintenance.billingRefunds.run', {}, options);
      expect([refunds.status, refunds.data]).toEqual([
        200,
        expect.objectContaining({ claimed: 0, message: NOT_MIGRATED }),
      ]);
      const beat = { version: '0', startedAt: new Date(), lanes: [] };
      const heartbeat = await mutate('maintenance.heartbeat', beat, options);
      expect([heartbeat.status, heartbeat.data]).toEqual([
        200,
        expect.objectContaining({ accepted: false, message: NOT_MIGRATED }),
      ]);

      const daemon = startDaemon({ SIDELANE_ORIGIN: bare.url, MAINTENANCE_TOKEN: SERVICE_TOKEN, ...quick });
      // The heartbeat and each of the six lanes, once.
      await expect
        .poll(() => daemon.lines().filter((line) => line.includes(NOT_MIGRATED)).length, patient)
        .toBe(7);
      daemon.child.kill('SIGTERM');
      expect(await daemon.exited).toBe(0);
    } finally {
      await bare.close();
      await empty.drop();
    }
  });
});

describe('a real daemon at a real web process', () => {
  it('shows up with its lanes, waits without a claim per second, and leaves cleanly', async () => {
    const env = { SIDELANE_ORIGIN: web.url, MAINTENANCE_TOKEN: SERVICE_TOKEN, WORKER_ID: 'real', ...quick };
    const daemon = startDaemon(env);
    const self = async () => (await listWorkers(web.deps)).find((worker) => worker.workerId === 'real');
    // Two generation loops, and one each for refunds, orders, invites, webhooks and retention.
    await expect.poll(async () => (await self())?.lanes.length, patient).toBe(7);
    await expect
      .poll(
        async () =>
          (await self())?.lanes.filter((lane) => lane.name === 'generation').map((lane) => lane.state),
        patient,
      )
      .toEqual(['knocking', 'knocking']);
    daemon.child.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
    expect(new Set((await self())?.lanes.map((lane) => lane.state))).toEqual(new Set(['stopped']));
    expect(daemon.lines()).toEqual([
      'Generation worker started: real',
      'Stopping signal="SIGTERM"',
      'Stopped',
    ]);
  });

  it('says once that its token is wrong, and works on when the web process takes it', async () => {
    const other = 'another-service-token-0123456789abcdef';
    const strict = await startTestApp(t, { serviceToken: other });
    const daemon = startDaemon({ SIDELANE_ORIGIN: strict.url, MAINTENANCE_TOKEN: SERVICE_TOKEN, ...quick });
    const refusals = () => daemon.lines().filter((line) => line.includes('refused the service token'));
    await expect.poll(() => refusals().length, patient).toBe(1);
    const before = strict.log.filter((line) => line.includes('maintenance.')).length;
    await expect
      .poll(() => strict.log.filter((line) => line.includes('maintenance.')).length, patient)
      .toBeGreaterThan(before);
    expect(refusals()).toHaveLength(1);
    daemon.child.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
    await strict.close();
  });
});
