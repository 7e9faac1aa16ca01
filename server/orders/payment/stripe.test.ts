import { inspect } from 'node:util';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CheckoutOrder, CheckoutRefusedError, type RefundRequest } from './payment-provider.ts';
import { createStripePayments } from './stripe.ts';

/** The official SDK against Stripe's API as it is documented; only the network is played. */

const SECRET_KEY = 'sk_test_51NotARealKeyButLongEnough';
const API = 'https://api.stripe.com/v1';
const ORDER_ID = '0193a0c0-0000-7000-8000-000000000001';
const REFUND_ID = '0193a0c0-0000-7000-8000-0000000000aa';
const SESSION_ID = 'cs_test_a1YS1URlnyQCN5fUUduORoQ7Pw41PJqDWkIVQCpJPqkfIhd6tVY8XB1OLY';
const PAGE = `https://checkout.stripe.com/c/pay/${SESSION_ID}`;

const stripe = createStripePayments({ secretKey: SECRET_KEY, webhookSecret: 'whsec_test' });

type Seen = { method: string; path: string; form: Record<string, string>; headers: Headers };
const seen: Seen[] = [];
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  server.resetHandlers();
  seen.length = 0;
});
afterAll(() => server.close());

type Answer = () => Response | Promise<Response>;

/** Answers of a path, in order; the last one repeats. */
function reply(method: 'get' | 'post', path: string, ...answers: [Answer, ...Answer[]]): void {
  let turn = 0;
  server.use(
    http[method](`${API}${path}`, async ({ request }) => {
      const url = new URL(request.url);
      const text = request.method === 'GET' ? url.search.slice(1) : await request.clone().text();
      seen.push({
        method: request.method,
        path: url.pathname,
        form: Object.fromEntries(new URLSearchParams(text)),
        headers: request.headers,
      });
      const answer = answers[Math.min(turn, answers.length - 1)] ?? answers[0];
      turn += 1;
      return answer();
    }),
  );
}

const json =
  (body: object, status = 200, headers: Record<string, string> = {}): Answer =>
  () =>
    HttpResponse.json(body, { status, headers: { 'request-id': 'req_2Fk3hgKq9Z4LmN', ...headers } });
const refusal = (status: number, error: object) => json({ error }, status);
const invalid = (error: object = {}, status = 400) =>
  refusal(status, { type: 'invalid_request_error', message: 'No.', ...error });

const session = (more: object = {}) => ({
  id: SESSION_ID,
  object: 'checkout.session',
  amount_total: 1_900,
  client_reference_id: ORDER_ID,
  currency: 'eur',
  expires_at: 1_796_000_000,
  livemode: false,
  metadata: { order_id: ORDER_ID },
  mode: 'payment',
  payment_intent: null,
  payment_status: 'unpaid',
  status: 'open',
  url: PAGE,
  ...more,
});
const refundObject = (more: object = {}) => ({
  id: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
  object: 'refund',
  amount: 950,
  balance_transaction: 'txn_1Nispe2eZvKYlo2CYezqFhEx',
  charge: 'ch_1NirD82eZvKYlo2CIvbtLWuY',
  created: 1_692_942_318,
  currency: 'eur',
  metadata: { refund_id: REFUND_ID, order_id: ORDER_ID },
  payment_intent: 'pi_1GszsK2eZvKYlo2CfhZyoZLp',
  reason: null,
  status: 'succeeded',
  ...more,
});
const list = (...data: object[]) => json({ object: 'list', url: '/v1/refunds', has_more: false, data });

const order: CheckoutOrder = {
  orderId: ORDER_ID,
  title: 'Medium pack',
  amountMinor: 1_900,
  currency: 'EUR',
  email: 'payer@example.com',
  expiresAt: new Date('2026-11-29T12:30:00Z'),
  successUrl: `https://lane.example/orders/${ORDER_ID}?from=payment`,
  cancelUrl: `https://lane.example/orders/${ORDER_ID}`,
};
const request: RefundRequest = {
  refundId: REFUND_ID,
  orderId: ORDER_ID,
  paymentId: 'pi_1GszsK2eZvKYlo2CfhZyoZLp',
  amountMinor: 950,
  currency: 'EUR',
};

