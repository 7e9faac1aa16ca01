import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimPaymentRefunds, leasedRefunds } from '#server/orders/refund-queries.ts';
import { createOrderRig, type OrderRig } from '#server/orders/testing/order-rig.ts';
import { newId } from './ids.ts';
import { keepLeases } from './keep-lease.ts';

let rig: OrderRig;
beforeAll(async () => {
  rig = await createOrderRig({ leaseSeconds: 1 });
});
afterAll(() => rig.close());

const leaseOf = async (id: string) =>
  (
    await rig.t.sql<{ until: string | null }[]>`
    select lease_until::text as until from payment_refunds where id = ${id}`
  )[0]?.until;
const claim = () => claimPaymentRefunds(rig.t.db, { limit: 3, leaseSeconds: 1, executorId: newId() });

it('renews what is held under its own token, and leaves alone what ended or was taken over', async () => {
  for (let index = 0; index < 3; index += 1) {
    await rig.refund((await rig.paidOrder()).orderId, 'full');
  }
  const rows = await claim();
  expect(rows).toHaveLength(3);
  const [held, ended, taken] = rows.map((row) => row.id);
  await rig.t.sql`update payment_refunds set lease_until = null where id = ${ended ?? ''}`;
  await rig.t.sql`update payment_refunds set lease_token = lease_token + 1 where id = ${taken ?? ''}`;
  const first = { held: await leaseOf(held ?? ''), taken: await leaseOf(taken ?? '') };
  await keepLeases(rig.deps, { table: leasedRefunds, rows }, async () => {
    while ((await leaseOf(held ?? '')) === first.held) await new Promise((done) => setTimeout(done, 20));
  });
  expect(await leaseOf(ended ?? '')).toBeNull();
  expect(await leaseOf(taken ?? '')).toBe(first.taken);
});

it('a renewal that fails is logged and stops no work', async () => {
  const broken = { ...rig.deps, renewalDb: rig.t.open({ url: 'postgres://nobody@127.0.0.1:1/none' }).db };
  const rows = [{ id: newId(), leaseToken: 1 }];
  const result = await keepLeases(broken, { table: leasedRefunds, rows }, async () => {
    while (rig.lines.length === 0) await new Promise((done) => setTimeout(done, 20));
    return 'done';
  });
  expect(result).toBe('done');
  expect(rig.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'Leases could not be renewed' }),
  );
});
