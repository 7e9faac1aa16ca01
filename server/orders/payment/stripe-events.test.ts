import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AppError } from '#server/lib/app-error.ts';
import { createStripePayments } from './stripe.ts';

/** Stripe's webhook deliveries: whose they are, and what they mean. Signed here by hand, as Stripe documents it. */

const SECRET = 'whsec_a_secret_that_only_stripe_knows';
const ORDER_ID = '0193a0c0-0000-7000-8000-000000000001';
const REFUND_ID = '0193a0c0-0000-7000-8000-0000000000aa';
const NOW = new Date('2026-11-29T12:00:00Z');
const now = () => NOW;

const stripe = createStripePayments({ secretKey: 'sk_test_1', webhookSecret: SECRET, now });

const event = (type: string, object: object, more: object = {}) => ({
  id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  object: 'event',
  api_version: '2026-10-28.endive',
  created: 1_686_089_970,
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
  ...more,
});
const session = (more: object = {}) => ({
  id: 'cs_test_a1YS1URlnyQCN5fUUduORoQ7',
  object: 'checkout.session',
  amount_total: 1_900,
  client_reference_id: ORDER_ID,
  currency: 'eur',
  customer_details: { email: 'payer@example.com' },
  metadata: { order_id: ORDER_ID },
  mode: 'payment',
  payment_intent: 'pi_1GszsK2eZvKYlo2CfhZyoZLp',
  payment_status: 'paid',
  status: 'complete',
  ...more,
});
const refund = (more: object = {}) => ({
  id: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
  object: 'refund',
  amount: 950,
  charge: 'ch_1NirD82eZvKYlo2CIvbtLWuY',
  currency: 'eur',
  metadata: { refund_id: REFUND_ID, order_id: ORDER_ID },
  payment_intent: 'pi_1GszsK2eZvKYlo2CfhZyoZLp',
  status: 'succeeded',
  ...more,
});
const dispute = (more: object = {}) => ({
  id: 'du_1MtJUT2eZvKYlo2CNaw2HvEv',
  object: 'dispute',
  amount: 1_900,
  charge: 'ch_1AZtxr2eZvKYlo2CJDX8whov',
  currency: 'eur',
  metadata: {},
  payment_intent: 'pi_1GszsK2eZvKYlo2CfhZyoZLp',
  status: 'needs_response',
  ...more,
});

const seconds = (date: Date) => Math.floor(date.getTime() / 1_000);
const mark = (body: string | Buffer, secret = SECRET, at = NOW) =>
  createHmac('sha256', secret)
    .update(`${seconds(at)}.`)
    .update(body)
    .digest('hex');
const sign = (body: string | Buffer, secret = SECRET, at = NOW) =>
  `t=${seconds(at)},v1=${mark(body, secret, at)}`;

const deliver = (body: string | Buffer, signature: string | undefined = sign(body)) =>
  stripe.readEvent({ rawBody: Buffer.from(body), headers: { 'stripe-signature': signature } });
const read = (type: string, object: object, more: object = {}) =>
  deliver(JSON.stringify(event(type, object, more)));

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'read';
}

const ABOUT = {
  eventId: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  orderId: ORDER_ID,
  paymentId: 'pi_1GszsK2eZvKYlo2CfhZyoZLp',
  currency: 'EUR',
};
const NOTHING = { type: 'other', orderId: null, checkoutId: null, paymentId: null, amountMinor: null };

