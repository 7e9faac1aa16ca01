import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { maintenanceWorkers, orders, paymentRefunds, sessions } from '#server/db/schema/index.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
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
function callerOf(identity: Identity, web: TestApp = app) {
  const context: Context = {
    deps: web.deps,
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
    lastResult: { claimed: 0 },
    lastFound: { at: new Date('2026-01-01T00:00:01Z'), counts: { claimed: 3 } },
    nextKnockAt: new Date('2026-01-01T00:00:02Z'),
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
});

describe('workers.list', () => {
  it('shows a daemon of before results were told', async () => {
    const older = lanes.map(({ lastResult: _1, lastFound: _2, nextKnockAt: _3, ...lane }) => lane);
    await daemon('older').maintenance.heartbeat({ ...beat, lanes: older as LaneReport[] });
    const found = (await listWorkers(app.deps)).find(({ workerId }) => workerId === 'older');
    expect(found?.lanes).toEqual([{ ...older[0], lastResult: null, lastFound: null, nextKnockAt: null }]);
  });

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
      maintenance.orders.expire({}),
      maintenance.invites.settle({}),
      maintenance.webhooks.deliver({}),
      maintenance.retention.run({}),
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
      maintenance.orders.expire({}),
      maintenance.invites.settle({}),
      maintenance.webhooks.deliver({}),
      maintenance.retention.run({}),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(text) });
    }
    expect(await listWorkers(app.deps)).toEqual([]);
  });

  it.each([0, 501, 1.5])('refuses %s rows per turn in every lane', async (limit) => {
    const { maintenance } = daemon();
    for (const call of [
      maintenance.billingRefunds.run({ limit }),
      maintenance.orders.expire({ limit }),
      maintenance.invites.settle({ limit }),
      maintenance.webhooks.deliver({ limit }),
      maintenance.retention.run({ limit }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
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

describe('the lanes of money and retention', () => {
  it('answer that there is nothing to do when there is not', async () => {
    const { maintenance } = daemon();
    expect(await maintenance.billingRefunds.run({})).toEqual({
      claimed: 0,
      settled: 0,
      retried: 0,
      manual: 0,
      nextDueAt: null,
    });
    expect(await maintenance.orders.expire({})).toMatchObject({ expired: 0, creditsExpired: 0 });
    expect(await maintenance.invites.settle({})).toMatchObject({ claimed: 0, rewarded: 0, clawedBack: 0 });
    expect(await maintenance.webhooks.deliver({})).toEqual({
      claimed: 0,
      delivered: 0,
      retried: 0,
      failed: 0,
      lost: 0,
      nextDueAt: null,
    });
    expect(await maintenance.retention.run({})).toMatchObject({
      counts: {},
      failed: 0,
      hasMore: false,
      nextDueAt: expect.any(Date),
    });
  });

  it('run what they are for, at most the limit', async () => {
    const user = await createUser(t.db);
    const order = (n: number) => ({
      userId: user.id,
      title: '100 credits',
      credits: 100,
      amountMinor: 500,
      currency: 'EUR',
      requestKey: `key-${n}`,
      provider: 'sandbox',
      expiresAt: new Date(Date.now() - 1_000),
    });
    await t.db.insert(orders).values([order(1), order(2), order(3)]);
    const old = { userId: user.id, expiresAt: new Date(Date.now() - 1_000) };
    await t.db.insert(sessions).values(['a', 'b', 'c'].map((letter) => ({ ...old, id: letter.repeat(64) })));

    expect(await daemon().maintenance.orders.expire({ limit: 2 })).toMatchObject({ expired: 2 });
    expect(await daemon().maintenance.orders.expire({ limit: 2 })).toMatchObject({ expired: 1 });
    expect(await daemon().maintenance.retention.run({ limit: 2 })).toMatchObject({
      counts: { sessions: 2 },
      hasMore: true,
    });
    expect(await daemon().maintenance.retention.run({ limit: 2 })).toMatchObject({
      counts: { sessions: 1 },
      hasMore: false,
    });
  });

  it('add up what credits and money were given back', async () => {
    await createTask(t.db, { status: 'failed' });
    await createTask(t.db, { status: 'failed' });
    const buyer = await createUser(t.db, { balanceCredits: 0 });
    const [order] = await t.db
      .insert(orders)
      .values({
        userId: buyer.id,
        title: '100 credits',
        credits: 100,
        amountMinor: 500,
        currency: 'EUR',
        requestKey: 'refunded',
        provider: 'sandbox',
        expiresAt: new Date(),
        status: 'expired',
        endedAt: new Date(),
      })
      .returning();
    const refund = (key: string, nextAttemptAt: Date) => ({
      key,
      orderId: order?.id ?? '',
      userId: buyer.id,
      provider: 'sandbox',
      paymentId: key,
      amountMinor: 250,
      currency: 'EUR',
      origin: 'automatic' as const,
      reason: 'Paid too late',
      actor: 'payments',
      nextAttemptAt,
    });
    const later = new Date(Date.now() + 3_600_000);
    await t.db.insert(paymentRefunds).values([refund('due', new Date(0)), refund('later', later)]);
    // Nobody takes payments here: an operator has to send this money back.
    expect(await daemon().maintenance.billingRefunds.run({})).toEqual({
      claimed: 3,
      settled: 2,
      retried: 0,
      manual: 1,
      nextDueAt: later,
    });
  });
});

describe('a schema that is not migrated, or half', () => {
  const NOTHING = { message: expect.stringContaining('npm run db:migrate') };

  it('is answered by every lane with nothing done and what to do', async () => {
    const empty = await createTestDatabase({ migrated: false });
    const bare = await startTestApp(empty);
    try {
      const { maintenance } = callerOf({ type: 'service', workerId: 'w', protocol: PROTOCOL_VERSION }, bare);
      expect(await maintenance.billingRefunds.run({})).toMatchObject({ claimed: 0, ...NOTHING });
      expect(await maintenance.orders.expire({})).toMatchObject({ expired: 0, ...NOTHING });
      expect(await maintenance.invites.settle({})).toMatchObject({ claimed: 0, ...NOTHING });
      expect(await maintenance.webhooks.deliver({})).toMatchObject({ claimed: 0, ...NOTHING });
      expect(await maintenance.retention.run({})).toMatchObject({ counts: {}, failed: 0, ...NOTHING });
    } finally {
      await bare.close();
      await empty.close();
    }
  });

  it('is answered so too when only the newest tables are missing', async () => {
    const half = await createTestDatabase();
    const bare = await startTestApp(half);
    try {
      await half.sql.unsafe(
        'drop table invites, payment_refunds, credit_bucket_moves, credit_buckets, webhook_deliveries cascade',
      );
      await half.sql.unsafe('alter table users drop column output_retention_days');
      const { maintenance } = callerOf({ type: 'service', workerId: 'w', protocol: PROTOCOL_VERSION }, bare);
      for (const answer of [
        await maintenance.billingRefunds.run({}),
        await maintenance.orders.expire({}),
        await maintenance.invites.settle({}),
        await maintenance.webhooks.deliver({}),
        await maintenance.retention.run({}),
      ]) {
        expect(answer).toMatchObject(NOTHING);
      }
    } finally {
      await bare.close();
      await half.close();
    }
  });
});
