import { auditLedger } from '#server/billing/audit.ts';
import { readCredits } from '#server/billing/read-credits.ts';
import type { Config } from '#server/deps.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createDueSignal } from '#server/lib/due-signal.ts';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import { createTestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { TEST_CONFIG } from '#server/testing/rig.ts';
import { createOrder } from '../create-order.ts';
import { handlePaymentEvent } from '../handle-payment-event.ts';
import { savePack } from '../packs.ts';
import type { PaymentEvent } from '../payment/payment-provider.ts';
import { readAdminOrder } from '../read-admin-orders.ts';
import { refundOrder } from '../refund-order.ts';
import { runPaymentRefundBatch } from '../run-payment-refund-batch.ts';
import { createFakeProvider, paymentEvent } from './fake-provider.ts';

export type OrderRig = Awaited<ReturnType<typeof createOrderRig>>;

/** Orders on a real database with a vendor in memory: a pack of 100 credits for 10.00 EUR, valid for 30 days. */
export async function createOrderRig(config: Partial<Config> = {}) {
  const t = await createTestDatabase({ max: 12 });
  const vendor = createFakeProvider();
  const lines: { level: string; message: string; fields: object }[] = [];
  const log = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields });
  const logger: Logger = {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: () => logger,
  };
  const deps = {
    db: t.db,
    renewalDb: t.open({ max: 1 }).db,
    clock: systemClock,
    config: { ...TEST_CONFIG, publicOrigin: 'https://lane.example.com', ...config },
    payments: vendor as typeof vendor | undefined,
    logger,
    random: () => 0.5,
    newId,
    due: createDueSignal(),
  };
  const admin = await createUser(t.db, { role: 'admin' });
  const pack = { title: '100 credits', credits: 100, amountMinor: 1_000, currency: 'EUR' };
  const { packId } = await savePack(deps, {
    ...pack,
    validDays: 30,
    enabled: true,
    position: 0,
    actorId: admin.id,
  });

  const rig = {
    t,
    deps,
    vendor,
    lines,
    admin,
    packId,
    /** A user with no credits of their own. */
    buyer: (overrides: Parameters<typeof createUser>[1] = {}) =>
      createUser(t.db, { balanceCredits: 0, ...overrides }),
    /** A pending order with its checkout. */
    async order(userId?: string): Promise<{ orderId: string; userId: string }> {
      const buyerId = userId ?? (await rig.buyer()).id;
      const { orderId } = await createOrder(deps, { userId: buyerId, packId, requestKey: newId() });
      return { orderId, userId: buyerId };
    },
    /** The news that an order was paid, by a payment of its own unless told. */
    paid: (orderId: string, overrides: Partial<PaymentEvent> = {}): PaymentEvent =>
      paymentEvent({
        eventId: newId(),
        type: 'paid',
        orderId,
        checkoutId: `checkout-${orderId}`,
        paymentId: `payment-${orderId}`,
        amountMinor: pack.amountMinor,
        currency: pack.currency,
        ...overrides,
      }),
    /** Any other news about an order's payment. */
    news: (
      type: PaymentEvent['type'],
      orderId: string,
      overrides: Partial<PaymentEvent> = {},
    ): PaymentEvent => ({ ...rig.paid(orderId, overrides), type, rawType: type }),
    /** The news of a refund; made in the panel unless it names ours. */
    refunded: (
      orderId: string,
      refund: Partial<NonNullable<PaymentEvent['refund']>> & { amountMinor: number },
    ): PaymentEvent =>
      rig.news('refund', orderId, {
        refund: { refundId: newId(), ourRefundId: null, status: 'settled', ...refund },
      }),
    deliver: async (event: PaymentEvent): Promise<string> =>
      (await handlePaymentEvent(deps, { provider: 'sandbox', event })).outcome,
    /** A paid order of a new user, who has its 100 credits. */
    async paidOrder(userId?: string): Promise<{ orderId: string; userId: string }> {
      const made = await rig.order(userId);
      await rig.deliver(rig.paid(made.orderId));
      return made;
    },
    refund: (orderId: string, mode: 'unspent' | 'full', key = newId()) =>
      refundOrder(deps, { orderId, mode, reason: 'Asked by phone', key, actorId: admin.id }),
    lane: () => runPaymentRefundBatch(deps, { limit: 50, workerId: null }),
    see: (orderId: string) => readAdminOrder(deps, orderId),
    credits: (userId: string) => readCredits(deps, userId),
    /** Credits that a user has now, less what is owed. */
    async worth(userId: string): Promise<number> {
      const { balanceCredits, debts } = await readCredits(deps, userId);
      return balanceCredits - debts.reduce((sum, debt) => sum + debt.remainingCredits, 0);
    },
    /** Ledger entries of a user as `kind amount`, oldest first. */
    async entries(userId: string): Promise<string[]> {
      const rows =
        await t.sql`select kind, delta_credits from credit_ledger where user_id = ${userId} order by id`;
      return rows.map((row) => `${row.kind} ${row.delta_credits}`);
    },
    /** Refunds that wait for a later time, or that a stopped process still holds, are due now. */
    letTimePass: () =>
      t.sql`update payment_refunds set next_attempt_at = now(), lease_until = null, leased_by = null
        where status = 'pending'`,
    audit: () => auditLedger(t.db),
    close: () => t.close(),
  };
  return rig;
}
