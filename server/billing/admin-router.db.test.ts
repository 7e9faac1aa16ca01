import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orders, paymentRefunds } from '#server/db/schema/index.ts';
import { systemClock } from '#server/lib/clock.ts';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { TEST_CONFIG } from '#server/testing/rig.ts';
import type { Context, Identity } from '#server/trpc/context.ts';
import { createCallerFactory } from '#server/trpc/init.ts';
import { adminBillingRouter } from './admin-router.ts';
import { captureHold } from './holds.ts';
import { clawBack, expireCredits } from './ledger.ts';
import { billingRouter } from './router.ts';
import { runRefundBatch } from './run-refund-batch.ts';
import { moneyOf } from './testing/money-rig.ts';

let t: TestDatabase;
let money: ReturnType<typeof moneyOf>;
let adminId: string;
beforeAll(async () => {
  t = await createTestDatabase({ max: 12 });
  money = moneyOf(t);
  adminId = (await createUser(t.db, { role: 'admin', balanceCredits: 0 })).id;
});
afterAll(() => t.close());

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };
function contextOf(id: string, role: 'user' | 'admin', db = t.db): Context {
  const identity: Identity = {
    type: 'session',
    sessionId: 's',
    user: { id, email: 'someone@example.com', displayName: 'Someone', role },
  };
  const deps = {
    db,
    renewalDb: t.db,
    clock: systemClock,
    config: { ...TEST_CONFIG, refundTries: 1 },
    logger,
    random: () => 0,
    newId,
  };
  return { deps, identity } as unknown as Context;
}
const admin = () => createCallerFactory(adminBillingRouter)(contextOf(adminId, 'admin'));
const newUser = async (columns: Parameters<typeof createUser>[1] = {}) =>
  (await createUser(t.db, { balanceCredits: 0, ...columns })).id;
const auditRows = (subjectId: string) =>
  t.sql`select actor_id, action, reason, data from audit_log where subject_id = ${subjectId} order by id`;

