import { and, desc, eq, isNull, lt, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import { creditDebts, creditLedger, paymentEvents } from '#server/db/schema/index.ts';

export type PaymentEventRow = typeof paymentEvents.$inferSelect;

/** Writes a vendor's event once; undefined when it was handled before. Waits for whoever is handling it now. */
export async function insertPaymentEvent(
  tx: Tx,
  event: Omit<typeof paymentEvents.$inferInsert, 'outcome' | 'orderId'>,
): Promise<string | undefined> {
  const [row] = await tx
    .insert(paymentEvents)
    .values({ ...event, outcome: 'ignored' })
    .onConflictDoNothing()
    .returning({ id: paymentEvents.id });
  return row?.id;
}

export async function saveOutcome(
  tx: Tx,
  input: Pick<PaymentEventRow, 'id' | 'orderId' | 'outcome' | 'note'>,
): Promise<void> {
  await tx
    .update(paymentEvents)
    .set({ orderId: input.orderId, outcome: input.outcome, note: input.note })
    .where(eq(paymentEvents.id, input.id));
}

/** All that concerns one payment happens one after the other, whichever orders it names. */
export async function lockPayment(tx: Tx, by: { provider: string; paymentId: string }): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`payment:${by.provider}:${by.paymentId}`}, 0))`,
  );
}

/** Events of a payment that are of a type, oldest first. */
export async function listEventsOfPayment(
  db: DbOrTx,
  by: { provider: string; paymentId: string; types: readonly string[] },
): Promise<PaymentEventRow[]> {
  return db
    .select()
    .from(paymentEvents)
    .where(
      and(
        eq(paymentEvents.provider, by.provider),
        eq(paymentEvents.paymentId, by.paymentId),
        sql`${paymentEvents.type} = any(${`{${by.types.join(',')}}`}::text[])`,
      ),
    )
    .orderBy(paymentEvents.id);
}

export async function lockPaymentEvent(tx: Tx, id: string): Promise<PaymentEventRow | undefined> {
  const [row] = await tx.select().from(paymentEvents).where(eq(paymentEvents.id, id)).for('no key update');
  return row;
}

export async function resolveEvent(
  tx: Tx,
  input: { id: string; resolvedBy: string | null; resolution: string },
): Promise<void> {
  await tx
    .update(paymentEvents)
    .set({
      resolvedAt: sql`clock_timestamp()` as never,
      resolvedBy: input.resolvedBy,
      resolution: input.resolution,
    })
    .where(eq(paymentEvents.id, input.id));
}

/** Mismatches that nobody has decided yet, newest first. */
export async function listOpenMismatches(
  db: Db,
  input: { cursor?: string; limit: number },
): Promise<PaymentEventRow[]> {
  return db
    .select()
    .from(paymentEvents)
    .where(
      and(
        eq(paymentEvents.outcome, 'mismatch'),
        isNull(paymentEvents.resolvedAt),
        input.cursor ? lt(paymentEvents.id, input.cursor) : undefined,
      ),
    )
    .orderBy(desc(paymentEvents.id))
    .limit(input.limit);
}

/** What was reported about an order, newest first, at most 100. */
export async function listEventsOfOrder(db: Db, orderId: string): Promise<PaymentEventRow[]> {
  return db
    .select()
    .from(paymentEvents)
    .where(eq(paymentEvents.orderId, orderId))
    .orderBy(desc(paymentEvents.id))
    .limit(100);
}

/** Credits of an order that disputes took, debts included, whatever came back since. */
export async function sumChargebacks(tx: Tx, orderId: string): Promise<number> {
  const [entry] = await tx
    .select({ credits: sql<string>`coalesce(-sum(${creditLedger.deltaCredits}), 0)` })
    .from(creditLedger)
    .where(
      and(
        eq(creditLedger.orderId, orderId),
        eq(creditLedger.kind, 'clawback'),
        sql`${creditLedger.key} like 'chargeback%'`,
      ),
    );
  const [debt] = await tx
    .select({ credits: sql<string>`coalesce(sum(${creditDebts.amountCredits}), 0)` })
    .from(creditDebts)
    .where(and(eq(creditDebts.orderId, orderId), sql`${creditDebts.key} like 'chargeback%'`));
  return Number(entry?.credits ?? 0) + Number(debt?.credits ?? 0);
}
