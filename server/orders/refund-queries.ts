import { and, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import { paymentRefunds } from '#server/db/schema/index.ts';
import { claimRows, unleased } from '#server/lib/leases.ts';
import type { ReturnedMinor } from './schemas.ts';

export type PaymentRefundRow = typeof paymentRefunds.$inferSelect;
type NewRefund = typeof paymentRefunds.$inferInsert;
type Payment = { provider: string; paymentId: string };

const NOW = sql`clock_timestamp()` as never;

/** Writes a refund once per key, due now unless it is settled; undefined when there is one of this key. */
export async function insertPaymentRefund(
  tx: Tx,
  refund: Omit<NewRefund, 'status' | 'nextAttemptAt' | 'settledAt'> & { settled?: boolean },
): Promise<PaymentRefundRow | undefined> {
  const { settled, ...values } = refund;
  const [row] = await tx
    .insert(paymentRefunds)
    .values({
      ...values,
      ...(settled
        ? { status: 'settled' as const, settledAt: NOW }
        : { status: 'pending' as const, nextAttemptAt: NOW }),
    })
    .onConflictDoNothing({ target: paymentRefunds.key })
    .returning();
  return row;
}

export async function lockPaymentRefund(tx: Tx, id: string): Promise<PaymentRefundRow | undefined> {
  const [row] = await tx.select().from(paymentRefunds).where(eq(paymentRefunds.id, id)).for('no key update');
  return row;
}

export async function findPaymentRefund(
  db: DbOrTx,
  by: { id: string } | { key: string } | { provider: string; providerRefundId: string },
): Promise<PaymentRefundRow | undefined> {
  const [row] = await db
    .select()
    .from(paymentRefunds)
    .where(
      'id' in by
        ? eq(paymentRefunds.id, by.id)
        : 'key' in by
          ? eq(paymentRefunds.key, by.key)
          : and(
              eq(paymentRefunds.provider, by.provider),
              eq(paymentRefunds.providerRefundId, by.providerRefundId),
            ),
    );
  return row;
}

/** A refund of ours that is under way, or was paid by hand, and that the vendor has not named yet; oldest first. */
export async function findUnnamedRefund(
  tx: Tx,
  by: Payment & { amountMinor: number },
): Promise<PaymentRefundRow | undefined> {
  const [row] = await tx
    .select()
    .from(paymentRefunds)
    .where(
      and(
        ofPayment(by),
        eq(paymentRefunds.amountMinor, by.amountMinor),
        inArray(paymentRefunds.status, ['pending', 'manual', 'settled']),
        ne(paymentRefunds.origin, 'provider'),
        isNull(paymentRefunds.providerRefundId),
      ),
    )
    .orderBy(paymentRefunds.id)
    .limit(1);
  return row;
}

const isOpen = inArray(paymentRefunds.status, ['pending', 'manual']);
const ofPayment = (by: Payment) =>
  and(eq(paymentRefunds.provider, by.provider), eq(paymentRefunds.paymentId, by.paymentId));

/** Refunds of a payment whose money is not back yet, and may still go: one is left out when it is named. */
export async function listOpenRefunds(
  db: DbOrTx,
  by: Payment & { exceptId?: string },
): Promise<PaymentRefundRow[]> {
  return db
    .select()
    .from(paymentRefunds)
    .where(and(ofPayment(by), isOpen, by.exceptId ? ne(paymentRefunds.id, by.exceptId) : undefined))
    .orderBy(paymentRefunds.id);
}

/** What goes or went back of an order's payments that were not credited, by currency. */
export async function sumReturned(db: Db, orderId: string): Promise<ReturnedMinor[]> {
  const sum = (which: SQL) =>
    sql<number>`coalesce(sum(${paymentRefunds.amountMinor}) filter (where ${which}), 0)`.mapWith(Number);
  const { status } = paymentRefunds;
  return db
    .select({
      currency: paymentRefunds.currency,
      onItsWayMinor: sum(sql`${status} in ('pending', 'manual')`),
      paidBackMinor: sum(sql`${status} = 'settled'`),
    })
    .from(paymentRefunds)
    .where(
      and(
        eq(paymentRefunds.orderId, orderId),
        eq(paymentRefunds.origin, 'automatic'),
        ne(status, 'given_up'),
      ),
    )
    .groupBy(paymentRefunds.currency)
    .orderBy(paymentRefunds.currency);
}

type RefundChange = Partial<
  Pick<
    NewRefund,
    | 'status'
    | 'providerRefundId'
    | 'lastError'
    | 'attempts'
    | 'resolvedBy'
    | 'resolution'
    | 'clawedBackCredits'
  >
>;

/**
 * Changes a refund that the transaction has locked and ends its lease; due time and end follow from the status.
 *
 * @throws Error when it is not in one of these statuses
 */
export async function changeRefund(
  tx: Tx,
  input: {
    id: string;
    from: readonly PaymentRefundRow['status'][];
    to: PaymentRefundRow['status'];
    set?: RefundChange;
  },
): Promise<void> {
  const rows = await tx
    .update(paymentRefunds)
    .set({
      ...input.set,
      status: input.to,
      settledAt: input.to === 'settled' ? NOW : null,
      nextAttemptAt: input.to === 'pending' ? NOW : null,
      leaseUntil: null,
      leasedBy: null,
    })
    .where(and(eq(paymentRefunds.id, input.id), inArray(paymentRefunds.status, [...input.from])))
    .returning({ id: paymentRefunds.id });
  if (rows.length !== 1) throw new Error(`Refund ${input.id} is not ${input.from.join(' or ')}`);
}

/** Credits that were taken for a refund later than it was asked for. */
export async function addClawedBack(tx: Tx, input: { id: string; credits: number }): Promise<void> {
  await tx
    .update(paymentRefunds)
    .set({ clawedBackCredits: sql`${paymentRefunds.clawedBackCredits} + ${input.credits}` })
    .where(eq(paymentRefunds.id, input.id));
}

/** Keeps the vendor's own id of a refund that is under way. */
export async function nameRefund(tx: Tx, input: { id: string; providerRefundId: string }): Promise<void> {
  await tx
    .update(paymentRefunds)
    .set({ providerRefundId: input.providerRefundId })
    .where(and(eq(paymentRefunds.id, input.id), isNull(paymentRefunds.providerRefundId)));
}

/** Hands refunds of a payment that are waiting to be asked for to people. */
export async function holdRefundsOf(tx: Tx, by: Payment & { reason: string }): Promise<void> {
  await tx
    .update(paymentRefunds)
    .set({ status: 'manual', nextAttemptAt: null, leaseUntil: null, leasedBy: null, lastError: by.reason })
    .where(and(ofPayment(by), eq(paymentRefunds.status, 'pending')));
}

/** Claims due refunds under a lease, each by one caller. */
export async function claimPaymentRefunds(
  db: Db,
  input: { limit: number; leaseSeconds: number; executorId: string },
): Promise<PaymentRefundRow[]> {
  return claimRows(db, {
    table: paymentRefunds,
    leaseSeconds: input.leaseSeconds,
    executorId: input.executorId,
    due: sql`
      select id from ${paymentRefunds}
      where status = 'pending' and next_attempt_at <= now() and ${unleased(paymentRefunds)}
      order by next_attempt_at, id
      limit ${input.limit}
      for no key update skip locked`,
  });
}

/**
 * Puts a refund off, or hands it to people, under the lease token; a holder that lost its lease changes nothing.
 * `counts`: it was a failed try.
 */
export async function postponePaymentRefund(
  db: Db,
  input: {
    refund: Pick<PaymentRefundRow, 'id' | 'leaseToken'>;
    delayMs: number;
    manual: boolean;
    counts: boolean;
    error: string | null;
    providerRefundId?: string;
  },
): Promise<void> {
  await db
    .update(paymentRefunds)
    .set({
      attempts: input.counts ? sql`${paymentRefunds.attempts} + 1` : undefined,
      status: input.manual ? 'manual' : 'pending',
      nextAttemptAt: input.manual
        ? null
        : (sql`clock_timestamp() + make_interval(secs => ${input.delayMs / 1000})` as never),
      leaseUntil: null,
      leasedBy: null,
      lastError: input.error,
      providerRefundId: input.providerRefundId,
    })
    .where(
      and(
        eq(paymentRefunds.id, input.refund.id),
        eq(paymentRefunds.leaseToken, input.refund.leaseToken),
        eq(paymentRefunds.status, 'pending'),
      ),
    );
}

/** When the next refund can be claimed; null when none is pending. */
export async function nextPaymentRefundDueAt(db: Db): Promise<Date | null> {
  const [row] = await db
    .select({
      at: sql<string | null>`min(greatest(${paymentRefunds.nextAttemptAt}, ${paymentRefunds.leaseUntil}))`,
    })
    .from(paymentRefunds)
    .where(eq(paymentRefunds.status, 'pending'));
  return row?.at ? new Date(row.at) : null;
}

/** For the renewal of leases. */
export const leasedRefunds = paymentRefunds;