it('is closed to everybody but administrators', async () => {
  const someone = createCallerFactory(adminBillingRouter)(contextOf(newId(), 'user'));
  await expect(someone.findUsers()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(someone.audit()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

describe('users', () => {
  it('are found by part of address or name, or by id, with what they have, hold and owe, in pages', async () => {
    const mark = newId().slice(-12);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift(await newUser({ email: `${mark}-${n}@example.com`, displayName: `Näme ${mark}` }));
    }
    const [newest = '', middle = '', oldest = ''] = ids;
    await money.endBucket(await money.give(oldest, 7, 1));
    const kept = await money.give(middle, 9);
    expect(kept).toBeTruthy();
    await createTask(t.db, { userId: middle, status: 'running', holdCredits: 4 });
    await t.db.transaction((tx) =>
      clawBack(tx, { userId: newest, credits: 6, key: newId(), actor: 'test', reason: 'Chargeback' }),
    );
    const first = await admin().findUsers({ search: `NÄME ${mark.toUpperCase()}`, limit: 2 });
    expect(first.items).toMatchObject([
      { userId: newest, balanceCredits: 0, owedCredits: 6, disabled: false, deleted: false },
      { userId: middle, balanceCredits: 5, heldCredits: 4 },
    ]);
    const second = await admin().findUsers({ search: `${mark}-`, limit: 2, cursor: first.nextCursor ?? '' });
    // Its 7 credits have expired, though no sweep was by.
    expect(second).toMatchObject({ items: [{ userId: oldest, balanceCredits: 0 }], nextCursor: null });
    expect((await admin().findUsers({ search: middle })).items).toMatchObject([{ userId: middle }]);
    expect((await admin().findUsers({ search: `%${mark}` })).items).toEqual([]);
  });

  it('show their ledger with who did it and the key that makes it happen once', async () => {
    const userId = await newUser();
    await money.give(userId, 3);
    await money.give(userId, 4, 10);
    const view = await admin().userMoney({ userId, limit: 1 });
    expect(view).toMatchObject({
      user: { userId, balanceCredits: 7 },
      balance: {
        balanceCredits: 7,
        buckets: [{ remainingCredits: 4 }, { remainingCredits: 3, expiresAt: null }],
      },
      ledger: { items: [{ deltaCredits: 4, actor: 'cli', key: expect.any(String) }] },
    });
    const rest = await admin().userMoney({ userId, cursor: view.ledger.nextCursor ?? '' });
    expect(rest.ledger).toMatchObject({ items: [{ deltaCredits: 3 }], nextCursor: null });
    await expect(admin().userMoney({ userId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('an adjustment', () => {
  const form = (userId: string, credits: number, key = newId()) => ({
    userId,
    credits,
    reason: 'Makes up for an outage',
    key,
    validDays: null,
  });

  it('moves credits once per form, though it is sent five times at once, and is audited once', async () => {
    const userId = await newUser();
    const input = { ...form(userId, 50), validDays: 2 };
    const results = await Promise.all(Array.from({ length: 5 }, () => admin().adjust(input)));
    expect(results.filter(({ moved }) => moved)).toHaveLength(1);
    expect(await money.balance(userId)).toBe(50);
    const [bucket] = await money.buckets(userId);
    expect(await money.lifeOf(bucket?.id ?? '')).toBeCloseTo(2 * 86_400, -2);
    expect(await auditRows(userId)).toMatchObject([
      { actor_id: adminId, action: 'user.adjust', reason: input.reason, data: { credits: 50 } },
    ]);
    const [entry] = (await admin().userMoney({ userId })).ledger.items;
    expect(entry).toMatchObject({
      actor: `operator:${adminId}`,
      key: `adjust:${input.key}`,
      kind: 'adjustment',
    });
  });

  it('takes at most what can be spent, and says how much that is', async () => {
    const userId = await newUser();
    await money.endBucket(await money.give(userId, 100, 1));
    await money.give(userId, 8);
    await expect(admin().adjust(form(userId, -9))).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: 'Only 8 credits can be taken from this user: nothing was done. Enter at most that.',
    });
    expect(await auditRows(userId)).toEqual([]);
    expect(await admin().adjust(form(userId, -8))).toEqual({ moved: true });
    expect(await money.balance(userId)).toBe(0);
    expect(await money.mismatches(userId)).toEqual([]);
  });

  it('refuses a form that was used for something else, and users that are not there', async () => {
    const [userId, other] = [await newUser(), await newUser()];
    const input = form(userId, 5);
    await admin().adjust(input);
    await expect(admin().adjust({ ...input, credits: 6 })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(admin().adjust({ ...input, userId: other })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(admin().adjust(form(newId(), 5))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([await money.balance(userId), await money.balance(other)]).toEqual([5, 0]);
  });

  it('B50 B51 refuses what is no whole number within bounds, and a missing reason', async () => {
    const userId = await newUser();
    for (const credits of [0, 0.1 + 0.2, Number.NaN, 9e15, -9e15, 1e9 + 1]) {
      await expect(admin().adjust(form(userId, credits))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    for (const credits of ['10.0', '1e3', '-5']) {
      await expect(admin().adjust({ ...form(userId, 1), credits: credits as never })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
    await expect(admin().adjust({ ...form(userId, 1), reason: '    ' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    expect(await money.entries(userId)).toEqual([]);
  });
});

describe('a refund that waits for people', () => {
  async function manualRefund() {
    const userId = await newUser();
    await money.give(userId, 10, 5);
    const { id: taskId } = await createTask(t.db, { userId, status: 'failed', holdCredits: 10 });
    const [refund] = await t.sql`
      update credit_refunds set status = 'manual', next_attempt_at = null, attempts = 4, last_error = 'Broken'
      where task_id = ${taskId} returning id`;
    return { userId, taskId, refundId: String(refund?.id) };
  }

  it('is listed by status with its user, its error and its reason, in pages', async () => {
    const [first, second] = [await manualRefund(), await manualRefund()];
    const page = await admin().refunds({ status: 'manual', limit: 1 });
    expect(page.items).toMatchObject([
      {
        id: second.refundId,
        userEmail: `user-${second.userId}@example.com`,
        status: 'manual',
        attempts: 4,
        lastError: 'Broken',
        reason: 'upstream_failed',
      },
    ]);
    const next = await admin().refunds({ status: 'manual', limit: 1, cursor: page.nextCursor ?? '' });
    expect(next.items).toMatchObject([{ id: first.refundId }]);
  });

  it('B36 is paid once by a retry, though it is pressed five times at once', async () => {
    const { userId, taskId, refundId } = await manualRefund();
    const before = await t.sql`select version::int from generation_tasks where id = ${taskId}`;
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => admin().retryRefund({ refundId })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'CONFLICT' });
    }
    // Where the losers were still waiting for its row, the batch of the retry has passed it by; it is due for the lane.
    await runRefundBatch(contextOf(adminId, 'admin').deps, { limit: 5, workerId: null, taskIds: [taskId] });
    expect(await money.entries(userId)).toEqual(['grant 10', 'hold -10', 'refund 10']);
    expect(await auditRows(refundId)).toMatchObject([{ action: 'refund.retry', actor_id: adminId }]);
    const after = await t.sql`select version::int from generation_tasks where id = ${taskId}`;
    expect(after[0]?.version).toBeGreaterThan(before[0]?.version);
  });

  it('goes back to people when the retry fails, with the reason of now', async () => {
    const { taskId, refundId } = await manualRefund();
    await t.sql`update credit_holds set status = 'held' where task_id = ${taskId}`;
    await admin().retryRefund({ refundId });
    const [row] = await t.sql`select status, last_error from credit_refunds where id = ${refundId}`;
    expect(row).toMatchObject({
      status: 'manual',
      last_error: expect.stringContaining('not waiting for a refund'),
    });
    await expect(admin().voidRefund({ refundId, reason: 'Nothing to pay here' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    const [kept] = await t.sql`select status from credit_refunds where id = ${refundId}`;
    expect(kept?.status).toBe('manual');
    await t.sql`update credit_holds set status = 'refunding' where task_id = ${taskId}`;
  });

  it('is ended by a void: the hold is captured in full, nothing moves, and it stays so', async () => {
    const { userId, taskId, refundId } = await manualRefund();
    await expect(admin().voidRefund({ refundId, reason: 'no' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    const both = await Promise.allSettled([
      admin().voidRefund({ refundId, reason: 'It was delivered by mail' }),
      admin().retryRefund({ refundId }),
    ]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const voided = both[0]?.status === 'fulfilled';
    await runRefundBatch(contextOf(adminId, 'admin').deps, { limit: 5, workerId: null, taskIds: [taskId] });
    expect(await money.entries(userId)).toEqual(['grant 10', 'hold -10', ...(voided ? [] : ['refund 10'])]);
    const other = await manualRefund();
    await admin().voidRefund({ refundId: other.refundId, reason: 'It was delivered by mail' });
    const [hold] =
      await t.sql`select status, captured_credits::int as captured, returned_credits::int as returned
      from credit_holds where task_id = ${other.taskId}`;
    expect(hold).toMatchObject({ status: 'captured', captured: 10, returned: 0 });
    expect(await auditRows(other.refundId)).toMatchObject([
      { action: 'refund.void', reason: 'It was delivered by mail', data: { credits: 10 } },
    ]);
    await expect(admin().retryRefund({ refundId: other.refundId })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'This refund is voided and waits for nobody. Reload the page.',
    });
    await expect(admin().retryRefund({ refundId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await money.mismatches(userId, other.userId)).toEqual([]);
  });
});

describe('days', () => {
  /** A pool whose sessions live in another time zone, as on a server that is set so. */
  async function inZone<T>(zone: string, work: (db: TestDatabase['db']) => Promise<T>): Promise<T> {
    const name = new URL(t.url).pathname.slice(1);
    await t.sql.unsafe(`alter database ${name} set timezone = '${zone}'`);
    const handle = t.open({ max: 2 });
    const [shown] = await handle.sql`show timezone`;
    expect(shown?.TimeZone).toBe(zone);
    try {
      return await work(handle.db);
    } finally {
      await handle.close();
      await t.sql.unsafe(`alter database ${name} reset timezone`);
    }
  }

  it.each(['UTC', 'Asia/Shanghai', 'America/Los_Angeles', 'Europe/Berlin', 'Asia/Kathmandu'])(
    'B57 filters of the ledger mean UTC days on a server in %s, also where clocks change',
    async (zone) => {
      const userId = await newUser();
      const moments = [
        // The night in which Berlin's clocks go forward, and the second around each end of that day.
        '2026-03-28T23:59:59.999Z',
        '2026-03-29T00:00:00Z',
        '2026-03-29T01:30:00Z',
        '2026-03-29T23:59:59.999Z',
        '2026-03-30T00:00:01Z',
      ];
      for (const [n, at] of moments.entries()) {
        await t.sql`
          insert into credit_ledger (id, user_id, kind, delta_credits, balance_after_credits, key, actor, reason, created_at)
          values (${newId()}, ${userId}, ${n % 2 ? 'grant' : 'adjustment'}, 1, ${n + 1}, ${newId()}, 'cli', 'Test', ${at})`;
      }
      const shown = await inZone(zone, (db) => {
        const own = createCallerFactory(billingRouter)(contextOf(userId, 'user', db));
        const at = async (input: Parameters<typeof own.ledger>[0]) =>
          (await own.ledger(input)).items.map((item) => item.at.toISOString());
        return Promise.all([
          at({ from: '2026-03-29', to: '2026-03-29' }),
          at({ to: '2026-03-28' }),
          at({ from: '2026-03-30' }),
          at({ from: '2026-03-29', to: '2026-03-29', kind: 'grant' }),
        ]);
      });
      const iso = moments.map((at) => new Date(at).toISOString());
      expect(shown).toEqual([[iso[3], iso[2], iso[1]], [iso[0]], [iso[4]], [iso[3], iso[1]]]);
      const own = createCallerFactory(billingRouter)(contextOf(userId, 'user'));
      await expect(own.ledger({ from: '2026-02-30' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      await t.sql.begin(async (sql) => {
        await sql`set local session_replication_role = replica`;
        await sql`delete from credit_ledger where user_id = ${userId}`;
      });
    },
  );

  it.each(['UTC', 'Asia/Shanghai', 'America/Los_Angeles'])(
    'B57 the summary counts UTC days on a server in %s, empty ones too',
    async (zone) => {
      const summary = () =>
        inZone(zone, (db) =>
          createCallerFactory(adminBillingRouter)(contextOf(adminId, 'admin', db)).dailySummary({ days: 3 }),
        );
      const before = await summary();
      const today = new Date().toISOString().slice(0, 10);
      expect(before.map((day) => Date.parse(today) - Date.parse(day.day))).toEqual([
        172_800_000, 86_400_000, 0,
      ]);

      const userId = await newUser();
      await money.give(userId, 100);
      await money.endBucket(await money.give(userId, 5, 1));
      await t.db.transaction((tx) => expireCredits(tx, userId));
      const { id: taskId } = await createTask(t.db, { userId, status: 'running', holdCredits: 10 });
      await t.db.transaction((tx) => captureHold(tx, { taskId, capturedCredits: 7 }));
      await t.sql`update generation_tasks set status = 'succeeded', has_outputs = true, next_poll_at = null,
        finished_at = now() where id = ${taskId}`;
      await t.db.transaction((tx) =>
        clawBack(tx, { userId, credits: 11, key: newId(), actor: 'test', reason: 'Chargeback' }),
      );
      const paymentId = newId();
      const orderId = newId();
      const yesterday = new Date(Date.parse(today) - 1);
      await t.db.insert(orders).values({
        id: orderId,
        userId,
        title: 'Pack',
        credits: 10,
        amountMinor: 900,
        currency: 'EUR',
        provider: 'sandbox',
        requestKey: newId(),
        status: 'refunding',
        paymentId,
        paidAt: yesterday,
        expiresAt: yesterday,
        refundedMinor: 300,
      });
      const refund = { orderId, userId, provider: 'sandbox', currency: 'EUR', origin: 'automatic' as const };
      await t.db.insert(paymentRefunds).values([
        {
          ...refund,
          key: newId(),
          paymentId,
          amountMinor: 300,
          status: 'settled',
          settledAt: new Date(),
          reason: 'r',
          actor: 'a',
        },
        // A second payment, which went back: neither revenue nor a refund of it.
        {
          ...refund,
          key: newId(),
          paymentId: newId(),
          amountMinor: 900,
          status: 'settled',
          settledAt: new Date(),
          reason: 'r',
          actor: 'a',
        },
      ]);
      const after = await summary();
      const gained = (
        n: number,
        key:
          | 'givenCredits'
          | 'chargedCredits'
          | 'returnedCredits'
          | 'expiredCredits'
          | 'takenBackCredits'
          | 'ordersPaid',
      ) => (after[n]?.[key] ?? 0) - (before[n]?.[key] ?? 0);
      expect(
        (
          ['givenCredits', 'chargedCredits', 'returnedCredits', 'expiredCredits', 'takenBackCredits'] as const
        ).map((key) => gained(2, key)),
      ).toEqual([105, 7, 3, 5, 11]);
      expect([gained(0, 'ordersPaid'), gained(1, 'ordersPaid'), gained(2, 'ordersPaid')]).toEqual([0, 1, 0]);
      expect((after[1]?.revenue.EUR ?? 0) - (before[1]?.revenue.EUR ?? 0)).toBe(900);
      expect((after[2]?.moneyRefunded.EUR ?? 0) - (before[2]?.moneyRefunded.EUR ?? 0)).toBe(300);
      expect(after[0]).toEqual(before[0]);
    },
  );
});
