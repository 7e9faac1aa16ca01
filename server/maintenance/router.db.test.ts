import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { maintenanceWorkers } from '#server/db/schema/index.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import type { Context, Identity } from '#server/trpc/context.ts';
import { createCallerFactory } from '#server/trpc/init.ts';
import { appRouter } from '#server/trpc/root.ts';
import { listWorkers, readDaemonPresence } from './list-workers.ts';
import type { HeartbeatInput, LaneReport } from './schemas.ts';
import { OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION } from './schemas.ts';

let t: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t);
});
afterAll(async () => {
  await app.close();
  await t.close();
});
afterEach(() => t.db.delete(maintenanceWorkers));

const createCaller = createCallerFactory(appRouter);
const admin: Identity = {
  type: 'session',
  sessionId: 's',
  user: { id: 'u', email: 'admin@example.com', displayName: 'Admin', role: 'admin' },
};
function callerOf(identity: Identity) {
  const context: Context = {
    deps: app.deps,
    executor: {
      id: 'e',
      run: async () => ({ ...nothing, nextDueAt: null }),
      kick: () => {},
      pushUser: () => {},
      stats: () => ({ inFlight: { poll: 0, create: 0, transfer: 0, compose: 0 }, draining: false }),
      drain: async () => {},
    },
    dueWatcher: { sequence: () => 0, wait: async () => 'timeout', close: async () => {} },
    identity,
    requestId: 'r',
    clientAddress: '127.0.0.1',
    userAgent: undefined,
    setCookie: () => {},
    signal: undefined,
  };
  return createCaller(context);
}
const nothing = {
  claimed: 0,
  advanced: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  uncertain: 0,
  lost: 0,
  inFlight: 0,
  backlog: 0,
};
const daemon = (workerId = 'worker-1', protocol = PROTOCOL_VERSION) =>
  callerOf({ type: 'service', workerId, protocol });
const lanes: LaneReport[] = [
  {
    name: 'generation',
    number: 0,
    state: 'knocking',
    knocks: 4,
    failures: 1,
    lastKnockAt: new Date('2026-01-01T00:00:00Z'),
    lastError: 'ECONNREFUSED',
  },
];
const beat: HeartbeatInput = { version: '0.1.0', startedAt: new Date('2026-01-01T00:00:00Z'), lanes };

/** Makes a daemon look as if it was last seen so long ago. */
const age = (workerId: string, seconds: number) =>
  t.db
    .update(maintenanceWorkers)
    .set({ lastSeenAt: sql`now() - make_interval(secs => ${seconds})` })
    .where(eq(maintenanceWorkers.workerId, workerId));

describe('maintenance.heartbeat', () => {
  it('records who is there and what its lanes do, and counts', async () => {
    expect(await daemon().maintenance.heartbeat(beat)).toMatchObject({ accepted: true });
    await daemon().maintenance.heartbeat({ ...beat, version: '0.2.0' });
    const workers = await listWorkers(app.deps);
    expect(workers).toHaveLength(1);
    expect(workers[0]).toMatchObject({
      workerId: 'worker-1',
      version: '0.2.0',
      protocol: PROTOCOL_VERSION,
      compatible: true,
      startedAt: beat.startedAt,
      freshness: 'fresh',
      heartbeats: 2,
      lanes,
    });
  });

  it('forgets daemons that were not seen for a week when a new one comes', async () => {
    await daemon('old').maintenance.heartbeat(beat);
    await daemon('recent').maintenance.heartbeat(beat);
    await age('old', 8 * 86_400);
    await age('recent', 6 * 86_400);
    await daemon('recent-too').maintenance.heartbeat(beat);
    expect((await listWorkers(app.deps)).map((worker) => worker.workerId)).toEqual(['recent-too', 'recent']);
  });
});

describe('workers.list', () => {
  it('tells an administrator who is fresh, late and gone, last seen first', async () => {
    for (const [workerId, seconds] of [
      ['gone', 400],
      ['late', 60],
      ['fresh', 20],
    ] as const) {
      await daemon(workerId).maintenance.heartbeat(beat);
      await age(workerId, seconds);
    }
    const workers = await callerOf(admin).workers.list();
    expect(workers.map(({ workerId, freshness }) => `${workerId} ${freshness}`)).toEqual([
      'fresh fresh',
      'late late',
      'gone gone',
    ]);
    expect(await readDaemonPresence(app.deps)).toMatchObject({
      freshWorkers: 1,
      lastSeenAt: expect.any(Date),
    });
    expect((await readDaemonPresence(app.deps)).ageSeconds).toBeGreaterThanOrEqual(20);
  });

  it('has an answer when there was never a daemon, and for rows of another release', async () => {
    expect(await readDaemonPresence(app.deps)).toEqual({
      freshWorkers: 0,
      lastSeenAt: null,
      ageSeconds: null,
    });
    await daemon().maintenance.heartbeat(beat);
    await t.db.update(maintenanceWorkers).set({ lanes: [{ something: 'else' }], protocol: 99 });
    expect(await callerOf(admin).workers.list()).toMatchObject([{ lanes: [], compatible: false }]);
  });

  it('is for administrators only', async () => {
    await expect(daemon().workers.list()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(callerOf({ type: 'anonymous' }).workers.list()).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });
});

describe('who may knock', () => {
  it.each<Identity>([
    { type: 'anonymous' },
    admin,
    { type: 'api-token', user: admin.user, tokenId: 't', scopes: ['read', 'submit', 'cancel'] },
  ])('refuses $type', async (identity) => {
    const { maintenance } = callerOf(identity);
    for (const call of [
      maintenance.heartbeat(beat),
      maintenance.generationTasks.run({ lane: 0 }),
      maintenance.billingRefunds.run({}),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    }
  });

  it('serves the oldest protocol that it still speaks, and its own', async () => {
    for (const protocol of [OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION]) {
      expect(await daemon('w', protocol).maintenance.billingRefunds.run({})).toMatchObject({ claimed: 0 });
    }
  });

  it.each([
    [PROTOCOL_VERSION + 1, 'update the web process'],
    [OLDEST_PROTOCOL_VERSION - 1, 'x-sidelane-protocol'],
    [Number.NaN, 'x-sidelane-protocol'],
    [1.5, 'x-sidelane-protocol'],
  ])('refuses protocol %s with a sentence that says what to do', async (protocol, text) => {
    const { maintenance } = daemon('w', protocol);
    for (const call of [
      maintenance.heartbeat(beat),
      maintenance.generationTasks.run({ lane: 0 }),
      maintenance.billingRefunds.run({}),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(text) });
    }
    expect(await listWorkers(app.deps)).toEqual([]);
  });

  it.each([{ lane: 0, limit: 0 }, { lane: 0, limit: 501 }, { lane: 0, waitMs: 20_001 }, { lane: -1 }])(
    'refuses input out of bounds: %o',
    async (input) => {
      await expect(daemon().maintenance.generationTasks.run(input)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    },
  );
});
