import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { cancelOrder, closeOrder } from './cancel-order.ts';
import { createOrder, openCheckout } from './create-order.ts';
import { readShop, savePack } from './packs.ts';
import { CheckoutRefusedError } from './payment/payment-provider.ts';
import { readOrder, readOrderPage } from './read-orders.ts';
import { createOrderRig, type OrderRig } from './testing/order-rig.ts';

let rig: OrderRig;
beforeAll(async () => {
  rig = await createOrderRig();
});
afterAll(async () => {
  expect(await rig.audit()).toEqual([]);
  await rig.close();
});
afterEach(() => {
  rig.vendor.onCheckout = undefined;
  rig.vendor.onExpire = undefined;
});

const countOrders = async (userId: string) =>
  Number((await rig.t.sql`select count(*) from orders where user_id = ${userId}`)[0]?.count);

it('sells nothing without a payment provider', async () => {
  const closed = { ...rig.deps, payments: undefined };
  expect(await readShop(closed)).toEqual({ open: false, test: false, packs: [] });
  const { id: userId } = await rig.buyer();
  await expect(
    createOrder(closed, { userId, packId: rig.packId, requestKey: newId() }),
  ).rejects.toMatchObject({ code: 'unavailable' });
  expect(await countOrders(userId)).toBe(0);
});

it('shows enabled packs in their order, and refuses one that is not sold any more', async () => {
  const pack = { title: 'Old', credits: 5, amountMinor: 50, currency: 'EUR', validDays: null };
  const { packId } = await savePack(rig.deps, { ...pack, enabled: true, position: 9, actorId: rig.admin.id });
  expect((await readShop(rig.deps)).packs.map((one) => one.id)).toEqual([rig.packId, packId]);
  await savePack(rig.deps, { ...pack, packId, enabled: false, position: 9, actorId: rig.admin.id });
  expect(await readShop(rig.deps)).toMatchObject({ open: true, test: true, packs: [{ id: rig.packId }] });
  const { id: userId } = await rig.buyer();
  await expect(createOrder(rig.deps, { userId, packId, requestKey: newId() })).rejects.toMatchObject({
    code: 'not_found',
    field: 'packId',
  });
  const audit = await rig.t.sql`select action from audit_log where subject_id = ${packId} order by id`;
  expect(audit.map((row) => row.action)).toEqual(['pack.create', 'pack.update']);
});

it('the form of a new pack sent five times at once makes one pack', async () => {
  const pack = { title: 'Once', credits: 5, amountMinor: 50, currency: 'EUR', validDays: null };
  const input = { ...pack, key: newId(), enabled: false, position: 9, actorId: rig.admin.id };
  const made = await Promise.all(Array.from({ length: 5 }, () => savePack(rig.deps, input)));
  expect(made.map((one) => one.packId)).toEqual(Array.from({ length: 5 }, () => input.key));
  const audit = await rig.t.sql`select action from audit_log where subject_id = ${input.key}`;
  expect(audit.map((row) => row.action)).toEqual(['pack.create']);
});

it('one form sent five times at once is one order with one checkout', async () => {
  const { id: userId } = await rig.buyer();
  const input = { userId, packId: rig.packId, requestKey: newId() };
  const made = await Promise.all(Array.from({ length: 5 }, () => createOrder(rig.deps, input)));
  expect(new Set(made.map((one) => one.orderId)).size).toBe(1);
  const [first] = made;
  expect(first?.checkoutUrl).toBe(`https://pay.example.com/${first?.orderId}`);
  expect(new Set(made.map((one) => one.checkoutUrl)).size).toBe(1);
  expect(await countOrders(userId)).toBe(1);
  expect(rig.vendor.checkouts.at(-1)).toMatchObject({
    amountMinor: 1_000,
    currency: 'EUR',
    successUrl: `https://lane.example.com/orders/${first?.orderId}?paid=1`,
    cancelUrl: `https://lane.example.com/orders/${first?.orderId}`,
  });
});

