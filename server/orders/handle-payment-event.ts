import { postEntry } from '#server/billing/ledger.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { assertNever } from '#server/lib/assert-never.ts';
import { redactValue } from '#server/lib/redact.ts';
import { tellPerson } from '#server/notifications/tell-owner.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { loseDispute, openDispute, winDispute } from './apply-dispute.ts';
import { failRefund, settleRefund, takeProviderRefund } from './apply-refund.ts';
import { decidePayment, type PaymentDecision } from './decide-payment.ts';
import {
  insertPaymentEvent,
  listEventsOfPayment,
  lockPayment,
  type PaymentEventRow,
  saveOutcome,
} from './event-queries.ts';
import { moveOrder } from './move-order.ts';
import type { OrderRow } from './order-queries.ts';
import type { PaymentEvent } from './payment/payment-provider.ts';
import { readSubject, type Subject } from './read-subject.ts';
import { insertPaymentRefund, nameRefund, type PaymentRefundRow } from './refund-queries.ts';
import { readStoredEvent, storedFacts } from './stored-event.ts';

type Outcome = PaymentEventRow['outcome'];

/** What is reported before its payment was credited, and applied when it is. */
const AFTER_PAYMENT = ['refund', 'dispute_opened', 'dispute_won', 'dispute_lost'];

/**
 * Handles one event of a payment vendor, verified before, in one transaction: the event is kept once, the order is
 * locked, {@link decidePayment} decides, and what it decided is done. However often an event comes, at once or later,
 * money moves once:
 *
 * - A payment of the right amount and currency makes the order paid and gives its credits, in any status but one: late
 *   payments, after expiry or the user's own cancel, are honoured. It goes back by itself when an administrator had
 *   closed the order, when the buyer's account is closed, and when the order is paid by another payment already.
 * - What does not fit (amount, currency, another order's checkout or payment) moves nothing and waits for an
 *   administrator.
 * - A failure or an expiry after the payment changes nothing.
 * - A refund settles our row of it, or is recorded as made in the vendor's panel; credits are taken back in proportion,
 *   and a dispute takes all of them. What was spent becomes a debt. A dispute that is won gives them back.
 * - A refund or dispute that overtakes the news of its payment is applied when the payment is credited.
 *
 * A fault throws and leaves nothing behind, the event included, so that the vendor's next delivery is handled afresh.
 *
 * @returns what became of it; `repeated` without a second row when the vendor's event id was handled before
 */
export async function handlePaymentEvent(
  deps: Pick<Deps, 'db' | 'logger' | 'due'>,
  input: { provider: string; event: PaymentEvent },
): Promise<{ outcome: Outcome }> {
  const { provider, event } = input;
  const handled = await deps.db.transaction(async (tx) => {
    const id = await insertPaymentEvent(tx, {
      provider,
      eventId: event.eventId,
      type: event.type,
      paymentId: event.paymentId,
      amountMinor: event.amountMinor,
      currency: event.currency,
      facts: redactValue(storedFacts(event)),
    });
    if (!id) return undefined;
    await crashPoint('payment-event.after-insert');
    if (event.paymentId) await lockPayment(tx, { provider, paymentId: event.paymentId });
    const decision = await decideAndAct(tx, { rowId: id, provider, event });
    if (decision.do === 'credit') await applyOvertakers(tx, input);
    await crashPoint('payment-event.before-commit');
    return decision;
  });
  await crashPoint('payment-event.after-commit');
  if (!handled) return { outcome: 'repeated' };
  const outcome = outcomeOf(handled);
  if (outcome === 'mismatch') {
    deps.logger.error(
      { provider, eventId: event.eventId, type: event.type, note: noteOf(handled) },
      'A payment event does not fit: an administrator has to look at it',
    );
  }
  if (outcome === 'applied') deps.due.wake();
  return { outcome };
}

const outcomeOf = (decision: PaymentDecision): Outcome =>
  decision.do === 'nothing' ? decision.outcome : 'applied';
const noteOf = (decision: PaymentDecision): string | null => ('note' in decision ? decision.note : null);

