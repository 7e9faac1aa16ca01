import { createHmac, timingSafeEqual } from 'node:crypto';
import { ofetch } from 'ofetch';
import { z } from 'zod';
import { AppError } from '#server/lib/app-error.ts';
import { redactText } from '#server/lib/redact.ts';
import type { PaymentEvent, PaymentProvider, RefundAnswer } from './payment-provider.ts';

/** Payments that `scripts/sandbox` plays, for trying things out: its page pays, fails, pays twice, pays late. */

const CALL_MS = 10_000;
/** How far a delivery's time may be from ours, in either direction. */
const TOLERANCE_SECONDS = 300;

/** Refusals that asking again will not change. */
const FINAL = new Set([400, 402, 404, 422]);

const checkoutAnswer = z.object({ id: z.string().min(1), url: z.url() });
const refundAnswer = z.object({ id: z.string().min(1), status: z.enum(['settled', 'pending']) });
const refusalAnswer = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const amount = z.number().int().min(0);
const eventBody = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(100),
  data: z.object({
    order_id: z.uuid().nullable(),
    checkout_id: z.string().nullable(),
    payment_id: z.string().nullable(),
    amount_minor: amount.nullable(),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .nullable(),
    refund: z
      .object({
        id: z.string().min(1),
        our_refund_id: z.uuid().nullable(),
        amount_minor: amount,
        status: z.enum(['settled', 'pending', 'failed']),
      })
      .optional(),
    dispute_id: z.string().optional(),
  }),
});

const EVENT_TYPES: Readonly<Record<string, PaymentEvent['type']>> = {
  'payment.paid': 'paid',
  'payment.failed': 'payment_failed',
  'checkout.expired': 'checkout_expired',
  'refund.changed': 'refund',
  'dispute.opened': 'dispute_opened',
  'dispute.won': 'dispute_won',
  'dispute.lost': 'dispute_lost',
};

type SandboxOptions = { url: string; secret: string; now?: () => Date };

export function createSandboxPayments({
  url,
  secret,
  now = () => new Date(),
}: SandboxOptions): PaymentProvider {
  async function post(path: string, body: object, idempotencyKey?: string): Promise<Answer> {
    try {
      const response = await ofetch.raw<string, 'text'>(`${url.replace(/\/$/, '')}/pay/v1/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
        },
        body,
        retry: 0,
        timeout: CALL_MS,
        responseType: 'text',
        ignoreResponseError: true,
      });
      return { status: response.status, json: parseJson(response._data ?? '') };
    } catch (error) {
      // ofetch's own error holds the request, secret included.
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`The sandbox did not answer: ${redactText(text)}`);
    }
  }

  return {
    name: 'sandbox',
    test: true,
    async createCheckout(order) {
      const answer = await post(
        'checkouts',
        {
          order_id: order.orderId,
          title: order.title,
          amount_minor: order.amountMinor,
          currency: order.currency,
          email: order.email,
          expires_at: order.expiresAt.toISOString(),
          success_url: order.successUrl,
          cancel_url: order.cancelUrl,
        },
        `checkout:${order.orderId}`,
      );
      const checkout = answer.status === 200 ? checkoutAnswer.safeParse(answer.json).data : undefined;
      if (!checkout) throw new Error(`The sandbox did not open a payment page: ${explain(answer)}`);
      return { checkoutId: checkout.id, url: checkout.url };
    },
    async expireCheckout(checkoutId) {
      const answer = await post(`checkouts/${encodeURIComponent(checkoutId)}/expire`, {});
      if (answer.status !== 200) {
        throw new Error(`The sandbox did not close a payment page: ${explain(answer)}`);
      }
    },
    async refund(request): Promise<RefundAnswer> {
      const answer = await post(
        'refunds',
        {
          refund_id: request.refundId,
          order_id: request.orderId,
          payment_id: request.paymentId,
          amount_minor: request.amountMinor,
          currency: request.currency,
        },
        `refund:${request.refundId}`,
      );
      const made = answer.status === 200 ? refundAnswer.safeParse(answer.json).data : undefined;
      if (made) return { type: made.status, providerRefundId: made.id };
      const refused = FINAL.has(answer.status) && refusalAnswer.safeParse(answer.json).success;
      if (refused) return { type: 'refused', reason: explain(answer) };
      throw new Error(`The sandbox did not say what became of a refund: ${explain(answer)}`);
    },
    readEvent({ rawBody, headers }) {
      verify({ rawBody, header: headers['sandbox-signature'] ?? '', secret, now: now() });
      const event = eventBody.safeParse(parseJson(rawBody.toString('utf8'))).data;
      if (!event) throw new AppError('bad_request', 'The event cannot be read.');
      return toPaymentEvent(event);
    },
  };
}

type Answer = { status: number; json: unknown };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The vendor's own words where it has some. */
function explain({ status, json }: Answer): string {
  const error = refusalAnswer.safeParse(json).data?.error;
  return error ? redactText(`${error.message.slice(0, 300)} (${error.code}, ${status})`) : `status ${status}`;
}

type Delivery = { rawBody: Buffer; header: string; secret: string; now: Date };

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<body>`. @throws AppError `unauthorized` */
function verify({ rawBody, header, secret, now }: Delivery): void {
  const [, seconds = '', given = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(rawBody).digest();
  const mark = Buffer.from(given, 'hex');
  // Equal lengths first: comparing unlike ones throws.
  const isSigned = mark.length === expected.length && timingSafeEqual(mark, expected);
  const isFresh = Math.abs(now.getTime() / 1_000 - Number(seconds)) <= TOLERANCE_SECONDS;
  if (!isSigned || !isFresh) {
    throw new AppError('unauthorized', 'The signature does not fit this delivery, or is too old.');
  }
}

function toPaymentEvent({ id, type, data }: z.output<typeof eventBody>): PaymentEvent {
  const { refund } = data;
  return {
    eventId: id,
    type: EVENT_TYPES[type] ?? 'other',
    rawType: type,
    orderId: data.order_id,
    checkoutId: data.checkout_id,
    paymentId: data.payment_id,
    amountMinor: data.amount_minor,
    currency: data.currency,
    ...(refund && {
      refund: {
        refundId: refund.id,
        ourRefundId: refund.our_refund_id,
        amountMinor: refund.amount_minor,
        status: refund.status,
      },
    }),
    ...(data.dispute_id && { disputeId: data.dispute_id }),
  };
}
