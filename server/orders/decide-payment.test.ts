import { describe, expect, it } from 'vitest';
import {
  type DecidedOrder,
  decidePayment,
  type PaymentDecision,
  type PaymentSubject,
  paysTooMuchBack,
} from './decide-payment.ts';
import type { PaymentEvent } from './payment/payment-provider.ts';
import { ORDER_STATUSES, type OrderStatus } from './status.ts';
import { paymentEvent } from './testing/fake-provider.ts';

const ORDER: DecidedOrder = {
  id: 'order',
  provider: 'stripe',
  status: 'pending',
  cancelledBy: null,
  amountMinor: 1_000,
  currency: 'EUR',
  refundedMinor: 0,
  dispute: null,
  checkoutId: 'checkout',
  paymentId: null,
};
const SUBJECT: Omit<PaymentSubject, 'order'> = {
  provider: 'stripe',
  namesAnother: false,
  buyerClosed: false,
  paymentReturns: false,
  disputeEnded: false,
  disputeEnd: null,
  refundFailed: false,
  refund: undefined,
};
const PAID: DecidedOrder = { ...ORDER, status: 'paid', paymentId: 'payment' };

type Case = {
  event?: Partial<PaymentEvent>;
  order?: Partial<DecidedOrder> | null;
  subject?: Partial<PaymentSubject>;
};

function decide(type: PaymentEvent['type'], base: DecidedOrder, given: Case): string {
  const event = paymentEvent({
    eventId: 'event',
    type,
    orderId: 'order',
    checkoutId: 'checkout',
    paymentId: 'payment',
    amountMinor: 1_000,
    currency: 'EUR',
    ...given.event,
  });
  const order = given.order === null ? undefined : { ...base, ...given.order };
  return nameOf(decidePayment(event, { ...SUBJECT, order, ...given.subject }));
}

const nameOf = (decision: PaymentDecision): string =>
  decision.do === 'nothing' ? decision.outcome : decision.do;

describe('paid', () => {
  const cases: [string, Case, string][] = [
    ['the right amount for a pending order', {}, 'credit'],
    ['an expired order: late, honoured', { order: { status: 'expired' } }, 'credit'],
    ['cancelled by the user', { order: { status: 'cancelled', cancelledBy: 'user' } }, 'credit'],
    ['cancelled by an administrator', { order: { status: 'cancelled', cancelledBy: 'admin' } }, 'return'],
    ['the account is closed', { subject: { buyerClosed: true } }, 'return'],
    ['names no order but its checkout', { event: { orderId: null } }, 'credit'],
    ['names no checkout', { event: { checkoutId: null } }, 'credit'],
    ['the checkout was never saved', { order: { checkoutId: null } }, 'credit'],
    ['no order of ours', { order: null }, 'mismatch'],
    ['an order of another provider', { order: { provider: 'sandbox' } }, 'mismatch'],
    ['ids of two orders', { subject: { namesAnother: true } }, 'mismatch'],
    ['another checkout', { event: { checkoutId: 'other' } }, 'mismatch'],
    ['no payment id', { event: { paymentId: null } }, 'mismatch'],
    ['1 instead of 1,000', { event: { amountMinor: 1 } }, 'mismatch'],
    ['more than asked', { event: { amountMinor: 1_001 } }, 'mismatch'],
    ['no amount', { event: { amountMinor: null } }, 'mismatch'],
    ['another currency', { event: { currency: 'USD' } }, 'mismatch'],
    ['a currency in lower case', { event: { currency: 'eur' } }, 'mismatch'],
    ['no currency', { event: { currency: null } }, 'mismatch'],
    [
      'a wrong amount for a closed order',
      { order: { cancelledBy: 'admin' }, event: { amountMinor: 1 } },
      'mismatch',
    ],
    ['a payment that is on its way back', { subject: { paymentReturns: true } }, 'repeated'],
    ['the payment that was credited', { order: PAID }, 'repeated'],
    [
      'the same, after a refund',
      { order: { ...PAID, status: 'refunded', refundedMinor: 1_000 } },
      'repeated',
    ],
    ['a second payment', { order: PAID, event: { paymentId: 'second' } }, 'return'],
    [
      'a second payment, of a refunded order',
      { order: { ...PAID, status: 'refunded' }, event: { paymentId: 'second' } },
      'return',
    ],
  ];
  it.each(cases)('%s', (_, given, expected) => {
    expect(decide('paid', ORDER, given)).toBe(expected);
  });
});

describe('events that are late never undo a payment', () => {
  const late = ORDER_STATUSES.flatMap((status) =>
    (['payment_failed', 'checkout_expired'] as const).map((type) => [type, status] as const),
  );
  it.each(late)('%s while %s', (type, status) => {
    const paymentId = (['paid', 'refunding', 'refunded'] as OrderStatus[]).includes(status)
      ? 'payment'
      : null;
    const expires = type === 'checkout_expired' && status === 'pending';
    expect(decide(type, ORDER, { order: { status, paymentId } })).toBe(expires ? 'expire' : 'ignored');
  });
  it('an expired checkout that is not the order’s', () => {
    expect(decide('checkout_expired', ORDER, { event: { checkoutId: 'other' } })).toBe('ignored');
    expect(decide('checkout_expired', ORDER, { subject: { namesAnother: true } })).toBe('ignored');
    expect(decide('checkout_expired', ORDER, { order: null })).toBe('ignored');
  });
  it('what the vendor calls otherwise', () => {
    expect(decide('other', ORDER, {})).toBe('ignored');
  });
});