async function decideAndAct(
  tx: Tx,
  input: { rowId: string; provider: string; event: PaymentEvent },
): Promise<PaymentDecision> {
  const subject = await readSubject(tx, input);
  const decision = decidePayment(input.event, subject);
  await act(tx, { ...input, subject, decision });
  await saveOutcome(tx, {
    id: input.rowId,
    orderId: subject.order?.id ?? null,
    outcome: outcomeOf(decision),
    note: noteOf(decision),
  });
  return decision;
}

/** Refunds and disputes of a payment that came before it. */
async function applyOvertakers(tx: Tx, { provider, event }: { provider: string; event: PaymentEvent }) {
  if (!event.paymentId) return;
  const rows = await listEventsOfPayment(tx, { provider, paymentId: event.paymentId, types: AFTER_PAYMENT });
  for (const row of rows) {
    if (row.resolvedAt) continue;
    await decideAndAct(tx, { rowId: row.id, provider, event: readStoredEvent(row) });
  }
}

type Acting = { provider: string; event: PaymentEvent; subject: Subject; decision: PaymentDecision };

async function act(tx: Tx, { provider, event, subject, decision }: Acting): Promise<void> {
  if (decision.do === 'nothing') return;
  const order = required(subject.order);
  const actor = `payment:${provider}`;
  switch (decision.do) {
    case 'credit':
      return creditOrder(tx, { order, event, actor });
    case 'return':
      return returnPayment(tx, { order, event, actor, note: decision.note });
    case 'expire':
      return moveOrder(tx, order, { to: 'expired' });
    case 'settle_refund': {
      const refund: PaymentRefundRow = required(subject.refund);
      const providerRefundId = required(event.refund).refundId;
      return settleRefund(tx, { order, refund, providerRefundId, actor });
    }
    case 'take_refund': {
      const { refundId, amountMinor } = required(event.refund);
      await takeProviderRefund(tx, { order, refundId, amountMinor, actor });
      return;
    }
    case 'name_refund':
      return nameRefund(tx, {
        id: required(subject.refund).id,
        providerRefundId: required(event.refund).refundId,
      });
    case 'fail_refund':
      return failRefund(tx, { order, refund: required(subject.refund) });
    case 'open_dispute':
      return openDispute(tx, { order, disputeId: required(event.disputeId), actor });
    case 'win_dispute':
      return winDispute(tx, {
        order,
        disputeId: required(event.disputeId),
        actor,
        otherOpen: subject.otherDisputeOpen,
      });
    case 'lose_dispute':
      return loseDispute(tx, {
        order,
        disputeId: required(event.disputeId),
        actor,
        otherOpen: subject.otherDisputeOpen,
        lostMinor: event.currency === order.currency ? event.amountMinor : null,
      });
    default:
      return assertNever(decision);
  }
}

/** What the decision has made sure of. */
function required<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error('A decision without what it is about');
  return value;
}

async function creditOrder(
  tx: Tx,
  { order, event, actor }: { order: OrderRow; event: PaymentEvent; actor: string },
): Promise<void> {
  await moveOrder(tx, order, {
    to: 'paid',
    set: { paymentId: required(event.paymentId), cancelledBy: null, invitesDue: true },
    paidNow: true,
  });
  await postEntry(tx, {
    userId: order.userId,
    kind: 'purchase',
    deltaCredits: order.credits,
    key: `order:${order.id}`,
    orderId: order.id,
    actor,
    reason: `Bought: ${order.title}`,
    bucket: { kind: 'purchased', validDays: order.validDays },
  });
  await tellPerson(tx, {
    userId: order.userId,
    type: 'order.paid',
    data: { orderId: order.id, title: order.title, credits: order.credits },
  });
}

/** A payment that we cannot take. An order that was still open is closed, so that it is not paid once more. */
async function returnPayment(
  tx: Tx,
  { order, event, actor, note }: { order: OrderRow; event: PaymentEvent; actor: string; note: string },
): Promise<void> {
  const paymentId = required(event.paymentId);
  await insertPaymentRefund(tx, {
    key: `return:${order.provider}:${paymentId}`,
    orderId: order.id,
    userId: order.userId,
    provider: order.provider,
    paymentId,
    amountMinor: required(event.amountMinor),
    currency: required(event.currency),
    origin: 'automatic',
    reason: note,
    actor,
  });
  if (order.status === 'pending') {
    await moveOrder(tx, order, { to: 'cancelled', set: { cancelledBy: 'admin' } });
  }
}
