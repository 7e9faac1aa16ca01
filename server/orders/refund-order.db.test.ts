import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { postEntry } from '#server/billing/ledger.ts';
import { newId } from '#server/lib/ids.ts';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { resolveRefund, retryRefund } from './resolve-refund.ts';
import { runPaymentRefundBatch } from './run-payment-refund-batch.ts';
import { refundOf } from './testing/fake-provider.ts';
import { createOrderRig, type OrderRig } from './testing/order-rig.ts';

let rig: OrderRig;
beforeAll(async () => {
  rig = await createOrderRig({ leaseSeconds: 2 });
});
afterAll(async () => {
  expect(await rig.audit()).toEqual([]);
  await rig.close();
});
afterEach(async () => {
  setCrashHandler(undefined);
  rig.vendor.onRefund = undefined;
  await rig.letTimePass();
  await rig.lane();
});

/** Takes credits as a delivery does. */
const spend = (userId: string, credits: number) =>
  rig.deps.db.transaction((tx) =>
    postEntry(tx, {
      userId,
      kind: 'adjustment',
      deltaCredits: -credits,
      key: `spend:${newId()}`,
      actor: 'test',
      reason: 'Spent',
    }),
  );
const resolve = (refundId: string, verdict: 'paid' | 'give_up') =>
  resolveRefund(rig.deps, { refundId, verdict, reason: 'Looked into it', actorId: rig.admin.id });

describe('an administrator’s refund', () => {
  it('of the unspent share takes those credits at once and pays their part, rounded down', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 67);
    expect(await rig.see(orderId)).toMatchObject({ unspentCredits: 33, unspentMinor: 330 });
    await rig.refund(orderId, 'unspent');
    expect(await rig.see(orderId)).toMatchObject({
      status: 'refunding',
      clawedBackCredits: 33,
      refundedMinor: 0,
    });
    expect((await rig.credits(userId)).balanceCredits).toBe(0);
    expect(await rig.lane()).toMatchObject({ claimed: 1, settled: 1, nextDueAt: null });
    expect(await rig.see(orderId)).toMatchObject({
      status: 'paid',
      refundedMinor: 330,
      clawedBackCredits: 33,
      refunds: [{ status: 'settled', amountMinor: 330, origin: 'admin' }],
    });
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'adjustment -67', 'clawback -33']);
  });

  it('in full takes all, spent credits as a debt that the next purchase pays off', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 60);
    await rig.refund(orderId, 'full');
    expect(await rig.credits(userId)).toMatchObject({
      balanceCredits: 0,
      debts: [{ amountCredits: 60, remainingCredits: 60 }],
    });
    await rig.lane();
    const order = await rig.see(orderId);
    expect(order).toMatchObject({ status: 'refunded', refundedMinor: 1_000, clawedBackCredits: 100 });
    expect(order.endedAt).not.toBeNull();
    await rig.paidOrder(userId);
    expect(await rig.credits(userId)).toMatchObject({ balanceCredits: 40, debts: [] });
  });

  it('one form sent five times at once is one refund, and a second one waits for its end', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const key = newId();
    const sent = await Promise.all(Array.from({ length: 5 }, () => rig.refund(orderId, 'full', key)));
    expect(new Set(sent.map((one) => one.refundId)).size).toBe(1);
    await expect(rig.refund(orderId, 'full')).rejects.toMatchObject({ code: 'conflict' });
    const tries = await Promise.allSettled([rig.lane(), rig.lane(), rig.lane()]);
    expect(tries.every((one) => one.status === 'fulfilled')).toBe(true);
    expect(rig.vendor.asked.filter((one) => one.orderId === orderId)).toHaveLength(1);
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
    await expect(rig.refund(orderId, 'full')).rejects.toMatchObject({ code: 'conflict' });
    const audit = await rig.t.sql`select action, reason from audit_log where subject_id = ${orderId}`;
    expect(audit).toMatchObject([{ action: 'order.refund', reason: 'Asked by phone' }]);
  });

  it('different forms at once are one refund', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const tries = await Promise.allSettled([1, 2, 3].map(() => rig.refund(orderId, 'full')));
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
  });

  it('is refused when nothing is unspent, or the order was never paid', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 100);
    await expect(rig.refund(orderId, 'unspent')).rejects.toMatchObject({ code: 'conflict', field: 'mode' });
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', refunds: [] });
    const pending = await rig.order();
    await expect(rig.refund(pending.orderId, 'full')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('takes credits that expired unspent no second time', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 30);
    await rig.t
      .sql`update credit_buckets set expires_at = now() - interval '1 minute' where order_id = ${orderId}`;
    await expect(rig.refund(orderId, 'unspent')).rejects.toMatchObject({ code: 'conflict' });
    await rig.refund(orderId, 'full');
    expect(await rig.credits(userId)).toMatchObject({ balanceCredits: 0, debts: [{ amountCredits: 30 }] });
  });
});

