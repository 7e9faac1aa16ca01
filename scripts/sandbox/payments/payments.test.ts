import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import type { PaymentEvent } from '#server/orders/payment/payment-provider.ts';
import { createSandboxPayments } from '#server/orders/payment/sandbox.ts';
import { connectControl } from '../control-client.ts';
import { eventually, startTestSandbox, type TestSandbox } from '../test-client.ts';

/** The played vendor with the adapter that the product uses, over real HTTP in both directions. */

const SECRET = 'a-shared-secret-of-at-least-32-characters';
const SUCCESS = 'http://127.0.0.1:3000/orders/1?paid=1';
const HOUR_MS = 3_600_000;

let receiver: Server;
let sandbox: TestSandbox;
let shop: ReturnType<typeof createSandboxPayments>;
let received: PaymentEvent[] = [];
/** What the shop answers next; 200 when empty. */
let answers: number[] = [];

beforeAll(async () => {
  receiver = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const signature = String(req.headers['sandbox-signature']);
      const headers = { 'sandbox-signature': signature };
      received.push(shop.readEvent({ rawBody: Buffer.concat(chunks), headers }));
      res.writeHead(answers.shift() ?? 200).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  sandbox = await startTestSandbox({ payments: { webhookUrl, secret: SECRET } });
  shop = createSandboxPayments({ url: sandbox.url, secret: SECRET });
});
afterAll(async () => {
  await sandbox.close();
  receiver.close();
});
beforeEach(async () => {
  await sandbox.control.reset();
  received = [];
  answers = [];
});

const newOrder = (more: object = {}) => ({
  orderId: newId(),
  title: 'Pack <b>"M"</b>',
  amountMinor: 1_900,
  currency: 'EUR',
  email: 'payer@example.com',
  expiresAt: new Date(Date.now() + HOUR_MS),
  successUrl: SUCCESS,
  cancelUrl: 'http://127.0.0.1:3000/orders/1',
  ...more,
});

async function open(more?: object) {
  const order = newOrder(more);
  return { order, ...(await shop.createCheckout(order)) };
}

const press = (url: string, action: string, more: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ action, ...more }) });
const heard = (count: number) => eventually(async () => received.length).toBe(count);
const seen = (orderId: string) => sandbox.control.payments({ orderId });

async function openPaid() {
  const checkout = await open();
  await press(checkout.url, 'pay');
  await heard(1);
  const paymentId = received[0]?.paymentId ?? '';
  received = [];
  return { ...checkout, paymentId };
}

const refundOf = (
  { order, paymentId }: Awaited<ReturnType<typeof openPaid>>,
  more: { amountMinor?: number } = {},
) => ({ refundId: newId(), orderId: order.orderId, paymentId, amountMinor: 950, currency: 'EUR', ...more });

describe('a checkout', () => {
  test('asked for again is the same one; asked for with other words it is refused', async () => {
    const order = newOrder();
    const first = await shop.createCheckout(order);
    expect(await shop.createCheckout(order)).toEqual(first);
    await expect(shop.createCheckout({ ...order, amountMinor: 1 })).rejects.toThrow('idempotency_mismatch');
    const { checkouts, calls } = await seen(order.orderId);
    expect(checkouts).toHaveLength(1);
    expect(calls[`checkout:${order.orderId}`]).toBe(3);
  });

  test('has a page that says that no money moves, shows the price, and escapes what the shop wrote', async () => {
    const { url } = await open();
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await answer.text();
    expect(html).toContain('No money moves');
    expect(html).toContain('€19.00');
    expect(html).not.toContain('<b>"M"');
    expect(html).toContain('name="viewport"');
    expect(await (await fetch(`${sandbox.url}/pay`)).text()).toContain(new URL(url).pathname);
  });

  test('is closed once, and tells it once', async () => {
    const { order, checkoutId } = await open();
    await shop.expireCheckout(checkoutId);
    await shop.expireCheckout(checkoutId);
    await heard(1);
    expect(received).toMatchObject([{ type: 'checkout_expired', orderId: order.orderId, checkoutId }]);
    expect((await seen(order.orderId)).deliveries).toHaveLength(1);
  });

  test('that nobody paid is closed at its end', async () => {
    const { order } = await open({ expiresAt: new Date(Date.now() + 50) });
    await heard(1);
    expect(received).toMatchObject([{ type: 'checkout_expired', orderId: order.orderId }]);
  });

  test('that was paid is not closed', async () => {
    const { order, checkoutId } = await openPaid();
    await shop.expireCheckout(checkoutId);
    expect((await seen(order.orderId)).deliveries.map(({ type }) => type)).toEqual(['payment.paid']);
  });
});

