import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrderRig, type OrderRig } from '#server/orders/testing/order-rig.ts';

let rig: OrderRig;
beforeAll(async () => {
  rig = await createOrderRig();
});
afterAll(() => rig.close());

it('a buyer is told once of a payment, and of money that went back, by whoever started that', async () => {
  const { orderId, userId } = await rig.order();
  const event = rig.paid(orderId);
  await Promise.all([rig.deliver(event), rig.deliver(event), rig.deliver(rig.paid(orderId))]);
  const back = rig.refunded(orderId, { amountMinor: 400 });
  await rig.deliver(back);
  await rig.deliver(back);
  await rig.refund(orderId, 'full');
  for (let turn = 0; turn < 3; turn += 1) await rig.lane();
  const told = await rig.t.sql`select type, data from notifications where user_id = ${userId} order by id`;
  expect(told).toMatchObject([
    { type: 'order.paid', data: { orderId, credits: 100 } },
    { type: 'order.refunded', data: { orderId, amountMinor: 400 } },
    { type: 'order.refunded', data: { orderId, amountMinor: 600 } },
  ]);
});
