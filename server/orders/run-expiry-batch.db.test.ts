import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { runExpiryBatch } from './run-expiry-batch.ts';
import { createOrderRig, type OrderRig } from './testing/order-rig.ts';

let rig: OrderRig;
beforeAll(async () => {
  rig = await createOrderRig();
});
afterAll(async () => {
  expect(await rig.audit()).toEqual([]);
  await rig.close();
});
beforeEach(() => sweep());
afterEach(() => setCrashHandler(undefined));

const sweep = (limit = 50) => runExpiryBatch(rig.deps, { limit, workerId: null });
const age = (orderId: string) =>
  rig.t.sql`update orders set expires_at = now() - interval '1 second' where id = ${orderId}`;
const ageCredits = (userId: string) =>
  rig.t.sql`update credit_buckets set expires_at = now() - interval '1 second' where user_id = ${userId}`;

async function overdue(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { orderId } = await rig.order();
    await age(orderId);
    ids.push(orderId);
  }
  return ids;
}

it('five sweeps at once end each overdue order once, and no other', async () => {
  const ids = await overdue(8);
  const open = await rig.order();
  const paid = await rig.paidOrder();
  await age(paid.orderId);
  const before = (await rig.see(ids[0] ?? '')).version;
  const sweeps = await Promise.all(Array.from({ length: 5 }, () => sweep(3)));
  await sweep();
  expect(sweeps.every((one) => one.expired <= 3)).toBe(true);
  for (const id of ids) {
    const order = await rig.see(id);
    expect(order).toMatchObject({ status: 'expired', version: before + 1 });
    expect(order.endedAt).not.toBeNull();
  }
  expect((await rig.see(open.orderId)).status).toBe('pending');
  expect((await rig.see(paid.orderId)).status).toBe('paid');
});

it('skips an order that is being paid, which then is paid', async () => {
  const [orderId = ''] = await overdue(1);
  let swept: { expired: number } | undefined;
  setCrashHandler(async (name) => {
    if (name !== 'payment-event.before-commit') return;
    setCrashHandler(undefined);
    swept = await sweep();
  });
  expect(await rig.deliver(rig.paid(orderId))).toBe('applied');
  expect(swept).toMatchObject({ expired: 0 });
  await sweep();
  expect((await rig.see(orderId)).status).toBe('paid');
});

it.each<CrashPointName>([
  'order-expiry.before-commit',
  'order-expiry.after-commit',
  'credit-expiry.before-commit',
  'credit-expiry.after-commit',
])('stopped at %s, the next sweep ends what is left, each once', async (point) => {
  const [orderId = ''] = await overdue(1);
  const { userId } = await rig.paidOrder();
  await ageCredits(userId);
  setCrashHandler((at) => {
    if (at === point) throw new Error(`crash at ${at}`);
  });
  await sweep().catch(() => undefined);
  setCrashHandler(undefined);
  await sweep();
  await sweep();
  expect((await rig.see(orderId)).status).toBe('expired');
  expect(await rig.entries(userId)).toEqual(['purchase 100', 'expire -100']);
});

it('tells when the next order or bucket ends, whichever is sooner', async () => {
  await rig.t.sql`update orders set expires_at = '2090-01-02T00:00:00Z' where status = 'pending'`;
  await rig.t.sql`update credit_buckets set expires_at = null where remaining_credits > 0`;
  const { orderId, userId } = await rig.order();
  await rig.t.sql`update orders set expires_at = '2090-01-01T00:00:00Z' where id = ${orderId}`;
  expect(await sweep()).toEqual({
    expired: 0,
    creditsExpired: 0,
    nextDueAt: new Date('2090-01-01T00:00:00Z'),
  });
  await rig.paidOrder(userId);
  await rig.t.sql`update credit_buckets set expires_at = '2089-01-01T00:00:00Z' where user_id = ${userId}`;
  expect((await sweep()).nextDueAt).toEqual(new Date('2089-01-01T00:00:00Z'));
});