it('refuses a request key that was used for another pack', async () => {
  const { id: userId } = await rig.buyer();
  const { packId } = await savePack(rig.deps, {
    title: 'Other',
    credits: 5,
    amountMinor: 50,
    currency: 'EUR',
    validDays: null,
    enabled: true,
    position: 5,
    actorId: rig.admin.id,
  });
  const requestKey = newId();
  await createOrder(rig.deps, { userId, packId: rig.packId, requestKey });
  await expect(createOrder(rig.deps, { userId, packId, requestKey })).rejects.toMatchObject({
    code: 'conflict',
  });
});

it('keeps at most ten orders of a user open, also when they come at once', async () => {
  const { id: userId } = await rig.buyer();
  const tries = await Promise.allSettled(Array.from({ length: 14 }, () => rig.order(userId)));
  expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(10);
  expect(await countOrders(userId)).toBe(10);
  const [order] = (await readOrderPage(rig.deps, { userId, limit: 1 })).items;
  await cancelOrder(rig.deps, { orderId: order?.id ?? '', userId });
  await rig.order(userId);
});

it('refuses a disabled account', async () => {
  const { id: userId } = await rig.buyer({ disabledAt: new Date() });
  await expect(rig.order(userId)).rejects.toMatchObject({ code: 'forbidden' });
});

it('an order whose vendor did not answer stays pending, and its checkout is opened later', async () => {
  rig.vendor.onCheckout = () => {
    throw new Error('connect ETIMEDOUT');
  };
  const { id: userId } = await rig.buyer();
  const made = await createOrder(rig.deps, { userId, packId: rig.packId, requestKey: newId() });
  expect(made.checkoutUrl).toBeNull();
  const input = { orderId: made.orderId, userId };
  expect(await readOrder(rig.deps, input)).toMatchObject({ status: 'pending', checkoutUrl: null });
  await expect(openCheckout(rig.deps, input)).rejects.toMatchObject({ code: 'unavailable' });
  rig.vendor.onCheckout = undefined;
  const urls = await Promise.all([openCheckout(rig.deps, input), openCheckout(rig.deps, input)]);
  expect(urls.map((one) => one.checkoutUrl)).toEqual(
    Array(2).fill(`https://pay.example.com/${made.orderId}`),
  );
});

it('an order that the vendor refuses for good is no outage; the reason is in the log alone', async () => {
  rig.vendor.onCheckout = () => {
    throw new CheckoutRefusedError('The amount is too small (amount_too_small, 400)');
  };
  const { id: userId } = await rig.buyer();
  const { orderId, checkoutUrl } = await createOrder(rig.deps, {
    userId,
    packId: rig.packId,
    requestKey: newId(),
  });
  expect(checkoutUrl).toBeNull();
  const error: unknown = await openCheckout(rig.deps, { orderId, userId }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'unprocessable',
    message: expect.stringMatching(/^The payment provider refuses this order/),
    cause: undefined,
  });
  expect(String(error)).not.toContain('too small');
  expect(rig.lines.at(-1)).toMatchObject({ level: 'error', fields: { orderId } });
  expect(JSON.stringify(rig.lines.at(-1))).toContain('amount_too_small');
});

it('an order of another provider never hands out where it was to be paid', async () => {
  const { orderId, userId } = await rig.order();
  expect((await readOrder(rig.deps, { orderId, userId })).checkoutUrl).toContain(orderId);
  for (const payments of [{ ...rig.vendor, name: 'stripe' as const }, undefined]) {
    const deps = { ...rig.deps, payments };
    await expect(openCheckout(deps, { orderId, userId })).rejects.toMatchObject({
      code: payments ? 'conflict' : 'unavailable',
    });
    expect((await readOrder(deps, { orderId, userId })).checkoutUrl).toBeNull();
    expect((await readOrderPage(deps, { userId, limit: 1 })).items).toMatchObject([{ checkoutUrl: null }]);
  }
});

