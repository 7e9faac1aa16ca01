import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import type { Context, Identity } from '#server/trpc/context.ts';
import { createCallerFactory } from '#server/trpc/init.ts';
import { appRouter } from '#server/trpc/root.ts';
import { createOrderRig, type OrderRig } from './testing/order-rig.ts';

let rig: OrderRig;
beforeAll(async () => {
  rig = await createOrderRig();
});
afterAll(async () => {
  expect(await rig.audit()).toEqual([]);
  await rig.close();
});

const caller = createCallerFactory(appRouter);
const as = (identity: Identity) =>
  caller({ deps: rig.deps, identity, requestId: newId(), clientAddress: '127.0.0.1' } as unknown as Context);

async function person(role: 'user' | 'admin' = 'user') {
  const { id, email, displayName } = role === 'admin' ? rig.admin : await rig.buyer();
  const user = { id, email, displayName, role };
  return {
    userId: id,
    session: as({ type: 'session', user, sessionId: 'session' }),
    token: as({ type: 'api-token', user, tokenId: newId(), scopes: ['read', 'submit', 'cancel'] }),
  };
}

it('a person buys, sees and cancels orders; a token reads them and can neither buy nor cancel', async () => {
  const { session, token } = await person();
  const shop = await session.orders.shop();
  expect(shop).toMatchObject({ open: true, test: true, packs: [{ id: rig.packId, amountMinor: 1_000 }] });
  const made = await session.orders.create({ packId: rig.packId, requestKey: newId() });
  const { orderId } = made;
  expect(await session.orders.checkout({ orderId })).toEqual({ checkoutUrl: made.checkoutUrl });
  expect(await token.orders.get({ orderId })).toMatchObject({ status: 'pending' });
  expect((await token.orders.list()).items).toHaveLength(1);
  for (const refused of [
    token.orders.shop(),
    token.orders.create({ packId: rig.packId, requestKey: newId() }),
    token.orders.checkout({ orderId }),
    token.orders.cancel({ orderId }),
  ]) {
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
  await session.orders.cancel({ orderId });
  expect(await session.orders.get({ orderId })).toMatchObject({ status: 'cancelled', checkoutUrl: null });
});

it('pages go on where the page before ended, and a status means what an order reads as now', async () => {
  const { session, userId } = await person();
  for (let index = 0; index < 3; index += 1) await rig.order(userId);
  const first = await session.orders.list({ limit: 2 });
  const second = await session.orders.list({ limit: 2, cursor: first.nextCursor ?? '' });
  expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 1, null]);
  const overdue = first.items[0]?.id ?? '';
  await rig.t.sql`update orders set expires_at = now() - interval '1 second' where id = ${overdue}`;
  const admin = (await person('admin')).session;
  const list = (status: 'pending' | 'expired') => admin.adminOrders.list({ userId, status, limit: 10 });
  expect((await list('expired')).items.map((order) => order.id)).toEqual([overdue]);
  expect((await list('pending')).items).toHaveLength(2);
});

it('only an administrator sees and moves other people’s orders', async () => {
  const { session, userId } = await person();
  const { orderId } = await rig.paidOrder(userId);
  await expect(session.adminOrders.get({ orderId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(
    session.adminOrders.refund({ orderId, mode: 'full', reason: 'I want it', key: newId() }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(
    session.adminOrders.endDispute({ orderId, verdict: 'won', reason: 'I say so' }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });

  const admin = (await person('admin')).session;
  await expect(
    admin.adminOrders.endDispute({ orderId, verdict: 'won', reason: 'None is open' }),
  ).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await admin.adminOrders.get({ orderId })).toMatchObject({
    userId,
    unspentCredits: 100,
    unspentMinor: 1_000,
    events: [{ type: 'paid', outcome: 'applied' }],
  });
  const { refundId } = await admin.adminOrders.refund({
    orderId,
    mode: 'unspent',
    reason: 'Asked by mail',
    key: newId(),
  });
  expect((await admin.adminOrders.refunds({ status: 'pending', limit: 5 })).items).toMatchObject([
    { id: refundId, orderId, amountMinor: 1_000 },
  ]);
  await expect(admin.adminOrders.retryRefund({ refundId })).rejects.toMatchObject({ code: 'CONFLICT' });
  await rig.lane();
  expect(await session.orders.get({ orderId })).toMatchObject({ status: 'refunded', refundedMinor: 1_000 });

  await rig.deliver(rig.paid(newId(), { paymentId: newId() }));
  const [mismatch] = await admin.adminOrders.mismatches();
  await admin.adminOrders.resolveMismatch({
    eventId: mismatch?.id ?? '',
    verdict: 'dismiss',
    reason: 'Another shop',
  });
  expect(await admin.adminOrders.mismatches()).toEqual([]);
  const pending = await rig.order(userId);
  await admin.adminOrders.close({ orderId: pending.orderId, reason: 'Out of date' });
  expect((await admin.adminOrders.packs()).map((pack) => pack.id)).toEqual([rig.packId]);
});
