import { eq, sql } from 'drizzle-orm';
import { clawBack, postEntry } from '#server/billing/ledger.ts';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { orders, paymentRefunds } from '#server/db/schema/index.ts';
import { newId } from '#server/lib/ids.ts';
import { present } from './factory-money.ts';

/** Orders as payments and refunds leave them behind, with their money; the rows are written directly. */

type TestOrder = typeof orders.$inferSelect;

/** An order of 100 credits for 10.00 EUR that was paid just now, or so many days ago. */
export async function createPaidOrder(
  db: DbOrTx,
  overrides: Partial<typeof orders.$inferInsert> & { userId: string; paidDaysAgo?: number },
): Promise<TestOrder> {
  const { paidDaysAgo = 0, ...columns } = overrides;
  const id = columns.id ?? newId();
  return db.transaction(async (tx) => {
    const [order] = await tx
      .insert(orders)
      .values({
        title: 'Test pack',
        credits: 100,
        amountMinor: 1_000,
        currency: 'EUR',
        status: 'paid',
        requestKey: newId(),
        provider: 'sandbox',
        paymentId: `payment-${id}`,
        expiresAt: sql`clock_timestamp() + interval '30 minutes'`,
        paidAt: sql`clock_timestamp() - make_interval(days => ${paidDaysAgo})`,
        invitesDue: true,
        ...columns,
        id,
      })
      .returning();
    const paid = present(order);
    await postEntry(tx, {
      userId: paid.userId,
      kind: 'purchase',
      deltaCredits: paid.credits,
      key: `order:${id}`,
      orderId: id,
      actor: 'payment:sandbox',
      reason: 'Test data',
      bucket: { kind: 'purchased', validDays: paid.validDays },
    });
    return paid;
  });
}

/** Pays back an order, wholly unless told, as a settled refund leaves it. */
export async function refundPaidOrder(
  db: DbOrTx,
  orderId: string,
  refund: { amountMinor?: number } = {},
): Promise<void> {
  await db.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    const amountMinor = refund.amountMinor ?? order.amountMinor;
    const refundId = newId();
    const credits = Math.floor((order.credits * amountMinor) / order.amountMinor);
    const reason = 'Test data';
    await clawBack(tx, {
      userId: order.userId,
      credits,
      key: `clawback:refund:sandbox:${refundId}`,
      orderId,
      actor: 'payment:sandbox',
      reason,
    });
    await tx.insert(paymentRefunds).values({
      id: refundId,
      key: `refund:${refundId}`,
      orderId,
      userId: order.userId,
      provider: order.provider,
      paymentId: present(order.paymentId ?? undefined),
      amountMinor,
      currency: order.currency,
      origin: 'admin',
      status: 'settled',
      clawedBackCredits: credits,
      reason,
      actor: 'test',
      providerRefundId: refundId,
      settledAt: sql`clock_timestamp()`,
    });
    const whole = order.refundedMinor + amountMinor === order.amountMinor;
    await tx
      .update(orders)
      .set({
        refundedMinor: order.refundedMinor + amountMinor,
        clawedBackCredits: order.clawedBackCredits + credits,
        invitesDue: true,
        ...(whole ? { status: 'refunded', endedAt: sql`clock_timestamp()` } : {}),
      })
      .where(eq(orders.id, orderId));
  });
}

async function lockOrder(tx: Tx, orderId: string): Promise<TestOrder> {
  const [order] = await tx.select().from(orders).where(eq(orders.id, orderId)).for('no key update');
  return present(order);
}
