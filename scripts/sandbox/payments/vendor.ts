import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliver } from '../deliver.ts';
import { hexId, type Sandbox } from '../endpoint.ts';
import { ApiError } from '../wire.ts';
import {
  type Checkout,
  leftOf,
  type Payment,
  type PaymentDelivery,
  paymentsOf,
  type Refund,
} from './state.ts';

/** What the played vendor does with a checkout, and what it tells the shop. No money moves anywhere. */

/** A shop that is being restarted is back within the half minute that these take. */
const TRIES = 12;
const AT_ONCE = 3;

/** How the shop is told: when, and how often at the same time. */
type Telling = { afterMs?: number; thrice?: boolean };

/** Makes a checkout and tells the shop when its time is up. */
export function openCheckout(sandbox: Sandbox, order: Omit<Checkout, 'id' | 'status'>): Checkout {
  const checkout: Checkout = { ...order, id: hexId('pco_'), status: 'open' };
  sandbox.state.payments.checkouts.set(checkout.id, checkout);
  inBackground(sandbox, checkout.expiresAt - Date.now(), async () => closeCheckout(sandbox, checkout));
  return checkout;
}

/** Takes no more payment from a careful payer. Closing what is closed or paid changes nothing. */
export function closeCheckout(sandbox: Sandbox, checkout: Checkout): void {
  if (checkout.status !== 'open') return;
  checkout.status = 'closed';
  const { orderId } = checkout;
  tell(sandbox, { type: 'checkout.expired', orderId, data: { checkout_id: checkout.id } });
}

/** A payment; also on a checkout that is paid or closed, because such things happen. */
export function pay(
  sandbox: Sandbox,
  checkout: Checkout,
  input: { amountMinor?: number; currency?: string } & Telling = {},
): Payment {
  const { amountMinor = checkout.amountMinor, currency = checkout.currency, ...telling } = input;
  const payment: Payment = {
    id: hexId('ppa_'),
    checkoutId: checkout.id,
    orderId: checkout.orderId,
    amountMinor,
    currency,
    dispute: null,
  };
  checkout.status = 'complete';
  sandbox.state.payments.payments.set(payment.id, payment);
  tell(sandbox, { type: 'payment.paid', orderId: payment.orderId, data: ofPayment(payment) }, telling);
  return payment;
}

export function decline(sandbox: Sandbox, checkout: Checkout, telling?: Telling): void {
  const { id, orderId, amountMinor, currency } = checkout;
  const data = { checkout_id: id, payment_id: hexId('ppa_'), amount_minor: amountMinor, currency };
  tell(sandbox, { type: 'payment.failed', orderId, data }, telling);
}

/** @throws ApiError when so much of the payment is not there any more, or a dispute holds it */
export function refund(
  sandbox: Sandbox,
  payment: Payment,
  input: { amountMinor: number; ourRefundId: string | null } & Telling,
): Refund {
  const { amountMinor, ourRefundId, ...telling } = input;
  const left = leftOf(sandbox.state.payments, payment);
  if (payment.dispute && payment.dispute.status !== 'won') {
    throw new ApiError(400, 'payment_disputed', 'The payment is disputed and cannot be refunded.');
  }
  if (left === 0) throw new ApiError(400, 'already_refunded', 'The payment was refunded already.');
  if (amountMinor < 1 || amountMinor > left) {
    throw new ApiError(400, 'amount_too_large', `Only ${left} of this payment can still be refunded.`);
  }
  const made: Refund = {
    id: hexId('pre_'),
    paymentId: payment.id,
    orderId: payment.orderId,
    amountMinor,
    currency: payment.currency,
    ourRefundId,
  };
  sandbox.state.payments.refunds.set(made.id, made);
  const data = {
    ...ofPayment(payment),
    amount_minor: amountMinor,
    refund: { id: made.id, our_refund_id: ourRefundId, amount_minor: amountMinor, status: 'settled' },
  };
  tell(sandbox, { type: 'refund.changed', orderId: payment.orderId, data }, telling);
  return made;
}

const DISPUTE_EVENTS = { open: 'dispute.opened', won: 'dispute.won', lost: 'dispute.lost' } as const;

/** @throws ApiError when the dispute is not at that point */
export function dispute(
  sandbox: Sandbox,
  payment: Payment,
  status: 'open' | 'won' | 'lost',
  telling?: Telling,
): void {
  if ((status === 'open') !== (payment.dispute === null) || (payment.dispute?.status ?? 'open') !== 'open') {
    throw new ApiError(400, 'dispute_state', 'The dispute of this payment is not at that point.');
  }
  payment.dispute = { id: payment.dispute?.id ?? hexId('pdi_'), status };
  const data = { ...ofPayment(payment), dispute_id: payment.dispute.id };
  tell(sandbox, { type: DISPUTE_EVENTS[status], orderId: payment.orderId, data }, telling);
}

const ofPayment = ({ id, amountMinor, currency, checkoutId }: Payment) => ({
  checkout_id: checkoutId,
  payment_id: id,
  amount_minor: amountMinor,
  currency,
});

type News = { type: string; orderId: string; data: object };

/** Sends one event to the shop: once, or three times at the same moment. */
function tell(
  sandbox: Sandbox,
  { type, orderId, data }: News,
  { afterMs = 0, thrice = false }: Telling = {},
): void {
  const { webhookUrl, secret } = sandbox.payments ?? {};
  if (!webhookUrl || !secret) return;
  const { deliveries } = sandbox.state.payments;
  const eventId = hexId('pev_');
  const nothing = { checkout_id: null, payment_id: null, amount_minor: null, currency: null };
  const created = new Date().toISOString();
  const body = JSON.stringify({
    id: eventId,
    type,
    created,
    data: { order_id: orderId, ...nothing, ...data },
  });
  inBackground(sandbox, afterMs, async (signal) => {
    const copies = Array.from({ length: thrice ? AT_ONCE : 1 }, async () => {
      const message: PaymentDelivery = {
        eventId,
        type,
        orderId,
        url: webhookUrl,
        headers: { 'sandbox-signature': signatureOf(body, secret) },
        body,
        tries: [],
        delivered: false,
        finished: false,
      };
      deliveries.push(message);
      await deliver(message, { tries: TRIES, signal });
    });
    await Promise.all(copies);
  });
}

function signatureOf(body: string, secret: string): string {
  const seconds = Math.floor(Date.now() / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** Does something later, unless the sandbox is reset or closed before. */
function inBackground(sandbox: Sandbox, afterMs: number, act: (signal: AbortSignal) => Promise<void>): void {
  const { signal } = sandbox.state.epoch;
  const work = (async () => {
    try {
      if (afterMs > 0) await sleep(afterMs, undefined, { signal });
      await act(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  })();
  sandbox.working.add(work);
  void work.finally(() => sandbox.working.delete(work));
}

/** Whether a payer who comes now finds the page open. */
export const isOpen = (sandbox: Sandbox, checkout: Checkout) =>
  checkout.status === 'open' && paymentsOf(sandbox.state.payments, checkout.id).length === 0;
