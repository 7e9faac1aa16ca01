import type { RequestHandler } from 'express';
import type { NewId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import type { HttpMetrics } from './metrics.ts';

const GIVEN_ID = /^[\w-]{8,64}$/;
/** Probes come every few seconds; they are logged only when they fail. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/** Names each request: the id that a proxy gave, or a new one; sent back as `x-request-id`. */
export function requestId(newId: NewId): RequestHandler {
  return (req, res, next) => {
    const given = req.get('x-request-id') ?? '';
    res.locals.requestId = GIVEN_ID.test(given) ? given : newId();
    res.setHeader('x-request-id', res.locals.requestId);
    next();
  };
}

/** One line per finished request. Paths only: query strings may carry input and signatures. */
export function accessLog(logger: Logger, metrics: HttpMetrics): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const path = req.path;
    res.once('close', () => {
      const ms = Math.round((performance.now() - startedAt) * 10) / 10;
      const aborted = !res.writableFinished;
      metrics.observe({ group: groupOf(path), method: req.method, status: res.statusCode, ms });
      const fields = {
        requestId: res.locals.requestId,
        method: req.method,
        path: shortPath(path),
        status: res.statusCode,
        ms,
        aborted,
      };
      if (PROBES.has(path) && res.statusCode < 400) logger.debug(fields, 'request');
      else logger.info(fields, 'request');
    });
    next();
  };
}

const shortPath = (path: string) => (path.length > 300 ? `${path.slice(0, 300)}…` : path);

/** A handful of labels: paths themselves would grow the metrics without bound. */
function groupOf(path: string): string {
  if (path.startsWith('/api/trpc/maintenance.')) return 'maintenance';
  if (path.startsWith('/api/trpc')) return 'api';
  if (path.startsWith('/files')) return 'files';
  if (path.startsWith('/webhooks')) return 'webhooks';
  if (path.startsWith('/assets')) return 'assets';
  return PROBES.has(path) ? 'probe' : 'page';
}