describe('paying', () => {
  test('sends the payer back, and the shop a signed event', async () => {
    const { order, url, checkoutId } = await open();
    const answer = await press(url, 'pay');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, SUCCESS]);
    await heard(1);
    const [payment] = (await seen(order.orderId)).payments;
    expect(received).toEqual([
      {
        eventId: expect.stringMatching(/^pev_/),
        type: 'paid',
        rawType: 'payment.paid',
        orderId: order.orderId,
        checkoutId,
        paymentId: payment?.id,
        amountMinor: 1_900,
        currency: 'EUR',
      },
    ]);
  });

  test('three times at once is one event and three deliveries', async () => {
    const { url } = await open();
    await press(url, 'pay', { thrice: '1' });
    await heard(3);
    expect(new Set(received.map(({ eventId }) => eventId)).size).toBe(1);
  });

  test('twice is two payments of one order', async () => {
    const { order, url } = await open();
    await press(url, 'pay_twice');
    await heard(2);
    expect(new Set(received.map(({ paymentId }) => paymentId)).size).toBe(2);
    expect(received.every(({ type, orderId }) => type === 'paid' && orderId === order.orderId)).toBe(true);
  });

  test('is declined: the payer stays on the page and can pay', async () => {
    const { url } = await open();
    expect(await (await press(url, 'decline')).text()).toContain('was declined');
    await press(url, 'pay');
    await heard(2);
    expect(received.map(({ type }) => type).sort()).toEqual(['paid', 'payment_failed']);
  });

  test('late: the shop hears of it after the order’s end, also when the checkout was closed', async () => {
    const expiresAt = new Date(Date.now() + 50);
    const { url, checkoutId } = await open({ expiresAt });
    await shop.expireCheckout(checkoutId);
    expect(await (await press(url, 'pay_late')).text()).toContain('after the order');
    await heard(2);
    expect(received.map(({ type }) => type)).toEqual(['checkout_expired', 'paid']);
    expect(Date.now()).toBeGreaterThan(expiresAt.getTime());
  });

  test('in a moment', async () => {
    const { url } = await open();
    await press(url, 'pay_in', { seconds: '0' });
    await heard(1);
    for (const seconds of ['', '-1', 'x', '86401', '0.5']) {
      expect((await press(url, 'pay_in', { seconds })).status, seconds).toBe(400);
    }
  });

  test('a wrong amount, and in a wrong currency', async () => {
    const { url } = await open();
    await press(url, 'pay_amount', { amount: '1899' });
    await heard(1);
    await press(url, 'pay_currency');
    await heard(2);
    expect(received.map(({ amountMinor, currency }) => [amountMinor, currency])).toEqual([
      [1_899, 'EUR'],
      [1_900, 'USD'],
    ]);
  });

  test('by a button that is not there, or on a checkout that is not there, is an error', async () => {
    const { url } = await open();
    expect((await press(url, 'steal')).status).toBe(400);
    expect((await press(`${sandbox.url}/pay/pco_nothing`, 'pay')).status).toBe(404);
    expect((await fetch(`${sandbox.url}/pay/pco_nothing`)).status).toBe(404);
  });
});

describe('telling the shop', () => {
  test('goes on until it says 2xx', async () => {
    const { order, url } = await open();
    answers = [503, 500, 302, 404, 401];
    await press(url, 'pay');
    await heard(6);
    await eventually(async () => (await seen(order.orderId)).deliveries[0]?.finished).toBe(true);
    const [delivery] = (await seen(order.orderId)).deliveries;
    expect(delivery?.tries.map(({ status }) => status)).toEqual([503, 500, 302, 404, 401, 200]);
    expect(delivery).toMatchObject({ delivered: true });
  });

  test('ends with a reset', async () => {
    const { url } = await open();
    answers = [503, 503];
    await press(url, 'pay');
    await heard(1);
    await sandbox.control.reset();
    expect(await sandbox.control.payments()).toMatchObject({ payments: [], deliveries: [] });
  });
});