describe('a payment page', () => {
  it('is opened with the order’s amount, our marks and the order as idempotency key', async () => {
    reply('post', '/checkout/sessions', json(session()));
    expect(await stripe.createCheckout(order)).toEqual({ checkoutId: SESSION_ID, url: PAGE });
    const [only, ...others] = seen;
    expect(others).toEqual([]);
    expect(only).toMatchObject({ method: 'POST', path: '/v1/checkout/sessions' });
    expect(only?.form).toEqual({
      mode: 'payment',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'eur',
      'line_items[0][price_data][unit_amount]': '1900',
      'line_items[0][price_data][product_data][name]': 'Medium pack',
      'adaptive_pricing[enabled]': 'false',
      client_reference_id: ORDER_ID,
      'metadata[order_id]': ORDER_ID,
      'payment_intent_data[metadata][order_id]': ORDER_ID,
      customer_email: 'payer@example.com',
      expires_at: String(Date.parse('2026-11-29T13:01:00Z') / 1_000),
      success_url: order.successUrl,
      cancel_url: order.cancelUrl,
    });
    expect(only?.headers.get('idempotency-key')).toBe(`checkout:${ORDER_ID}`);
    expect(only?.headers.get('authorization')).toBe(`Bearer ${SECRET_KEY}`);
    expect(only?.headers.get('stripe-version')).toBe('2026-10-28.endive');
    expect(only?.headers.get('x-stripe-client-telemetry')).toBeNull();
  });

  it('that is asked for again is asked for word for word: the vendor answers the same one', async () => {
    reply('post', '/checkout/sessions', json(session()));
    await stripe.createCheckout(order);
    await stripe.createCheckout({ ...order });
    expect(seen).toHaveLength(2);
    expect(seen[1]?.form).toEqual(seen[0]?.form);
    expect(seen[1]?.headers.get('idempotency-key')).toBe(seen[0]?.headers.get('idempotency-key'));
  });

  it('of a currency without decimals has the same number', async () => {
    reply('post', '/checkout/sessions', json(session()));
    await stripe.createCheckout({ ...order, amountMinor: 2_500, currency: 'JPY' });
    expect(seen[0]?.form).toMatchObject({
      'line_items[0][price_data][currency]': 'jpy',
      'line_items[0][price_data][unit_amount]': '2500',
    });
  });

  it.each<[string, Answer]>([
    ['a lost connection', () => HttpResponse.error()],
    ['a lock that is held', refusal(409, { type: 'invalid_request_error', code: 'lock_timeout' })],
    ['a failing server', refusal(500, { type: 'api_error', message: 'Down.' })],
  ])('after %s is asked for again under the same key', async (_name, first) => {
    reply('post', '/checkout/sessions', first, json(session()));
    expect(await stripe.createCheckout(order)).toEqual({ checkoutId: SESSION_ID, url: PAGE });
    expect(seen.map(({ headers }) => headers.get('idempotency-key'))).toEqual([
      `checkout:${ORDER_ID}`,
      `checkout:${ORDER_ID}`,
    ]);
    expect(seen[1]?.form).toEqual(seen[0]?.form);
  });

  const html: Answer = () =>
    new HttpResponse('<html>Maintenance</html>', { headers: { 'content-type': 'text/html' } });
  it.each<[string, Answer, number]>([
    ['a page of HTML', html, 1],
    ['half a JSON', () => new HttpResponse('{"id":"cs_test_', { status: 200 }), 1],
    ['a session without a page', json(session({ url: null })), 1],
    ['something else', json({ ok: true }), 1],
    ['a failing server', refusal(503, { type: 'api_error', message: 'Down.' }), 3],
    ['a declined account', refusal(402, { type: 'card_error', code: 'card_declined', message: 'No.' }), 1],
    ['a refused parameter', invalid({ param: 'line_items' }), 1],
    ['too many calls', refusal(429, { type: 'invalid_request_error', code: 'rate_limit' }), 1],
    ['a connection that breaks every time', () => HttpResponse.error(), 3],
  ])('is an error after %s', async (_name, answer, calls) => {
    reply('post', '/checkout/sessions', answer);
    await expect(stripe.createCheckout(order)).rejects.toThrow(/^Stripe did not open a payment page: /);
    expect(seen).toHaveLength(calls);
  });

  it.each<[string, Answer]>([
    ['too small an amount', invalid({ code: 'amount_too_small', message: 'At least €0.50.' })],
    ['too large an amount', invalid({ code: 'amount_too_large', message: 'At most €999,999.99.' })],
    ['an address', invalid({ code: 'email_invalid', message: 'Invalid email address: payer@example.com' })],
  ])('that is refused for %s is refused for good, and no address is told', async (_name, answer) => {
    reply('post', '/checkout/sessions', answer);
    const error: unknown = await stripe.createCheckout(order).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CheckoutRefusedError);
    expect(inspect(error, { depth: 10 })).not.toContain('payer@example.com');
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['a lock that is held', refusal(409, { type: 'invalid_request_error', code: 'lock_timeout' })],
    ['a wrong key', refusal(401, { type: 'invalid_request_error', message: 'Invalid key.' })],
    ['too many calls', refusal(429, { type: 'invalid_request_error', code: 'rate_limit' })],
    ['a failing server', refusal(503, { type: 'api_error', message: 'Down.' })],
  ])('that meets %s may be opened later', async (_name, answer) => {
    reply('post', '/checkout/sessions', answer);
    const error: unknown = await stripe.createCheckout(order).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(CheckoutRefusedError);
  });

  it('never brings a key into the error, whatever Stripe repeats', async () => {
    reply(
      'post',
      '/checkout/sessions',
      refusal(401, { type: 'invalid_request_error', message: `Invalid API Key provided: ${SECRET_KEY}` }),
    );
    const error: unknown = await stripe.createCheckout(order).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('Invalid API Key provided: [redacted]');
    expect(inspect(error, { depth: 10 })).not.toContain(SECRET_KEY);
    expect(inspect(error, { depth: 10 })).not.toContain('payer@example.com');
  });
});