describe('B64 whose delivery it is', () => {
  const body = JSON.stringify(event('checkout.session.completed', session()));
  const refused = (text: string | Buffer, signature?: string) => codeOf(() => deliver(text, signature));

  it('a rightly signed one is read', () => {
    expect(deliver(body)).toMatchObject({ type: 'paid' });
  });

  it('any altered byte is refused', () => {
    const signature = sign(body);
    for (let at = 0; at < body.length; at += 1) {
      const altered = Buffer.from(body);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(refused(altered, signature), `byte ${at}`).toBe('unauthorized');
    }
  });

  it('the same JSON written anew is refused', () => {
    const spaced = JSON.stringify(JSON.parse(body), null, 2);
    expect(refused(spaced, sign(body))).toBe('unauthorized');
  });

  it('another secret, no signature, an empty one, nonsense and an older scheme are refused', () => {
    expect(refused(body, sign(body, 'whsec_another'))).toBe('unauthorized');
    expect(codeOf(() => stripe.readEvent({ rawBody: Buffer.from(body), headers: {} }))).toBe('unauthorized');
    for (const signature of ['', 'v1', `t=${seconds(NOW)}`, `v1=${mark(body)}`, 't=x,v1=y', '\u0000']) {
      expect(refused(body, signature), signature).toBe('unauthorized');
    }
    expect(refused(body, sign(body).replace('v1=', 'v0='))).toBe('unauthorized');
  });

  it('is read up to five minutes after it was signed, and not later', () => {
    const ago = (ms: number) => new Date(NOW.getTime() - ms);
    expect(deliver(body, sign(body, SECRET, ago(300_000)))).toMatchObject({ type: 'paid' });
    expect(refused(body, sign(body, SECRET, ago(301_000)))).toBe('unauthorized');
    // An old signature under a new time is no signature.
    const old = sign(body, SECRET, ago(3_600_000));
    expect(refused(body, old.replace(/t=\d+/, `t=${seconds(NOW)}`))).toBe('unauthorized');
  });

  it('of two signatures one right one is enough: the secret is being rolled', () => {
    expect(deliver(body, `${sign(body)},v1=${mark(body, 'whsec_old')}`)).toMatchObject({ type: 'paid' });
    expect(deliver(body, `t=${seconds(NOW)},v1=${mark(body, 'whsec_old')},v1=${mark(body)}`)).toMatchObject({
      type: 'paid',
    });
  });

  it('a header that came twice is refused when it begins with a forged one', () => {
    const forged = `t=${seconds(NOW) - 1},v1=${mark(body, 'whsec_another')}`;
    expect(refused(body, `${forged}, ${sign(body)}`)).toBe('unauthorized');
    expect(refused(body, `${forged}, ${forged}`)).toBe('unauthorized');
  });

  it('an empty body, a signed one that is no JSON, and one that is no event are not read', () => {
    expect(refused('', sign('{}'))).toBe('unauthorized');
    for (const text of ['', '{"id":', 'null', '[]', '"evt_1"', '{}', '{"object":"v2.core.event"}']) {
      expect(refused(text), text).toBe('bad_request');
    }
  });

  it('a megabyte is read as well', () => {
    const big = JSON.stringify(
      event('checkout.session.completed', session({ filler: 'x'.repeat(1_000_000) })),
    );
    expect(deliver(big)).toMatchObject({ type: 'paid' });
    expect(refused(`${big} `, sign(big))).toBe('unauthorized');
  });

  it('the refusal says nothing of body and secret', () => {
    try {
      deliver(body, sign(body, 'whsec_another'));
    } catch (error) {
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/whsec_|payer@example/);
    }
    expect.assertions(1);
  });

  it('a test payment never counts beside a live key, nor the other way round', () => {
    const live = createStripePayments({ secretKey: 'sk_live_1', webhookSecret: SECRET, now });
    const readBy = (payments: typeof live, livemode: boolean) => {
      const text = JSON.stringify(event('checkout.session.completed', session(), { livemode }));
      return codeOf(() =>
        payments.readEvent({ rawBody: Buffer.from(text), headers: { 'stripe-signature': sign(text) } }),
      );
    };
    expect([readBy(live, true), readBy(live, false)]).toEqual(['read', 'bad_request']);
    expect([readBy(stripe, false), readBy(stripe, true)]).toEqual(['read', 'bad_request']);
  });
});

