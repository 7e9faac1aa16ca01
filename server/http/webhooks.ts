import express, { type Request, type Router } from 'express';
import { z } from 'zod';
import type { Deps } from '#server/deps.ts';
import type { Executor } from '#server/generation/executor.ts';
import { receiveDelivery } from '#server/generation/webhooks/receive-delivery.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';

const MAX_BODY_BYTES = 1_048_576;

/**
 * `POST /webhooks/:channelId`, where upstreams report. The body stays raw bytes, because signatures are over bytes; no
 * cookie and no token counts here.
 */
export function createWebhooksRouter(options: {
  deps: Deps;
  executor: Pick<Executor, 'kick'>;
  limits: RateLimits;
}): Router {
  const { deps, executor, limits } = options;
  const router = express.Router();
  const rawBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES });
  router.post('/webhooks/:channelId', rawBody, (req, res, next) => {
    (async () => {
      await limits.consume('webhook', req.ip ?? '');
      const channelId = z.uuid().safeParse(req.params.channelId);
      if (!channelId.success) throw new AppError('not_found', 'There is no webhook address of this name.');
      const answer = await receiveDelivery(deps, {
        channelId: channelId.data.toLowerCase(),
        request: {
          headers: singleHeaders(req),
          rawBody: Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0),
          query: singleValues(req),
        },
      });
      // The work goes on here, without a daemon's knock.
      if (answer.taskId) executor.kick([answer.taskId]);
      res.status(answer.status).type(answer.contentType).send(answer.body);
    })().catch(next);
  });
  return router;
}

/** A header that came twice is joined by Node; one that could not be is left out. */
export function singleHeaders(req: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(req.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

function singleValues(req: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(req.query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
