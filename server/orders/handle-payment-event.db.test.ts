import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { cancelOrder, closeOrder } from './cancel-order.ts';
import { readOrder } from './read-orders.ts';
import { resolveMismatch } from './resolve-mismatch.ts';
import { createOrderRig, type OrderRig } from './testing/order-rig.ts';

let rig: OrderRig;
beforeAll(async () => {
  rig = await createOrderRig();
});
afterAll(async () => {
  expect(await rig.audit()).toEqual([]);
  await rig.close();
});
afterEach(() => setCrashHandler(undefined));

const eventsOf = async (paymentId: string) =>
  (await rig.t.sql`select outcome from payment_events where payment_id = ${paymentId} order by id`).map(
    (row) => row.outcome,
  );

describe('B65: a payment is credited once', () => {
  it('the same notification three times in parallel', async () => {
    const { orderId, userId } = await rig.order();
    const event = rig.paid(orderId);
    const outcomes = await Promise.all([rig.deliver(event), rig.deliver(event), rig.deliver(event)]);
    expect(outcomes.sort()).toEqual(['applied', 'repeated', 'repeated']);
    expect(await rig.entries(userId)).toEqual(['purchase 100']);
    expect(await eventsOf(`payment-${orderId}`)).toEqual(['applied']);
    const order = await rig.see(orderId);
    expect(order).toMatchObject({ status: 'paid', paymentId: `payment-${orderId}`, endedAt: null });
    expect(order.paidAt).not.toBeNull();
  });

  it('the same payment under three event ids in parallel', async () => {
    const { orderId, userId } = await rig.order();
    const outcomes = await Promise.all([1, 2, 3].map(() => rig.deliver(rig.paid(orderId))));
    expect(outcomes.sort()).toEqual(['applied', 'repeated', 'repeated']);
    expect(await rig.entries(userId)).toEqual(['purchase 100']);
    expect((await eventsOf(`payment-${orderId}`)).sort()).toEqual(['applied', 'repeated', 'repeated']);
    expect((await rig.see(orderId)).refunds).toEqual([]);
  });

  it('as credits of this order that expire after its days', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const { buckets } = await rig.credits(userId);
    expect(buckets).toMatchObject([{ kind: 'purchased', remainingCredits: 100, orderId }]);
    const days = ((buckets[0]?.expiresAt?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
    const [row] = await rig.t.sql`select invites_due from orders where id = ${orderId}`;
    expect(row?.invites_due).toBe(true);
  });

  it('a refund of the payment that was taken is not shown as one that was not', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await rig.deliver(rig.refunded(orderId, { amountMinor: 400 }));
    await rig.refund(orderId, 'full');
    expect(await readOrder(rig.deps, { orderId, userId })).not.toHaveProperty('returned');
  });

  it('a second payment of a paid order goes back by itself, once, however often it is reported', async () => {
    const { orderId, userId } = await rig.order();
    const second = { paymentId: `second-${orderId}` };
    await Promise.all([
      rig.deliver(rig.paid(orderId)),
      rig.deliver(rig.paid(orderId, second)),
      rig.deliver(rig.paid(orderId, second)),
    ]);
    expect(await rig.entries(userId)).toEqual(['purchase 100']);
    const order = await rig.see(orderId);
    expect(order.status).toBe('paid');
    expect(order.refunds).toMatchObject([{ origin: 'automatic', status: 'pending', amountMinor: 1_000 }]);
    const returned = async () => (await readOrder(rig.deps, { orderId, userId })).returned;
    expect(await returned()).toEqual([{ currency: 'EUR', onItsWayMinor: 1_000, paidBackMinor: 0 }]);
    await rig.lane();
    expect(await returned()).toEqual([{ currency: 'EUR', onItsWayMinor: 0, paidBackMinor: 1_000 }]);
    await rig.deliver(rig.paid(orderId, second));
    const after = await rig.see(orderId);
    expect(after.refunds).toMatchObject([{ status: 'settled' }]);
    // It was not the payment of the order: nothing of that went back.
    expect(after).toMatchObject({ status: 'paid', refundedMinor: 0, clawedBackCredits: 0 });
    expect([...rig.vendor.made.values()].filter((one) => one.orderId === orderId)).toHaveLength(1);
  });
});