describe('what a delivery means', () => {
  const ofSession = { ...ABOUT, checkoutId: 'cs_test_a1YS1URlnyQCN5fUUduORoQ7', amountMinor: 1_900 };

  it('a completed page is paid only when the money is there', () => {
    expect(read('checkout.session.completed', session())).toEqual({
      ...ofSession,
      type: 'paid',
      rawType: 'checkout.session.completed',
    });
    for (const payment_status of ['unpaid', 'no_payment_required', 'a_new_word']) {
      expect(read('checkout.session.completed', session({ payment_status }))).toMatchObject(NOTHING);
    }
  });

  it('a slow payment is paid or failed later', () => {
    expect(read('checkout.session.async_payment_succeeded', session())).toMatchObject({
      ...ofSession,
      type: 'paid',
    });
    expect(
      read('checkout.session.async_payment_failed', session({ payment_status: 'unpaid' })),
    ).toMatchObject({ ...ofSession, type: 'payment_failed' });
  });

  it('an expired page has no payment', () => {
    expect(
      read('checkout.session.expired', session({ payment_intent: null, payment_status: 'unpaid' })),
    ).toMatchObject({ ...ofSession, paymentId: null, type: 'checkout_expired' });
  });

  it('an expanded payment is read as its id', () => {
    const payment_intent = { id: ABOUT.paymentId, object: 'payment_intent' };
    expect(read('checkout.session.completed', session({ payment_intent }))).toMatchObject(ofSession);
  });

  it('a page of another shop on the same account is none of ours', () => {
    for (const metadata of [null, {}, { order_id: '17' }, { order_id: 17 }, { order_id: '' }]) {
      expect(
        read('checkout.session.completed', session({ metadata, client_reference_id: 'cart-17' })),
      ).toMatchObject(NOTHING);
    }
  });

  it.each([
    ['without an amount', { amount_total: null }],
    ['without a currency', { currency: null }],
    ['without a payment', { payment_intent: null }],
    ['with half a cent', { amount_total: 19.5 }],
    ['with a negative amount', { amount_total: -1_900 }],
    ['with an amount that is text', { amount_total: '1900' }],
    ['with an id that is a number', { id: 17 }],
  ])('a paid page %s is not read', (_name, more) => {
    expect(codeOf(() => read('checkout.session.completed', session(more)))).toBe('bad_request');
  });

  it.each([
    ['refund.created', 'pending', 'pending'],
    ['refund.created', 'succeeded', 'settled'],
    ['refund.updated', 'succeeded', 'settled'],
    ['refund.updated', 'canceled', 'failed'],
    ['refund.updated', 'requires_action', 'pending'],
    ['refund.failed', 'failed', 'failed'],
  ])('B67 %s with status %s is a refund that is %s', (type, status, meaning) => {
    expect(read(type, refund({ status }))).toEqual({
      ...ABOUT,
      rawType: type,
      type: 'refund',
      checkoutId: null,
      amountMinor: 950,
      refund: {
        refundId: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
        ourRefundId: REFUND_ID,
        amountMinor: 950,
        status: meaning,
      },
    });
  });

  it('B67 a refund made in the dashboard names only the payment', () => {
    expect(read('refund.created', refund({ metadata: {} }))).toMatchObject({
      type: 'refund',
      orderId: null,
      paymentId: ABOUT.paymentId,
      refund: { ourRefundId: null },
    });
  });

  it('B67 the same refund told as a charge is not told twice', () => {
    expect(read('charge.refunded', { id: 'ch_1', object: 'charge', amount_refunded: 950 })).toMatchObject(
      NOTHING,
    );
    expect(read('charge.refund.updated', refund())).toMatchObject(NOTHING);
  });

  it.each([
    ['charge.dispute.created', 'needs_response', 'dispute_opened'],
    ['charge.dispute.created', 'warning_needs_response', 'dispute_opened'],
    ['charge.dispute.closed', 'won', 'dispute_won'],
    ['charge.dispute.closed', 'warning_closed', 'dispute_won'],
    ['charge.dispute.closed', 'prevented', 'dispute_won'],
    ['charge.dispute.closed', 'lost', 'dispute_lost'],
    ['charge.dispute.closed', 'a_new_word', 'other'],
  ])('B67 %s with status %s is %s', (type, status, meaning) => {
    expect(read(type, dispute({ status }))).toMatchObject({
      type: meaning,
      orderId: null,
      paymentId: ABOUT.paymentId,
      amountMinor: 1_900,
      currency: 'EUR',
      disputeId: 'du_1MtJUT2eZvKYlo2CNaw2HvEv',
    });
  });

  it('whatever else Stripe tells is told apart, and nothing is read from it', () => {
    for (const type of ['payment_intent.succeeded', 'charge.dispute.updated', 'customer.created', 'x']) {
      expect(read(type, { id: 17, metadata: 'none' })).toMatchObject({ ...NOTHING, rawType: type });
    }
  });
});