describe('closing a payment page', () => {
  const path = `/checkout/sessions/${SESSION_ID}`;

  it('is one call', async () => {
    reply('post', `${path}/expire`, json(session({ status: 'expired', url: null })));
    await stripe.expireCheckout(SESSION_ID);
    expect(seen).toMatchObject([{ method: 'POST', path: `/v1${path}/expire`, form: {} }]);
  });

  it.each(['complete', 'expired'])('that is %s already is no error', async (status) => {
    reply('post', `${path}/expire`, invalid({ message: `This Session has a status of \`${status}\`.` }));
    reply('get', path, json(session({ status })));
    await stripe.expireCheckout(SESSION_ID);
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it('that stays open is an error, as is one of which nothing is known', async () => {
    reply('post', `${path}/expire`, invalid());
    reply('get', path, json(session({ status: 'open' })));
    await expect(stripe.expireCheckout(SESSION_ID)).rejects.toThrow('Stripe did not close a payment page');
    reply('get', path, invalid({ code: 'resource_missing' }, 404));
    await expect(stripe.expireCheckout(SESSION_ID)).rejects.toThrow('whether a payment page is open');
  });
});

describe('B67 a refund', () => {
  it('is asked for with our row as idempotency key and mark', async () => {
    reply('get', '/refunds', list());
    reply('post', '/refunds', json(refundObject()));
    expect(await stripe.refund(request)).toEqual({
      type: 'settled',
      providerRefundId: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
    });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatchObject({
      method: 'GET',
      path: '/v1/refunds',
      form: { payment_intent: request.paymentId, limit: '100' },
    });
    expect(seen[1]).toMatchObject({ method: 'POST', path: '/v1/refunds' });
    expect(seen[1]?.form).toEqual({
      payment_intent: request.paymentId,
      amount: '950',
      'metadata[refund_id]': REFUND_ID,
      'metadata[order_id]': ORDER_ID,
    });
    expect(seen[1]?.headers.get('idempotency-key')).toBe(`refund:${REFUND_ID}`);
  });

  it('that was made days ago is found by our mark, and not made again', async () => {
    const others = Array.from({ length: 2 }, (_, at) => refundObject({ id: `re_other${at}`, metadata: {} }));
    reply(
      'get',
      '/refunds',
      json({ object: 'list', url: '/v1/refunds', has_more: true, data: others }),
      list(refundObject({ status: 'pending' })),
    );
    expect(await stripe.refund(request)).toEqual({
      type: 'pending',
      providerRefundId: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
    });
    expect(seen.map(({ method, form }) => [method, form.starting_after])).toEqual([
      ['GET', undefined],
      ['GET', 're_other1'],
    ]);
  });

  it.each([
    ['succeeded', 'settled'],
    ['pending', 'pending'],
    ['requires_action', 'pending'],
    ['a_new_word', 'pending'],
    [null, 'pending'],
  ])('whose status is %s is %s', async (status, type) => {
    reply('get', '/refunds', list());
    reply('post', '/refunds', json(refundObject({ status })));
    expect(await stripe.refund(request)).toMatchObject({ type });
  });

  it('that the bank sent back is refused with the reason', async () => {
    reply('get', '/refunds', list());
    reply(
      'post',
      '/refunds',
      json(refundObject({ status: 'failed', failure_reason: 'expired_or_canceled_card' })),
    );
    expect(await stripe.refund(request)).toEqual({
      type: 'refused',
      reason: "Stripe's refund re_1Nispe2eZvKYlo2Cd31jOCgZ failed: expired_or_canceled_card.",
    });
  });

  it.each<[string, Answer]>([
    ['charge_already_refunded', invalid({ code: 'charge_already_refunded' })],
    ['charge_disputed', invalid({ code: 'charge_disputed' })],
    ['resource_missing', invalid({ code: 'resource_missing' }, 404)],
    ['card_declined', refusal(402, { type: 'card_error', code: 'card_declined', message: 'No.' })],
  ])('that is refused for good (%s) says so, and is asked for once', async (code, answer) => {
    reply('get', '/refunds', list());
    reply('post', '/refunds', answer);
    expect(await stripe.refund(request)).toEqual({ type: 'refused', reason: expect.stringContaining(code) });
    expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('brings no key and no token into the reason', async () => {
    reply('get', '/refunds', list());
    reply('post', '/refunds', invalid({ message: `Key ${SECRET_KEY} may not refund.` }));
    expect(JSON.stringify(await stripe.refund(request))).not.toContain(SECRET_KEY);
  });

  const busy = refusal(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: 'Busy.',
  });
  it.each<[string, Answer, number]>([
    ['another call with this key is at work', busy, 3],
    ['there are too many calls', refusal(429, { type: 'invalid_request_error', code: 'rate_limit' }), 1],
    ['the account has too little balance now', invalid({ code: 'balance_insufficient' }), 1],
    ['the key was used for other words', refusal(400, { type: 'idempotency_error', message: 'No.' }), 1],
    ['the secret key is wrong', refusal(401, { type: 'invalid_request_error', message: 'No.' }), 1],
    ['the secret key may not', refusal(403, { type: 'invalid_request_error', message: 'No.' }), 1],
    ['the server fails', refusal(500, { type: 'api_error', message: 'Down.' }), 3],
    ['the answer is HTML', () => new HttpResponse('<html>'), 1],
    ['the answer is cut off', () => new HttpResponse('{"id":"re_1'), 1],
    ['the answer is something else', json({ id: 're_1', object: 'charge' }), 1],
    ['the connection breaks', () => HttpResponse.error(), 3],
  ])('is not known when %s: it throws, to be asked for again', async (_name, answer, calls) => {
    reply('get', '/refunds', list());
    reply('post', '/refunds', answer);
    await expect(stripe.refund(request)).rejects.toThrow(/^Stripe did not say what became of a refund: /);
    const posts = seen.filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(calls);
    expect(new Set(posts.map(({ headers }) => headers.get('idempotency-key')))).toEqual(
      new Set([`refund:${REFUND_ID}`]),
    );
  });

  it('is not made while the earlier ones cannot be read', async () => {
    reply('get', '/refunds', refusal(500, { type: 'api_error', message: 'Down.' }));
    await expect(stripe.refund(request)).rejects.toThrow('Stripe did not say what became of a refund');
    expect(seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('whose connection breaks after it was made is settled by the repeat, under the same key', async () => {
    reply('get', '/refunds', list());
    reply('post', '/refunds', () => HttpResponse.error(), json(refundObject()));
    expect(await stripe.refund(request)).toMatchObject({ type: 'settled' });
  });
});

describe('which mode it is', () => {
  it.each([
    ['sk_test_1', true],
    ['rk_test_1', true],
    ['sk_live_1', false],
    ['rk_live_1', false],
  ])('%s: test is %s', (secretKey, test) => {
    expect(createStripePayments({ secretKey, webhookSecret: 'whsec_1' })).toMatchObject({
      name: 'stripe',
      test,
    });
  });
});