describe('B65: a payment that does not fit credits nothing and waits for an administrator', () => {
  const cases: [string, (orderId: string, other: string) => Partial<Parameters<OrderRig['paid']>[1]>][] = [
    ['a wrong amount', () => ({ amountMinor: 100 })],
    ['no amount', () => ({ amountMinor: null })],
    ['a wrong currency', () => ({ currency: 'USD' })],
    ['a checkout that is not ours', () => ({ checkoutId: 'foreign' })],
    ['the checkout of another order', (_, other) => ({ checkoutId: `checkout-${other}` })],
    ['an order that is not ours', () => ({ orderId: newId() })],
    ['an order id that is none', () => ({ orderId: 'order-1' })],
    ['no payment id', () => ({ paymentId: null })],
  ];
  it.each(cases)('%s', async (_, change) => {
    const { orderId, userId } = await rig.order();
    const other = await rig.order();
    const event = { ...rig.paid(orderId), ...change(orderId, other.orderId) };
    const again = { ...event, eventId: newId() };
    expect(await Promise.all([rig.deliver(event), rig.deliver(again)])).toEqual(['mismatch', 'mismatch']);
    expect(await rig.entries(userId)).toEqual([]);
    for (const id of [orderId, other.orderId]) {
      expect(await rig.see(id)).toMatchObject({ status: 'pending', paymentId: null, refunds: [] });
    }
    // The right payment is still taken.
    expect(await rig.deliver(rig.paid(orderId, { paymentId: `right-${orderId}` }))).toBe('applied');
  });

  it('a payment that was credited to another order, also when both come at once', async () => {
    const [a, b] = [await rig.order(), await rig.order()];
    const shared = { paymentId: `shared-${a.orderId}` };
    const outcomes = await Promise.all([
      rig.deliver(rig.paid(a.orderId, shared)),
      rig.deliver(rig.paid(b.orderId, shared)),
    ]);
    expect(outcomes.sort()).toEqual(['applied', 'mismatch']);
    const entries = [...(await rig.entries(a.userId)), ...(await rig.entries(b.userId))];
    expect(entries).toEqual(['purchase 100']);
  });

  it('is returned once by an administrator’s word, for what was really paid', async () => {
    const { orderId, userId } = await rig.order();
    const wrong = { amountMinor: 1, paymentId: `wrong-${orderId}` };
    await rig.deliver(rig.paid(orderId, wrong));
    await rig.deliver(rig.paid(orderId, wrong));
    const ids = (await rig.see(orderId)).events.map((event) => event.id);
    expect(ids).toHaveLength(2);
    const resolve = (eventId: string) =>
      resolveMismatch(rig.deps, {
        eventId,
        verdict: 'return',
        reason: 'Paid too little',
        actorId: rig.admin.id,
      });
    const twice = await Promise.allSettled([...ids, ...ids].map(resolve));
    expect(twice.filter((one) => one.status === 'fulfilled')).toHaveLength(2);
    const order = await rig.see(orderId);
    expect(order.refunds).toMatchObject([{ origin: 'automatic', amountMinor: 1, status: 'pending' }]);
    expect(order.events.every((event) => event.resolution === 'return: Paid too little')).toBe(true);
    await rig.lane();
    expect(await rig.see(orderId)).toMatchObject({ status: 'pending', refunds: [{ status: 'settled' }] });
    expect(await rig.entries(userId)).toEqual([]);
    const audit = await rig.t.sql`select action from audit_log where subject_id = any(${ids})`;
    expect(audit).toHaveLength(2);
  });

  it('is dismissed with a reason; one without an order of ours cannot be returned', async () => {
    const paymentId = newId();
    await rig.deliver(rig.paid(newId(), { paymentId }));
    const [row] = await rig.t.sql`select id from payment_events where payment_id = ${paymentId}`;
    const input = { eventId: String(row?.id), reason: 'Another shop', actorId: rig.admin.id };
    await expect(resolveMismatch(rig.deps, { ...input, verdict: 'return' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await resolveMismatch(rig.deps, { ...input, verdict: 'dismiss' });
    await expect(resolveMismatch(rig.deps, { ...input, verdict: 'dismiss' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('B65: a paid order is never undone by an event that is late', () => {
  it.each(['payment_failed', 'checkout_expired'] as const)('%s', async (type) => {
    const { orderId, userId } = await rig.order();
    await Promise.all([rig.deliver(rig.paid(orderId)), rig.deliver(rig.paid(orderId))]);
    const late = await Promise.all([1, 2, 3].map(() => rig.deliver(rig.news(type, orderId))));
    expect(late).toEqual(['ignored', 'ignored', 'ignored']);
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid' });
    expect(await rig.entries(userId)).toEqual(['purchase 100']);
  });

  it('paid and expired at once: in whichever order, it ends paid', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { orderId, userId } = await rig.order();
      await Promise.all([
        rig.deliver(rig.news('checkout_expired', orderId)),
        rig.deliver(rig.paid(orderId)),
        rig.deliver(rig.news('checkout_expired', orderId)),
      ]);
      expect(await rig.see(orderId)).toMatchObject({ status: 'paid', endedAt: null });
      expect(await rig.entries(userId)).toEqual(['purchase 100']);
    }
  });

  it('an expiry ends a pending order; a failed attempt leaves it open', async () => {
    const { orderId } = await rig.order();
    expect(await rig.deliver(rig.news('payment_failed', orderId))).toBe('ignored');
    expect((await rig.see(orderId)).status).toBe('pending');
    const foreign = rig.news('checkout_expired', orderId, { checkoutId: 'another' });
    expect(await rig.deliver(foreign)).toBe('ignored');
    expect(await rig.deliver(rig.news('checkout_expired', orderId))).toBe('applied');
    expect(await rig.see(orderId)).toMatchObject({ status: 'expired', checkoutUrl: null });
  });
});

describe('a late payment', () => {
  it('after expiry or the user’s own cancel is credited once', async () => {
    const expired = await rig.order();
    await rig.deliver(rig.news('checkout_expired', expired.orderId));
    const cancelled = await rig.order();
    await cancelOrder(rig.deps, cancelled);
    for (const { orderId, userId } of [expired, cancelled]) {
      const outcomes = await Promise.all([1, 2, 3].map(() => rig.deliver(rig.paid(orderId))));
      expect(outcomes.sort()).toEqual(['applied', 'repeated', 'repeated']);
      expect(await rig.entries(userId)).toEqual(['purchase 100']);
      expect(await rig.see(orderId)).toMatchObject({ status: 'paid', endedAt: null });
    }
  });

  it('of an order that an administrator closed goes back once, and the order stays closed', async () => {
    const { orderId, userId } = await rig.order();
    await closeOrder(rig.deps, { orderId, reason: 'Wrong pack', actorId: rig.admin.id });
    const outcomes = await Promise.all([1, 2, 3].map(() => rig.deliver(rig.paid(orderId))));
    expect(outcomes.sort()).toEqual(['applied', 'repeated', 'repeated']);
    await rig.lane();
    expect(await rig.see(orderId)).toMatchObject({
      status: 'cancelled',
      paidAt: null,
      refunds: [{ origin: 'automatic', status: 'settled', amountMinor: 1_000 }],
    });
    expect(await rig.entries(userId)).toEqual([]);
  });

  it('of a closed account goes back once, and its pending order is closed', async () => {
    const { orderId, userId } = await rig.order();
    await rig.t.sql`update users set disabled_at = now(), deleted_at = now() where id = ${userId}`;
    await Promise.all([1, 2].map(() => rig.deliver(rig.paid(orderId))));
    expect(await rig.see(orderId)).toMatchObject({
      status: 'cancelled',
      cancelledBy: 'admin',
      refunds: [{ origin: 'automatic', status: 'pending' }],
    });
    expect(await rig.entries(userId)).toEqual([]);
  });

  it('whose checkout we never learned of is known by our order id', async () => {
    const { orderId, userId } = await rig.order();
    await rig.t.sql`update orders set checkout_id = null, checkout_url = null where id = ${orderId}`;
    expect(await rig.deliver(rig.paid(orderId))).toBe('applied');
    expect(await rig.entries(userId)).toEqual(['purchase 100']);
  });

  it('that names no order is known by its checkout', async () => {
    const { orderId, userId } = await rig.order();
    expect(await rig.deliver(rig.paid(orderId, { orderId: null }))).toBe('applied');
    expect(await rig.entries(userId)).toEqual(['purchase 100']);
  });
});

describe('a stop between any two statements', () => {
  const points: CrashPointName[] = [
    'payment-event.after-insert',
    'payment-event.before-commit',
    'payment-event.after-commit',
  ];
  const kinds: [string, (orderId: string) => Parameters<OrderRig['deliver']>[0]][] = [
    ['a payment', (orderId) => rig.paid(orderId, { paymentId: `p-${orderId}` })],
    ['a refund', (orderId) => rig.refunded(orderId, { amountMinor: 400 })],
    ['a dispute', (orderId) => rig.news('dispute_opened', orderId, { disputeId: `d-${orderId}` })],
  ];
  it.each(points.flatMap((point) => kinds.map(([name, make]) => [point, name, make] as const)))(
    '%s, %s: nothing half-done, and the vendor’s next delivery moves it once',
    async (point, name, make) => {
      const { orderId, userId } = name === 'a payment' ? await rig.order() : await rig.paidOrder();
      const before = await rig.entries(userId);
      const event = make(orderId);
      setCrashHandler((at) => {
        if (at === point) throw new Error(`crash at ${at}`);
      });
      await expect(rig.deliver(event)).rejects.toThrow('crash');
      setCrashHandler(undefined);
      // After the commit it is done: the acknowledgement alone was lost, and the repeat finds it done.
      const committed = point === 'payment-event.after-commit';
      expect(await rig.entries(userId)).toHaveLength(before.length + (committed ? 1 : 0));
      expect(await rig.deliver(event)).toBe(committed ? 'repeated' : 'applied');
      expect(await rig.deliver(event)).toBe('repeated');
      expect(await rig.entries(userId)).toHaveLength(before.length + 1);
    },
  );
});
