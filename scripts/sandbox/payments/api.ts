import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Sandbox } from '../endpoint.ts';
import {
  ApiError,
  dropConnection,
  type ErrorStyle,
  type Exchange,
  readBody,
  readBytes,
  sendJson,
  validate,
} from '../wire.ts';
import { act } from './actions.ts';
import { renderCheckout, renderList } from './page.ts';
import type { Checkout } from './state.ts';
import { closeCheckout, openCheckout, refund } from './vendor.ts';

/** HTTP of the played payment vendor: the API for shops below `/pay/v1`, and pages for payers below `/pay`. */

export const paymentErrors: ErrorStyle = ({ status, code, message }) => ({
  status,
  body: { error: { code: code ?? 'refused', message } },
});

const id = z.string().min(1).max(100);
const amount = z.number().int().min(1);
const currency = z.string().regex(/^[A-Z]{3}$/);
const checkoutBody = z.strictObject({
  order_id: id,
  title: z.string().min(1),
  amount_minor: amount,
  currency,
  email: z.string(),
  expires_at: z.iso.datetime().transform((text) => Date.parse(text)),
  success_url: z.url(),
  cancel_url: z.url(),
});
const refundBody = z.strictObject({
  refund_id: id,
  order_id: id,
  payment_id: id,
  amount_minor: amount,
  currency,
});

/** Everything below `/pay`. */
export async function handlePayments(sandbox: Sandbox, exchange: Exchange): Promise<void> {
  const { pathname } = exchange.url;
  const method = exchange.req.method ?? 'GET';
  if (pathname.startsWith('/pay/v1/')) return handleApi(sandbox, exchange, `${method} ${pathname}`);
  if (method === 'GET' && /^\/pay\/?$/.test(pathname)) {
    return sendPage(exchange, 200, renderList(sandbox));
  }
  const checkout = checkoutOf(sandbox, /^\/pay\/([^/]+)$/.exec(pathname)?.[1]);
  if (method === 'GET') return sendPage(exchange, 200, renderCheckout(sandbox, checkout));
  if (method !== 'POST') throw new ApiError(405, null, 'Use GET or POST.');
  const form = new URLSearchParams((await readBytes(exchange.req)).toString('utf8'));
  const { next, notice } = act(sandbox, checkout, form);
  if (next) {
    exchange.res.writeHead(303, { location: next, 'content-length': 0 }).end();
    return;
  }
  sendPage(exchange, 200, renderCheckout(sandbox, checkout, notice));
}

async function handleApi(sandbox: Sandbox, exchange: Exchange, call: string): Promise<void> {
  checkSecret(sandbox, exchange);
  const { fields } = await readBody(exchange.req);
  const [, closing] = /^POST \/pay\/v1\/checkouts\/([^/]+)\/expire$/.exec(call) ?? [];
  if (closing !== undefined) {
    const checkout = checkoutOf(sandbox, closing);
    closeCheckout(sandbox, checkout);
    return sendJson(exchange, 200, { id: checkout.id, status: checkout.status });
  }
  if (call === 'POST /pay/v1/checkouts') {
    const answer = answerOnce(sandbox, exchange, fields, () => makeCheckout(sandbox, fields));
    return sendJson(exchange, 200, answer);
  }
  if (call === 'POST /pay/v1/refunds') {
    const answer = answerOnce(sandbox, exchange, fields, () => makeRefund(sandbox, fields));
    const { payments } = sandbox.state;
    if (payments.lostRefundAnswers === 0) return sendJson(exchange, 200, answer);
    payments.lostRefundAnswers -= 1;
    return dropConnection(exchange);
  }
  throw new ApiError(404, null, 'There is no such call.');
}

function makeCheckout(sandbox: Sandbox, fields: unknown): { id: string; url: string } {
  const order = validate(checkoutBody, fields);
  const { id } = openCheckout(sandbox, {
    orderId: order.order_id,
    title: order.title,
    amountMinor: order.amount_minor,
    currency: order.currency,
    expiresAt: order.expires_at,
    successUrl: order.success_url,
    cancelUrl: order.cancel_url,
  });
  return { id, url: `${sandbox.origin()}/pay/${id}` };
}

function makeRefund(sandbox: Sandbox, fields: unknown): { id: string; status: string } {
  const asked = validate(refundBody, fields);
  const payment = sandbox.state.payments.payments.get(asked.payment_id);
  if (!payment || payment.currency !== asked.currency) {
    throw new ApiError(404, 'unknown_payment', 'There is no such payment in this currency.');
  }
  const { id } = refund(sandbox, payment, { amountMinor: asked.amount_minor, ourRefundId: asked.refund_id });
  return { id, status: 'settled' };
}

function checkSecret(sandbox: Sandbox, { req }: Exchange): void {
  if (!sandbox.payments) {
    throw new ApiError(503, 'not_set_up', 'Start the sandbox with --payments-webhook to play payments.');
  }
  const given = Buffer.from(req.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${sandbox.payments.secret}`);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new ApiError(401, 'unauthorized', 'The secret is not the one of this sandbox.');
  }
}

/** A call under a known idempotency key is answered as the first one was, and does nothing. */
function answerOnce(sandbox: Sandbox, exchange: Exchange, fields: unknown, make: () => unknown): unknown {
  const key = exchange.clientRef;
  if (!key) throw new ApiError(400, 'no_idempotency_key', 'Send an idempotency-key.');
  const { keys } = sandbox.state.payments;
  const request = JSON.stringify(fields);
  const known = keys.get(key);
  if (known && known.request !== request) {
    known.calls += 1;
    throw new ApiError(409, 'idempotency_mismatch', 'This idempotency-key was used for another request.');
  }
  const entry = known ?? { calls: 0, request, answer: make() };
  entry.calls += 1;
  keys.set(key, entry);
  return entry.answer;
}

function checkoutOf(sandbox: Sandbox, checkoutId: string | undefined): Checkout {
  const checkout = sandbox.state.payments.checkouts.get(checkoutId ?? '');
  if (!checkout) {
    throw new ApiError(404, 'unknown_checkout', 'There is no such checkout; the sandbox forgets at its end.');
  }
  return checkout;
}

function sendPage({ res }: Exchange, status: number, html: string): void {
  res
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    .end(html);
}
