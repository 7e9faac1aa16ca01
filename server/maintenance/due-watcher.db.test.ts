import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DbHandle, openDb } from '#server/db/client.ts';
import { createDueSignal, type DueSignal } from '#server/lib/due-signal.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { DUE_CHANNEL, NOTIFY_EVERY_MS } from './due-channel-queries.ts';
import { createDueWatcher, type DueWatcher, MAX_WAITERS, type WaitEnd } from './due-watcher.ts';

const patient = { timeout: 60_000, interval: 10 };
const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), child: vi.fn() };

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());

/** The due side of a web process. */
type Web = { due: DueSignal; watcher: DueWatcher; ends: string[]; wait(who: string, options?: object): void };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startWeb(sql: DbHandle['sql'] = t.sql): Promise<Web> {
  const due = createDueSignal();
  const watcher = createDueWatcher({ sql, pooled: false, due, logger });
  closers.push(() => watcher.close());
  // Listening is the first news.
  await expect.poll(() => watcher.sequence(), patient).toBeGreaterThan(0);
  const ends: string[] = [];
  return {
    due,
    watcher,
    ends,
    wait(who, options = {}) {
      void watcher
        .wait({ waitMs: 120_000, nextDueAt: null, ...options })
        .then((end: WaitEnd) => ends.push(`${who} ${end}`));
    },
  };
}

/** Notifications as another process sees them. */
async function spy(): Promise<{ payloads: string[] }> {
  const payloads: string[] = [];
  const { unlisten } = await t.sql.listen(DUE_CHANNEL, (payload) => payloads.push(payload));
  closers.push(unlisten);
  return { payloads };
}

describe('across web processes', () => {
  let a: Web;
  let b: Web;
  beforeEach(async () => {
    a = await startWeb();
    b = await startWeb();
  });

  it('wakes a lane that waits at another process, with an empty notification', async () => {
    const { payloads } = await spy();
    b.wait('lane');
    a.due.wake();
    await expect.poll(() => b.ends, patient).toEqual(['lane woken']);
    await expect.poll(() => payloads, patient).toEqual(['']);
  });

  it('wakes no second lane of its own by the echo of its notification', async () => {
    const { payloads } = await spy();
    for (const who of ['first', 'second']) a.wait(who);
    b.wait('other');
    a.due.wake();
    await expect.poll(() => b.ends, patient).toEqual(['other woken']);
    await expect.poll(() => payloads.length, patient).toBe(1);
    await pause(40);
    expect(a.ends).toEqual(['first woken']);
  });

  it('sends at most one notification per 250 ms, and one after the last wake', async () => {
    const { payloads } = await spy();
    const startedAt = performance.now();
    for (let round = 0; round < 40; round += 1) {
      for (let burst = 0; burst < 25; burst += 1) a.due.wake();
      await pause(20);
    }
    // A trailing notification is due for the last burst: the next look of another process needs it.
    await expect.poll(() => payloads.length, patient).toBeGreaterThanOrEqual(2);
    await pause(40);
    const most = Math.ceil((performance.now() - startedAt) / NOTIFY_EVERY_MS) + 1;
    expect(payloads.length).toBeLessThanOrEqual(most);
    const seen = b.watcher.sequence();
    a.due.wake();
    a.due.wake();
    await expect.poll(() => b.watcher.sequence(), patient).toBeGreaterThan(seen);
  });

  it('tells of a wake that fell into the pause after a notification', async () => {
    const { payloads } = await spy();
    a.due.wake();
    await expect.poll(() => payloads.length, patient).toBe(1);
    a.due.wake();
    await expect.poll(() => payloads.length, patient).toBe(2);
  });

  it('wakes all lanes of another process when a burst goes on', async () => {
    for (const who of ['1', '2', '3', '4']) b.wait(who);
    for (let round = 0; round < 4; round += 1) a.due.wake();
    await expect.poll(() => b.ends.length, patient).toBe(4);
  });

  it('does not miss news between the look and the wait', async () => {
    const since = b.watcher.sequence();
    a.due.wake();
    await expect.poll(() => b.watcher.sequence(), patient).toBeGreaterThan(since);
    expect(await b.watcher.wait({ waitMs: 120_000, nextDueAt: null, since })).toBe('woken');
  });

  it('tells another process of an announced moment when no lane waits here', async () => {
    b.wait('lane');
    a.due.wake(new Date(Date.now() + 300));
    await expect.poll(() => b.ends, patient).toEqual(['lane woken']);
  });

  it('wakes everybody when it listens again after its connection was cut, and hears news again', async () => {
    for (const who of ['1', '2']) b.wait(who);
    const cut = await t.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen%'`;
    expect(cut.length).toBeGreaterThanOrEqual(2);
    await expect.poll(() => b.ends.length, patient).toBe(2);
    await expect.poll(() => a.watcher.sequence(), patient).toBeGreaterThan(1);
    b.wait('again');
    a.due.wake();
    await expect.poll(() => b.ends.length, patient).toBe(3);
  });
});

it('holds no connection of the pool while 64 lanes wait, and answers the next at once', async () => {
  const pool = t.open({ max: 1 });
  const web = await startWeb(pool.sql);
  for (let index = 0; index < MAX_WAITERS; index += 1) web.wait(`lane ${index}`);
  expect(await web.watcher.wait({ waitMs: 120_000, nextDueAt: null })).toBe('full');
  expect(await pool.sql`select 1 as one`).toEqual([{ one: 1 }]);
  expect(web.ends).toEqual([]);
});

it('lives through an outage of the database, at its start too, and hears news afterwards', async () => {
  const proxy = await startProxy(new URL(t.url));
  closers.push(() => proxy.stop());
  await proxy.stop();
  const away = openDb({ url: proxy.url, max: 2, applicationName: 'sidelane-test' });
  closers.push(() => away.close());
  const due = createDueSignal();
  const watcher = createDueWatcher({ sql: away.sql, pooled: false, due, logger });
  closers.push(() => watcher.close());
  const other = await startWeb();

  // Without LISTEN one lane is woken per second.
  expect(await watcher.wait({ waitMs: 120_000, nextDueAt: null })).toBe('woken');
  await proxy.start();
  await expect.poll(() => watcher.sequence(), patient).toBe(1);
  await proxy.stop();
  due.wake();
  await proxy.start();
  await expect.poll(() => watcher.sequence(), patient).toBeGreaterThanOrEqual(3);
  const since = watcher.sequence();
  other.due.wake();
  await expect.poll(() => watcher.sequence(), patient).toBeGreaterThan(since);
});

/** A TCP forwarder in front of the database, which can be taken away and brought back. */
async function startProxy(target: URL) {
  const sockets = new Set<Socket>();
  let server: Server;
  let port = 0;
  const start = async () => {
    server = createServer((client) => {
      const upstream = connectTcp({ host: target.hostname, port: Number(target.port || 5432) });
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      }
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    port = (server.address() as { port: number }).port;
  };
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  await start();
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return { url: url.href, start, stop };
}