describe('the refund lane', () => {
  it('holds no transaction and no pool connection while the vendor is asked, and renews its lease', async () => {
    const { orderId } = await rig.paidOrder();
    await rig.refund(orderId, 'full');
    const leases: number[] = [];
    let idle: readonly unknown[] = [];
    rig.vendor.onRefund = async ({ refundId }) => {
      const read = async () => {
        const [row] = await rig.t.sql`
          select extract(epoch from lease_until)::float as at from payment_refunds where id = ${refundId}`;
        return Number(row?.at);
      };
      idle = await rig.t.sql`select pid from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`;
      leases.push(await read());
      // Renewed: the lease ends later than it did when the row was claimed.
      while ((await read()) === leases[0]) await new Promise((resolve) => setTimeout(resolve, 20));
      leases.push(await read());
      return { type: 'settled', providerRefundId: refundOf(refundId) };
    };
    expect(await rig.lane()).toMatchObject({ settled: 1 });
    expect(idle).toEqual([]);
    expect(leases[1]).toBeGreaterThan(leases[0] ?? 0);
  });

  it.each<CrashPointName>([
    'payment-refund.after-claim',
    'payment-refund.after-call',
    'payment-refund.before-commit',
    'payment-refund.after-commit',
  ])('stopped at %s, it pays once in the end', async (point) => {
    const { orderId, userId } = await rig.paidOrder();
    await rig.refund(orderId, 'full');
    setCrashHandler((at) => {
      if (at === point) throw new Error(`crash at ${at}`);
    });
    await rig.lane().catch(() => undefined);
    setCrashHandler(undefined);
    for (let round = 0; round < 2; round += 1) {
      await rig.letTimePass();
      await rig.lane();
    }
    expect([...rig.vendor.made.values()].filter((one) => one.orderId === orderId)).toHaveLength(1);
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', refundedMinor: 1_000 });
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
  });

  it('asks again with the same id after a growing pause when the answer was lost, then hands it to people', async () => {
    const slow = { ...rig.deps, config: { ...rig.deps.config, retryBaseMs: 10_000, retryCapMs: 1_000_000 } };
    const { orderId, userId } = await rig.paidOrder();
    const healthy = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    rig.vendor.onRefund = (request) => {
      if (request.refundId === refundId) throw new Error('socket hang up, key sk_live_0123456789abcdef');
      return { type: 'settled', providerRefundId: refundOf(request.refundId) };
    };
    await rig.refund(healthy.orderId, 'full');
    const delays: number[] = [];
    for (let tries = 1; tries <= 4; tries += 1) {
      const batch = await runPaymentRefundBatch(slow, { limit: 10, workerId: null });
      expect(batch).toMatchObject(tries < 4 ? { retried: 1, manual: 0 } : { retried: 0, manual: 1 });
      if (tries === 1) expect(batch.settled).toBe(1);
      const [row] = await rig.t.sql`
        select extract(epoch from next_attempt_at - now())::float as due_in from payment_refunds where id = ${refundId}`;
      delays.push(Number(row?.due_in));
      expect(await runPaymentRefundBatch(slow, { limit: 10, workerId: null })).toMatchObject({ claimed: 0 });
      await rig.letTimePass();
    }
    expect(delays[1]).toBeGreaterThan((delays[0] ?? 0) + 2);
    expect(delays[2]).toBeGreaterThan((delays[1] ?? 0) + 2);
    const [refund] = (await rig.see(orderId)).refunds;
    expect(refund).toMatchObject({
      status: 'manual',
      attempts: 4,
      lastError: expect.stringContaining('hang up'),
    });
    expect(refund?.lastError).not.toContain('sk_live');
    expect(
      new Set(rig.vendor.asked.filter((one) => one.orderId === orderId).map((one) => one.refundId)).size,
    ).toBe(1);
    // Back to the lane: the vendor knows the id, and pays no second time.
    rig.vendor.onRefund = undefined;
    await retryRefund(rig.deps, { refundId, actorId: rig.admin.id });
    expect(await rig.lane()).toMatchObject({ settled: 1 });
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded' });
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
  });

  it('hands a refusal to people at once; given up, its credits come back once and the order is paid', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 40);
    const { refundId } = await rig.refund(orderId, 'full');
    rig.vendor.onRefund = () => ({ type: 'refused', reason: 'The charge is too old' });
    expect(await rig.lane()).toMatchObject({ manual: 1 });
    expect(await rig.see(orderId)).toMatchObject({
      status: 'refunding',
      refunds: [{ status: 'manual', lastError: 'The charge is too old' }],
    });
    const twice = await Promise.allSettled([resolve(refundId, 'give_up'), resolve(refundId, 'give_up')]);
    expect(twice.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', clawedBackCredits: 0, refundedMinor: 0 });
    expect(await rig.credits(userId)).toMatchObject({ balanceCredits: 60, debts: [] });
    const audit = await rig.t.sql`select action, reason from audit_log where subject_id = ${refundId}`;
    expect(audit).toMatchObject([{ action: 'refund.resolve', reason: 'Looked into it' }]);
  });

  it('one that was paid by hand counts as paid', async () => {
    const { orderId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    rig.vendor.onRefund = () => ({ type: 'refused', reason: 'no' });
    await rig.lane();
    await resolve(refundId, 'paid');
    expect(await rig.see(orderId)).toMatchObject({
      status: 'refunded',
      refundedMinor: 1_000,
      refunds: [{ status: 'settled', resolution: 'Looked into it' }],
    });
    await expect(resolve(refundId, 'give_up')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('B67: paid by hand in the panel and reported after that was said, it counts once', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 70);
    const { refundId } = await rig.refund(orderId, 'unspent');
    rig.vendor.onRefund = () => ({ type: 'refused', reason: 'no' });
    await rig.lane();
    await resolve(refundId, 'paid');
    const event = rig.refunded(orderId, { refundId: `hand-${orderId}`, amountMinor: 300 });
    await Promise.all([rig.deliver(event), rig.deliver({ ...event, eventId: newId() })]);
    expect(await rig.see(orderId)).toMatchObject({
      status: 'paid',
      refundedMinor: 300,
      refunds: [{ id: refundId, providerRefundId: `hand-${orderId}` }],
    });
    expect(await rig.worth(userId)).toBe(0);
    // Another one of the same amount is another one.
    await rig.deliver(rig.refunded(orderId, { amountMinor: 300 }));
    expect(await rig.see(orderId)).toMatchObject({ refundedMinor: 600, clawedBackCredits: 60 });
  });

  it('a provider that is not set up any more makes it a matter for people, with the reason', async () => {
    const { orderId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    const gone = { ...rig.deps, payments: undefined };
    expect(await runPaymentRefundBatch(gone, { limit: 10, workerId: null })).toMatchObject({ manual: 1 });
    expect((await rig.see(orderId)).refunds).toMatchObject([
      { status: 'manual', lastError: 'The payment provider sandbox is not set up here any more.' },
    ]);
    await retryRefund(rig.deps, { refundId, actorId: rig.admin.id });
    expect(await rig.lane()).toMatchObject({ settled: 1 });
  });

  it('a vendor that is still at it is asked again later, and its callback settles the refund', async () => {
    const { orderId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    rig.vendor.onRefund = () => ({ type: 'pending', providerRefundId: refundOf(refundId) });
    const batch = await rig.lane();
    expect(batch).toMatchObject({ retried: 1, settled: 0 });
    expect((batch.nextDueAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_000_000);
    expect((await rig.see(orderId)).refunds).toMatchObject([{ status: 'pending', attempts: 0 }]);
    const callback = { refundId: refundOf(refundId), amountMinor: 1_000 };
    expect(await rig.deliver(rig.refunded(orderId, callback))).toBe('applied');
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', refundedMinor: 1_000 });
  });
});

describe('B67: one refund is one negative entry', () => {
  it('made in the panel and reported three times at once, it is recorded and taken back once', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const event = rig.refunded(orderId, { amountMinor: 1_000 });
    const deliveries = [event, event, { ...event, eventId: newId() }];
    const outcomes = await Promise.all(deliveries.map(rig.deliver));
    expect(outcomes.sort()).toEqual(['applied', 'repeated', 'repeated']);
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
    expect(await rig.see(orderId)).toMatchObject({
      status: 'refunded',
      refundedMinor: 1_000,
      clawedBackCredits: 100,
      refunds: [{ origin: 'provider', status: 'settled', clawedBackCredits: 100 }],
    });
    expect(rig.vendor.asked.filter((one) => one.orderId === orderId)).toEqual([]);
  });

  it('in parts, credits go in proportion, rounded down, and all of them with the last part', async () => {
    const { orderId, userId } = await rig.paidOrder();
    for (const amountMinor of [333, 333, 334]) await rig.deliver(rig.refunded(orderId, { amountMinor }));
    expect(await rig.entries(userId)).toEqual([
      'purchase 100',
      'clawback -33',
      'clawback -33',
      'clawback -34',
    ]);
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', clawedBackCredits: 100 });
  });

  it('after spending it is a debt, once', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 100);
    const event = rig.refunded(orderId, { amountMinor: 500 });
    await Promise.all([rig.deliver(event), rig.deliver({ ...event, eventId: newId() })]);
    expect(await rig.credits(userId)).toMatchObject({ balanceCredits: 0, debts: [{ amountCredits: 50 }] });
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', refundedMinor: 500 });
  });

  const orders = [
    ['panel', 'callback', 'answer'],
    ['callback', 'answer', 'panel'],
    ['answer', 'panel', 'callback'],
    ['answer', 'callback', 'panel'],
  ] as const;
  it.each(orders)('our refund and its callback in any order: %s, %s, %s', async (...steps) => {
    const { orderId, userId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    const refund = { refundId: refundOf(refundId), amountMinor: 1_000 };
    for (const step of steps) {
      if (step === 'answer') await rig.lane();
      // The panel's own notice does not say that the refund was ours.
      else if (step === 'panel') await rig.deliver(rig.refunded(orderId, refund));
      else await rig.deliver(rig.refunded(orderId, { ...refund, ourRefundId: refundId }));
    }
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
    expect(await rig.see(orderId)).toMatchObject({
      status: 'refunded',
      refundedMinor: 1_000,
      refunds: [{ id: refundId, status: 'settled', providerRefundId: refundOf(refundId) }],
    });
  });

  it('a part of the price too: the callback comes first, our answer counts nothing a second time', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 70);
    const { refundId } = await rig.refund(orderId, 'unspent');
    const callback = { refundId: refundOf(refundId), ourRefundId: refundId, amountMinor: 300 };
    rig.vendor.onRefund = async () => {
      expect(await rig.deliver(rig.refunded(orderId, callback))).toBe('applied');
      return { type: 'settled', providerRefundId: refundOf(refundId) };
    };
    expect(await rig.lane()).toMatchObject({ settled: 1 });
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'adjustment -70', 'clawback -30']);
    expect(await rig.see(orderId)).toMatchObject({
      status: 'paid',
      refundedMinor: 300,
      clawedBackCredits: 30,
      refunds: [{ id: refundId, status: 'settled', attempts: 1 }],
    });
  });

  it('our answer and the callback at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { orderId, userId } = await rig.paidOrder();
      const { refundId } = await rig.refund(orderId, 'full');
      const refund = { refundId: refundOf(refundId), ourRefundId: refundId, amountMinor: 1_000 };
      await Promise.all([
        rig.lane(),
        rig.deliver(rig.refunded(orderId, refund)),
        rig.deliver(rig.refunded(orderId, refund)),
      ]);
      expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
      expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', refundedMinor: 1_000 });
    }
  });

  it('an administrator who pays in the panel what our lane has not paid yet makes one refund', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    await rig.deliver(rig.refunded(orderId, { refundId: 'by-hand', amountMinor: 1_000 }));
    expect(await rig.lane()).toMatchObject({ claimed: 0 });
    expect(await rig.see(orderId)).toMatchObject({
      status: 'refunded',
      refunds: [{ id: refundId, status: 'settled', providerRefundId: 'by-hand' }],
    });
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
  });

  it('a part in the panel while the unspent share is on its way: both count, credits are taken for both', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 50);
    await rig.refund(orderId, 'unspent');
    await rig.deliver(rig.refunded(orderId, { amountMinor: 300 }));
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunding', clawedBackCredits: 80 });
    await rig.lane();
    expect(await rig.see(orderId)).toMatchObject({
      status: 'paid',
      refundedMinor: 800,
      clawedBackCredits: 80,
    });
    expect(await rig.credits(userId)).toMatchObject({ debts: [{ amountCredits: 30 }] });
  });

  it('money that is back by the panel is not paid by us as well: the vendor refuses, and giving up returns nothing', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 50);
    const { refundId } = await rig.refund(orderId, 'unspent');
    await rig.deliver(rig.refunded(orderId, { amountMinor: 1_000 }));
    rig.vendor.onRefund = () => ({ type: 'refused', reason: 'Already refunded' });
    await rig.lane();
    await expect(resolve(refundId, 'paid')).rejects.toMatchObject({ code: 'conflict' });
    await expect(retryRefund(rig.deps, { refundId, actorId: rig.admin.id })).rejects.toMatchObject({
      code: 'conflict',
    });
    await resolve(refundId, 'give_up');
    expect(await rig.worth(userId)).toBe(-50);
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', clawedBackCredits: 100 });
  });

  it('a refund that fails at the vendor goes to people, settled or not, and counts as ours again', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    await rig.lane();
    const failed = { refundId: refundOf(refundId), ourRefundId: refundId, amountMinor: 1_000 };
    expect(await rig.deliver(rig.refunded(orderId, { ...failed, status: 'failed' }))).toBe('applied');
    expect(await rig.see(orderId)).toMatchObject({
      status: 'refunding',
      refundedMinor: 0,
      endedAt: null,
      refunds: [{ status: 'manual' }],
    });
    await resolve(refundId, 'give_up');
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', clawedBackCredits: 0 });
    expect(await rig.worth(userId)).toBe(100);
    // Older news of it that comes late, or a vendor that changes its mind: a person looks which.
    expect(await rig.deliver(rig.refunded(orderId, failed))).toBe('mismatch');
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', clawedBackCredits: 0 });
    expect(await rig.worth(userId)).toBe(100);
  });

  it('one that was given up and goes through all the same takes its credits back again', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    rig.vendor.onRefund = () => ({ type: 'refused', reason: 'Not now' });
    await rig.lane();
    rig.vendor.onRefund = undefined;
    await resolve(refundId, 'give_up');
    expect(await rig.worth(userId)).toBe(100);
    const ours = { refundId: refundOf(refundId), ourRefundId: refundId, amountMinor: 1_000 };
    expect(await rig.deliver(rig.refunded(orderId, ours))).toBe('applied');
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', clawedBackCredits: 100 });
    expect(await rig.worth(userId)).toBe(0);
  });

  it('late news that a refund went through does not undo that it failed', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    await rig.lane();
    const ours = { refundId: refundOf(refundId), ourRefundId: refundId, amountMinor: 1_000 };
    await rig.deliver(rig.refunded(orderId, { ...ours, status: 'failed' }));
    expect(await rig.deliver(rig.refunded(orderId, ours))).toBe('mismatch');
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunding', refunds: [{ status: 'manual' }] });

    const panel = { refundId: newId(), amountMinor: 1_000 };
    const other = await rig.paidOrder(userId);
    await rig.deliver(rig.refunded(other.orderId, { ...panel, status: 'failed' }));
    expect(await rig.deliver(rig.refunded(other.orderId, panel))).toBe('mismatch');
    expect(await rig.see(other.orderId)).toMatchObject({ status: 'paid', clawedBackCredits: 0 });
    expect(await rig.worth(userId)).toBe(100);
  });

  it('a refund of more than was paid, of another amount than ours, or in another currency moves nothing', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    const wrong = [
      rig.refunded(orderId, { amountMinor: 1_001 }),
      rig.refunded(orderId, { amountMinor: 900, ourRefundId: refundId }),
      { ...rig.refunded(orderId, { amountMinor: 900 }), currency: 'USD' },
      { ...rig.refunded(orderId, { amountMinor: 900 }), paymentId: 'another' },
    ];
    for (const event of wrong) expect(await rig.deliver(event)).toBe('mismatch');
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
    expect(await rig.see(orderId)).toMatchObject({ refundedMinor: 0, refunds: [{ status: 'pending' }] });
  });

  it('a refund that overtakes the news of its payment is taken back when the payment is credited', async () => {
    const { orderId, userId } = await rig.order();
    expect(await rig.deliver(rig.refunded(orderId, { amountMinor: 400 }))).toBe('mismatch');
    await Promise.all([rig.deliver(rig.paid(orderId)), rig.deliver(rig.paid(orderId))]);
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -40']);
    const order = await rig.see(orderId);
    expect(order).toMatchObject({ status: 'paid', refundedMinor: 400 });
    expect(order.events.map((event) => event.outcome).sort()).toEqual(['applied', 'applied', 'repeated']);
  });
});