it('asks the vendor outside any transaction', async () => {
  let locked: readonly unknown[] = [];
  rig.vendor.onCheckout = async () => {
    locked = await rig.t.sql`select pid from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`;
  };
  await rig.order();
  expect(rig.vendor.checkouts.length).toBeGreaterThan(0);
  expect(locked).toEqual([]);
});

it('an order that is cancelled while its checkout opens is not left payable', async () => {
  const { id: userId } = await rig.buyer();
  rig.vendor.onCheckout = async () => {
    const [order] = (await readOrderPage(rig.deps, { userId, limit: 1 })).items;
    await cancelOrder(rig.deps, { orderId: order?.id ?? '', userId });
  };
  const { orderId, checkoutUrl } = await createOrder(rig.deps, {
    userId,
    packId: rig.packId,
    requestKey: newId(),
  });
  expect(checkoutUrl).toBeNull();
  expect(rig.vendor.ended).toContain(`checkout-${orderId}`);
  expect(await readOrder(rig.deps, { orderId, userId })).toMatchObject({
    status: 'cancelled',
    checkoutUrl: null,
  });
});

it('B57: a pending order past its end reads as expired by the database’s clock, though no sweep has been by', async () => {
  const { orderId, userId } = await rig.order();
  await rig.t.sql`update orders set expires_at = now() - interval '1 second' where id = ${orderId}`;
  const view = await readOrder(rig.deps, { orderId, userId });
  expect(view).toMatchObject({ status: 'expired', checkoutUrl: null });
  expect(view.endedAt).toEqual(view.expiresAt);
  expect((await readOrderPage(rig.deps, { userId, limit: 5 })).items[0]?.status).toBe('expired');
  await expect(openCheckout(rig.deps, { orderId, userId })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('expired'),
  });
  await expect(cancelOrder(rig.deps, { orderId, userId })).rejects.toMatchObject({ code: 'conflict' });
});

it('cancelled twice is cancelled once; a vendor that does not answer changes nothing', async () => {
  rig.vendor.onExpire = () => {
    throw new Error('503');
  };
  const { orderId, userId } = await rig.order();
  await Promise.all([cancelOrder(rig.deps, { orderId, userId }), cancelOrder(rig.deps, { orderId, userId })]);
  const view = await readOrder(rig.deps, { orderId, userId });
  expect(view).toMatchObject({ status: 'cancelled', cancelledBy: 'user', checkoutUrl: null });
  expect(rig.vendor.ended.filter((id) => id === `checkout-${orderId}`)).toHaveLength(1);
  expect(rig.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'Checkout could not be ended at the provider' }),
  );
  await expect(openCheckout(rig.deps, { orderId, userId })).rejects.toMatchObject({ code: 'conflict' });
});

it('nobody sees, pays or cancels somebody else’s order', async () => {
  const { orderId } = await rig.order();
  const { id: userId } = await rig.buyer();
  for (const attempt of [readOrder, openCheckout, cancelOrder]) {
    await expect(attempt(rig.deps, { orderId, userId })).rejects.toMatchObject({ code: 'not_found' });
  }
});

it('an administrator’s close is audited with its reason, and refused for a paid order', async () => {
  const { orderId } = await rig.order();
  const close = (id: string) =>
    closeOrder(rig.deps, { orderId: id, reason: 'Ordered by mistake', actorId: rig.admin.id });
  await close(orderId);
  expect(await rig.see(orderId)).toMatchObject({ status: 'cancelled', cancelledBy: 'admin' });
  expect(rig.vendor.ended).toContain(`checkout-${orderId}`);
  expect(await rig.t.sql`select action, reason from audit_log where subject_id = ${orderId}`).toMatchObject([
    { action: 'order.close', reason: 'Ordered by mistake' },
  ]);
  await expect(close(orderId)).rejects.toMatchObject({ code: 'conflict' });
  const paid = await rig.paidOrder();
  await expect(close(paid.orderId)).rejects.toMatchObject({ code: 'conflict' });
});