describe('refund', () => {
  const refund = (over: Partial<NonNullable<PaymentEvent['refund']>> = {}) => ({
    refund: { refundId: 're', ourRefundId: null, amountMinor: 400, status: 'settled' as const, ...over },
  });
  const row = (
    status: 'pending' | 'settled' | 'manual' | 'given_up',
    paymentId = 'payment',
    providerRefundId: string | null = 're',
  ) => ({ subject: { refund: { status, amountMinor: 400, paymentId, providerRefundId } } });
  const cases: [string, Case, string][] = [
    ['ours, pending', { event: refund(), ...row('pending') }, 'settle_refund'],
    ['ours, waiting for people', { event: refund(), ...row('manual') }, 'settle_refund'],
    ['ours, given up, and paid all the same', { event: refund(), ...row('given_up') }, 'settle_refund'],
    ['ours, paid by hand before', { event: refund(), ...row('settled', 'payment', null) }, 'name_refund'],
    ['ours, settled before', { event: refund(), ...row('settled') }, 'repeated'],
    ['ours, of another amount', { event: refund({ amountMinor: 399 }), ...row('pending') }, 'mismatch'],
    ['ours, the vendor is at it', { event: refund({ status: 'pending' }), ...row('pending') }, 'name_refund'],
    ['ours, at it, but settled', { event: refund({ status: 'pending' }), ...row('settled') }, 'ignored'],
    ['ours, failed', { event: refund({ status: 'failed' }), ...row('pending') }, 'fail_refund'],
    [
      'ours, failed after it was settled',
      { event: refund({ status: 'failed' }), ...row('settled') },
      'fail_refund',
    ],
    ['ours, failed, people know', { event: refund({ status: 'failed' }), ...row('manual') }, 'ignored'],
    [
      'ours, does not fit any more',
      { event: refund(), ...row('pending'), order: { refundedMinor: 700 } },
      'mismatch',
    ],
    [
      'ours, of a second payment',
      { event: refund(), ...row('pending', 'second'), order: { refundedMinor: 700 } },
      'settle_refund',
    ],
    ['made in the panel', { event: refund() }, 'take_refund'],
    ['made in the panel, without currency', { event: { ...refund(), currency: null } }, 'take_refund'],
    ['in the panel, not done yet', { event: refund({ status: 'pending' }) }, 'ignored'],
    ['in the panel, failed', { event: refund({ status: 'failed' }) }, 'ignored'],
    ['in the panel, of nothing', { event: refund({ amountMinor: 0 }) }, 'ignored'],
    ['more than is left', { event: refund(), order: { refundedMinor: 601 } }, 'mismatch'],
    ['another currency', { event: { ...refund(), currency: 'USD' } }, 'mismatch'],
    ['of a payment that was not credited', { event: { ...refund(), paymentId: 'other' } }, 'mismatch'],
    ['before the payment', { event: refund(), order: { ...ORDER } }, 'mismatch'],
    ['of no order of ours', { event: refund(), order: null }, 'ignored'],
    ['of another order than it names', { event: refund(), subject: { namesAnother: true } }, 'mismatch'],
    ['that says nothing', {}, 'mismatch'],
  ];
  it.each(cases)('%s', (_, given, expected) => {
    expect(decide('refund', PAID, given)).toBe(expected);
  });

  it('fits into what is left of the payment that was credited', () => {
    const order = { amountMinor: 1_000, refundedMinor: 600, paymentId: 'payment' };
    expect(paysTooMuchBack(order, { amountMinor: 400, paymentId: 'payment' })).toBe(false);
    expect(paysTooMuchBack(order, { amountMinor: 401, paymentId: 'payment' })).toBe(true);
    expect(paysTooMuchBack(order, { amountMinor: 401, paymentId: 'second' })).toBe(false);
  });
});

describe('dispute', () => {
  const named = { event: { disputeId: 'dp' } };
  const cases: [PaymentEvent['type'], string, Case, string][] = [
    ['dispute_opened', 'of a paid order', named, 'open_dispute'],
    ['dispute_opened', 'without an order id', { event: { disputeId: 'dp', orderId: null } }, 'open_dispute'],
    ['dispute_opened', 'that has ended', { ...named, subject: { disputeEnded: true } }, 'ignored'],
    ['dispute_opened', 'without an id', {}, 'mismatch'],
    ['dispute_opened', 'before the payment', { ...named, order: { ...ORDER } }, 'mismatch'],
    ['dispute_opened', 'of another payment', { event: { disputeId: 'dp', paymentId: 'other' } }, 'mismatch'],
    ['dispute_opened', 'of no order of ours', { ...named, order: null }, 'ignored'],
    ['dispute_opened', 'of two orders', { ...named, subject: { namesAnother: true } }, 'mismatch'],
    ['dispute_won', 'of a paid order', named, 'win_dispute'],
    ['dispute_won', 'after one was lost', { ...named, order: { dispute: 'lost' } }, 'mismatch'],
    ['dispute_won', 'that was won before', { ...named, subject: { disputeEnd: 'won' } }, 'ignored'],
    ['dispute_lost', 'of a paid order', named, 'lose_dispute'],
    ['dispute_lost', 'that was won before', { ...named, subject: { disputeEnd: 'won' } }, 'lose_dispute'],
    ['dispute_lost', 'that was lost before', { ...named, subject: { disputeEnd: 'lost' } }, 'ignored'],
  ];
  it.each(cases)('%s %s', (type, _, given, expected) => {
    expect(decide(type, PAID, given)).toBe(expected);
  });
});
