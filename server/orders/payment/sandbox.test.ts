import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '#server/lib/app-error.ts';
import { createSandboxPayments } from './sandbox.ts';

/** The adapter of the played vendor, against answers that a real sandbox never gives; the rest is tested with the sandbox. */

const SECRET = 'a-shared-secret-of-at-least-32-characters';
const NOW = new Date('2026-11-29T12:00:00Z');
const ORDER_ID = '0193a0c0-0000-7000-8000-000000000001';
const URL_OF_SANDBOX = 'http://127.0.0.1:4010';

const payments = createSandboxPayments({ url: `${URL_OF_SANDBOX}/`, secret: SECRET, now: () => NOW });

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

let calls = 0;
function reply(path: string, answer: () => Response): void {
  calls = 0;
  server.use(
    http.post(`${URL_OF_SANDBOX}/pay/v1/${path}`, () => {
      calls += 1;
      return answer();
    }),
  );
}
const refusal = (status: number, code: string) => () =>
  HttpResponse.json({ error: { code, message: 'No.' } }, { status });

const order = {
  orderId: ORDER_ID,
  title: 'Medium pack',
  amountMinor: 1_900,
  currency: 'EUR',
  email: 'payer@example.com',
  expiresAt: NOW,
  successUrl: 'https://lane.example/orders/1',
  cancelUrl: 'https://lane.example/orders/1',
};
const request = {
  refundId: '0193a0c0-0000-7000-8000-0000000000aa',
  orderId: ORDER_ID,
  paymentId: 'ppa_1',
  amountMinor: 950,
  currency: 'EUR',
};

const HOSTILE: [string, () => Response][] = [
  ['HTML', () => HttpResponse.html('<html>Maintenance</html>')],
  ['half a JSON', () => new HttpResponse('{"id":"pre_')],
  ['something else', () => HttpResponse.json({ ok: true })],
  ['an empty body', () => new HttpResponse(null)],
  ['a failing server', refusal(500, 'down')],
  ['too many calls', refusal(429, 'busy')],
  ['a wrong secret', refusal(401, 'unauthorized')],
  ['a key of another request', refusal(409, 'idempotency_mismatch')],
  ['a broken connection', () => HttpResponse.error()],
];

describe('hostile answers', () => {
  it.each(HOSTILE)('%s: no payment page, one call', async (_name, answer) => {
    reply('checkouts', answer);
    await expect(payments.createCheckout(order)).rejects.toThrow();
    expect(calls).toBe(1);
  });

  it.each(HOSTILE)(
    'B67 %s: a refund is not known, to be asked for again; one call',
    async (_name, answer) => {
      reply('refunds', answer);
      await expect(payments.refund(request)).rejects.toThrow();
      expect(calls).toBe(1);
    },
  );

  it.each(
    HOSTILE.filter(([name]) => !['HTML', 'half a JSON', 'something else', 'an empty body'].includes(name)),
  )('%s: a page is not closed', async (_name, answer) => {
    reply('checkouts/pco_1/expire', answer);
    await expect(payments.expireCheckout('pco_1')).rejects.toThrow();
  });

  it.each([400, 402, 404, 422])('B67 a refusal with %i and a code is final', async (status) => {
    reply('refunds', refusal(status, 'already_refunded'));
    expect(await payments.refund(request)).toEqual({
      type: 'refused',
      reason: `No. (already_refunded, ${status})`,
    });
  });

  it('a refusal without a code is not final: something else may have answered', async () => {
    reply('refunds', () => HttpResponse.html('<html>Not found</html>', { status: 404 }));
    await expect(payments.refund(request)).rejects.toThrow('status 404');
  });

  it('no error shows the secret', async () => {
    reply('refunds', () => HttpResponse.error());
    const error: unknown = await payments.refund(request).catch((thrown: unknown) => thrown);
    expect(inspect(error, { depth: 10, showHidden: true, getters: true })).not.toContain(SECRET);
  });
});

describe('B64 whose delivery it is', () => {
  const body = JSON.stringify({
    id: 'pev_1',
    type: 'payment.paid',
    data: {
      order_id: ORDER_ID,
      checkout_id: 'pco_1',
      payment_id: 'ppa_1',
      amount_minor: 1_900,
      currency: 'EUR',
    },
  });
  const seconds = (ms = 0) => Math.floor((NOW.getTime() + ms) / 1_000);
  const mark = (text: string, secret = SECRET, at = seconds()) =>
    createHmac('sha256', secret).update(`${at}.${text}`).digest('hex');
  const sign = (text: string, secret = SECRET, at = seconds()) => `t=${at},v1=${mark(text, secret, at)}`;
  const deliver = (text: string, signature: string | undefined = sign(text)) => {
    try {
      return payments.readEvent({
        rawBody: Buffer.from(text),
        headers: signature === undefined ? {} : { 'sandbox-signature': signature },
      }).type;
    } catch (error) {
      if (error instanceof AppError) return error.code;
      throw error;
    }
  };

  it('a rightly signed one is read', () => {
    expect(deliver(body)).toBe('paid');
  });

  it('any altered byte, the body written anew, and another secret are refused', () => {
    for (let at = 0; at < body.length; at += 1) {
      const altered = Buffer.from(body);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(deliver(altered.toString(), sign(body)), `byte ${at}`).toBe('unauthorized');
    }
    expect(deliver(JSON.stringify(JSON.parse(body), null, 2), sign(body))).toBe('unauthorized');
    expect(deliver(body, sign(body, `${SECRET}!`))).toBe('unauthorized');
  });

  it.each(['', 't=1', `t=${seconds()},v1=abc`, `${sign(body)}, ${sign(body)}`, `v1=${mark(body)}`])(
    'the signature %j is refused',
    (signature) => expect(deliver(body, signature)).toBe('unauthorized'),
  );

  it('is read up to five minutes before or after it was signed', () => {
    for (const ms of [-300_000, 300_000]) expect(deliver(body, sign(body, SECRET, seconds(ms)))).toBe('paid');
    for (const ms of [-301_000, 301_000]) {
      expect(deliver(body, sign(body, SECRET, seconds(ms)))).toBe('unauthorized');
    }
  });

  it.each(['', '{', 'null', '{}', body.replace('1900', '19.5'), body.replace('"EUR"', '"eur"')])(
    'a signed body that is no event is not read: %j',
    (text) => expect(deliver(text)).toBe('bad_request'),
  );

  it('an event of an unknown kind is something else', () => {
    expect(deliver(body.replace('payment.paid', 'shop.opened'))).toBe('other');
  });
});
