import Stripe from 'stripe';
import { AppError } from '#server/lib/app-error.ts';
import { redactText } from '#server/lib/redact.ts';
import {
  type Checkout,
  type CheckoutOrder,
  CheckoutRefusedError,
  type PaymentProvider,
  type RefundAnswer,
  type RefundRequest,
} from './payment-provider.ts';
import { readStripeEvent, refundStatus } from './stripe-events.ts';

const API_VERSION = '2026-10-28.endive';
const CALL_MS = 20_000;
const WEBHOOK_TOLERANCE_SECONDS = 300;

/** Stripe keeps a page open for 30 minutes at least, counted from the call. */
const PAGE_OUTLIVES_ORDER_MS = 31 * 60_000;

/** Refusals of a refund that may be over soon; all others of this class stay. */
const PASSING_CODES = new Set(['balance_insufficient', 'insufficient_funds', 'lock_timeout', 'rate_limit']);

type StripeOptions = { secretKey: string; webhookSecret: string; now?: () => Date };

/**
 * Payments by Stripe's hosted page. Amounts pass as they are: the minor unit of Stripe is ours, and of a currency
 * without decimals (JPY) both mean the whole unit.
 */
export function createStripePayments({
  secretKey,
  webhookSecret,
  now = () => new Date(),
}: StripeOptions): PaymentProvider {
  const test = /^[sr]k_test_/.test(secretKey);
  const stripe = new Stripe(secretKey, {
    apiVersion: API_VERSION,
    maxNetworkRetries: 2,
    timeout: CALL_MS,
    telemetry: false,
  });

  return {
    name: 'stripe',
    test,
    createCheckout: (order) => createCheckout(stripe, order),
    expireCheckout: (checkoutId) => expireCheckout(stripe, checkoutId),
    readEvent({ rawBody, headers }) {
      const signature = headers['stripe-signature'] ?? '';
      return readStripeEvent(verify(stripe, { rawBody, signature, webhookSecret, now: now() }), { test });
    },
    refund: (request) => refund(stripe, request),
  };
}

async function createCheckout(stripe: Stripe, order: CheckoutOrder): Promise<Checkout> {
  try {
    const session = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: order.currency.toLowerCase(),
              unit_amount: order.amountMinor,
              product_data: { name: order.title },
            },
          },
        ],
        // The order's amount and currency are what is paid, never a converted one.
        adaptive_pricing: { enabled: false },
        client_reference_id: order.orderId,
        metadata: { order_id: order.orderId },
        // Payments and disputes show it in Stripe's dashboard.
        payment_intent_data: { metadata: { order_id: order.orderId } },
        customer_email: order.email || undefined,
        // From the order alone: a repeated call has to be the same word for word, or its key is refused.
        expires_at: Math.floor((order.expiresAt.getTime() + PAGE_OUTLIVES_ORDER_MS) / 1_000),
        success_url: order.successUrl,
        cancel_url: order.cancelUrl,
      },
      { idempotencyKey: `checkout:${order.orderId}` },
    );
    if (typeof session.id !== 'string' || typeof session.url !== 'string')
      throw new Error('no page was named');
    return { checkoutId: session.id, url: session.url };
  } catch (error) {
    const { message } = failure('Stripe did not open a payment page', error);
    // Stripe repeats what it refuses, and the payer's address is among it.
    const text = withoutAddresses(message);
    throw isInvalid(error) ? new CheckoutRefusedError(text) : new Error(text);
  }
}

async function expireCheckout(stripe: Stripe, checkoutId: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(checkoutId);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && (await isClosed(stripe, checkoutId)))
      return;
    throw failure('Stripe did not close a payment page', error);
  }
}

/** Only an open page can be closed; Stripe's refusal does not say by a code that it is not. */
async function isClosed(stripe: Stripe, checkoutId: string): Promise<boolean> {
  try {
    const { status } = await stripe.checkout.sessions.retrieve(checkoutId);
    return status === 'complete' || status === 'expired';
  } catch (error) {
    throw failure('Stripe did not say whether a payment page is open', error);
  }
}

async function refund(stripe: Stripe, request: RefundRequest): Promise<RefundAnswer> {
  try {
    return answerOf(
      (await findRefund(stripe, request)) ??
        (await stripe.refunds.create(
          {
            payment_intent: request.paymentId,
            amount: request.amountMinor,
            metadata: { refund_id: request.refundId, order_id: request.orderId },
          },
          { idempotencyKey: `refund:${request.refundId}` },
        )),
    );
  } catch (error) {
    if (isFinal(error)) return { type: 'refused', reason: explain(error) };
    throw failure('Stripe did not say what became of a refund', error);
  }
}

/** Stripe forgets idempotency keys after a day; the refunds of a payment keep our mark for good. */
async function findRefund(stripe: Stripe, request: RefundRequest): Promise<Stripe.Refund | undefined> {
  const known = stripe.refunds.list({ payment_intent: request.paymentId, limit: 100 });
  for await (const item of known) {
    if (item.metadata?.refund_id === request.refundId) return item;
  }
  return undefined;
}

function answerOf(made: Stripe.Refund): RefundAnswer {
  if (typeof made.id !== 'string' || made.object !== 'refund') throw new Error('no refund was named');
  const status = refundStatus(made.status);
  if (status !== 'failed') return { type: status, providerRefundId: made.id };
  return {
    type: 'refused',
    reason: `Stripe's refund ${made.id} ${made.status}: ${redactText(made.failure_reason ?? 'no reason given')}.`,
  };
}

/** A key that is wrong or used for something else is mended by people; only then is the answer known. */
function isFinal(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeCardError || isInvalid(error);
}

/** What was asked for is wrong in itself: an amount, an address. */
function isInvalid(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError && !PASSING_CODES.has(String(error.code ?? ''))
  );
}

type Delivery = { rawBody: Buffer; signature: string; webhookSecret: string; now: Date };

/** @throws AppError `unauthorized`, or `bad_request` when what Stripe signed is no JSON */
function verify(stripe: Stripe, { rawBody, signature, webhookSecret, now }: Delivery): unknown {
  try {
    return stripe.webhooks.constructEvent(
      rawBody,
      signature,
      webhookSecret,
      WEBHOOK_TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    );
  } catch (error) {
    // Neither is passed on as a cause: the SDK's error carries the whole body.
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) {
      throw new AppError('unauthorized', 'The signature does not fit this delivery, or is too old.');
    }
    throw new AppError('bad_request', 'The event cannot be read.');
  }
}

/** The SDK's own error holds request and answer; what we pass on is its text, code and request id. */
function failure(what: string, error: unknown): Error {
  return new Error(`${what}: ${explain(error)}`);
}

const withoutAddresses = (text: string): string => text.replace(/[^\s@"'<>]+@[^\s@"'<>]+/g, '[address]');

function explain(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code, type, statusCode, requestId } = error as Partial<Stripe.errors.StripeError>;
  const facts = [code ?? type, statusCode, requestId].filter((fact) => fact !== undefined);
  const text = redactText(error.message).slice(0, 300);
  return facts.length > 0 ? `${text} (${facts.join(', ')})` : text;
}