describe('B67 money that goes back', () => {
  test('for the shop: once per key, however often it asks', async () => {
    const paid = await openPaid();
    const request = refundOf(paid);
    const first = await shop.refund(request);
    const again = await Promise.all([1, 2, 3].map(() => shop.refund(request)));
    expect(new Set([first, ...again].map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(first).toEqual({ type: 'settled', providerRefundId: expect.stringMatching(/^pre_/) });
    const { refunds, calls } = await seen(paid.order.orderId);
    expect(refunds).toMatchObject([{ amountMinor: 950, ourRefundId: request.refundId }]);
    expect(calls[`refund:${request.refundId}`]).toBe(4);
    await heard(1);
    expect(received).toMatchObject([
      { type: 'refund', refund: { ourRefundId: request.refundId, amountMinor: 950, status: 'settled' } },
    ]);
  });

  test('once, though the answer was lost: the second call hears of the first one’s refund', async () => {
    const paid = await openPaid();
    const request = refundOf(paid);
    await connectControl(sandbox.url).loseRefundAnswers(1);
    await expect(shop.refund(request)).rejects.toThrow('The sandbox did not answer');
    const made = await shop.refund(request);
    expect((await seen(paid.order.orderId)).refunds.map(({ id }) => id)).toEqual([
      made.type === 'refused' ? made.reason : made.providerRefundId,
    ]);
  });

  test('never more than was paid', async () => {
    const paid = await openPaid();
    expect(await shop.refund(refundOf(paid, { amountMinor: 1_901 }))).toMatchObject({ type: 'refused' });
    await shop.refund(refundOf(paid, { amountMinor: 1_900 }));
    expect(await shop.refund(refundOf(paid, { amountMinor: 1 }))).toMatchObject({
      type: 'refused',
      reason: expect.stringContaining('already_refunded'),
    });
    expect(await shop.refund({ ...refundOf(paid), paymentId: 'ppa_nothing' })).toMatchObject({
      type: 'refused',
    });
  });

  test('on the vendor’s panel: half, then the rest', async () => {
    const { order, url, paymentId } = await openPaid();
    await press(url, 'refund_half', { payment: paymentId });
    await press(url, 'refund_all', { payment: paymentId });
    await heard(2);
    expect((await seen(order.orderId)).refunds.map(({ amountMinor }) => amountMinor)).toEqual([950, 950]);
    expect(received.every(({ refund }) => refund?.ourRefundId === null)).toBe(true);
    expect((await press(url, 'refund_all', { payment: paymentId })).status).toBe(400);
  });

  test('by a dispute: opened, then won or lost; meanwhile nothing can be refunded', async () => {
    const paid = await openPaid();
    const { url, paymentId } = paid;
    await press(url, 'dispute_open', { payment: paymentId });
    await heard(1);
    expect(await shop.refund(refundOf(paid))).toMatchObject({
      type: 'refused',
      reason: expect.stringContaining('payment_disputed'),
    });
    expect((await press(url, 'dispute_open', { payment: paymentId })).status).toBe(400);
    await press(url, 'dispute_lost', { payment: paymentId });
    expect((await press(url, 'dispute_won', { payment: paymentId })).status).toBe(400);
    await heard(2);
    expect(received.map(({ type }) => type)).toEqual(['dispute_opened', 'dispute_lost']);
    expect(new Set(received.map(({ disputeId }) => disputeId)).size).toBe(1);
  });
});

describe('the API', () => {
  test('needs the shared secret', async () => {
    const stranger = createSandboxPayments({ url: sandbox.url, secret: `${SECRET.slice(1)}!` });
    await expect(stranger.createCheckout(newOrder())).rejects.toThrow('unauthorized, 401');
  });

  test('is closed without a shop to tell', async () => {
    const other = await startTestSandbox();
    const alone = createSandboxPayments({ url: other.url, secret: SECRET });
    await expect(alone.createCheckout(newOrder())).rejects.toThrow('not_set_up, 503');
    await other.close();
  });

  test('what it did can be read over HTTP', async () => {
    const { order } = await openPaid();
    const view = await connectControl(sandbox.url).payments({ orderId: order.orderId });
    expect(view).toEqual(await seen(order.orderId));
    expect(view.payments).toHaveLength(1);
    expect((await connectControl(sandbox.url).payments({ orderId: 'other' })).payments).toEqual([]);
  });
});
