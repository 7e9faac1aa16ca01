import express, { type Request, type Router } from 'express';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import { handlePaymentEvent } from '#server/orders/handle-payment-event.ts';
import type { PaymentEvent, PaymentProvider } from '#server/orders/payment/payment-provider.ts';
import { singleHeaders } from './webhooks.ts';

const MAX_BODY_BYTES = 1_048_576;

/**
 * `POST /payments/:provider/webhook`, where the payment vendor reports. The body stays raw bytes, because signatures
 * are over bytes; no cookie and no token counts here. A 2xx is sent only after the commit: the vendor repeats all else.
 */
export function createPaymentsRouter({ deps, limits }: { deps: Deps; limits: RateLimits }): Router {
  const router = express.Router();
  const rawBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES });
  router.post('/payments/:provider/webhook', rawBody, (req, res, next) => {
    (async () => {
      await limits.consume('webhook', req.ip ?? '');
      const { payments } = deps;
      if (!payments || req.params.provider !== payments.name) {
        throw new AppError('not_found', 'No payment provider of this name is set up.');
      }
      const event = readEvent(deps, payments, req);
      const { outcome } = await handlePaymentEvent(deps, { provider: payments.name, event });
      deps.logger.info(
        { provider: payments.name, eventId: event.eventId, type: event.rawType, outcome },
        'A payment event was taken',
      );
      res.status(200).set('cache-control', 'no-store').json({ received: true, outcome });
    })().catch(next);
  });
  return router;
}

/** A refusal is logged: a signing secret that does not fit shows nowhere else on our side. */
function readEvent(deps: Deps, payments: PaymentProvider, req: Request): PaymentEvent {
  try {
    return payments.readEvent({
      rawBody: Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0),
      headers: singleHeaders(req),
    });
  } catch (error) {
    deps.logger.warn(
      { provider: payments.name, error: describeError(error) },
      'A delivery to the payment webhook was refused',
    );
    throw error;
  }
}
