import type { ErrorRequestHandler, Request } from 'express';
import { AppError } from '#server/lib/app-error.ts';
import { databaseFault } from '#server/lib/database-fault.ts';
import { describeError } from '#server/lib/describe-error.ts';
import type { Logger } from '#server/lib/logger.ts';
import { trpcErrorBody } from './trpc.ts';

/** Ends every request that failed outside tRPC and Remix: JSON for programs, a bare page for people; never a stack. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const known = toAppError(error);
    const requestId = String(res.locals.requestId);
    if (known.httpStatus >= 500) {
      const log = known.code === 'internal' ? logger.error : logger.warn;
      log.call(logger, { requestId, path: req.path, error: describeError(error) }, 'A request failed');
    }
    // Half an answer is out: only cutting it off tells the client that it is incomplete.
    if (res.headersSent) {
      res.destroy();
      return;
    }
    res.status(known.httpStatus).set('cache-control', 'no-store');
    if (known.retryAfterSeconds) res.set('retry-after', String(known.retryAfterSeconds));
    if (req.originalUrl.startsWith('/api/trpc')) res.json(trpcErrorBody(known));
    else if (wantsHtml(req)) res.type('html').send(page(known, requestId));
    else res.json({ error: { code: known.code, message: known.message, requestId } });
  };
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const fault = databaseFault(error);
  if (fault) return fault;
  // Express and its body parsers mark what the client did wrong (bad escapes in a path, bad ranges).
  const status = (error as { status?: unknown } | undefined)?.status;
  if (status === 413) return new AppError('payload_too_large', 'The request body is too large.');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('bad_request', 'The request is malformed.');
  }
  return new AppError(
    'internal',
    'Something went wrong on our side. Try again; if it stays, name the request id.',
  );
}

function wantsHtml(req: Request): boolean {
  return !req.path.startsWith('/api/') && req.accepts(['json', 'html']) === 'html';
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function page(error: AppError, requestId: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${error.httpStatus} · Sidelane</title><style>body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:36rem;padding:0 1rem}</style></head>
<body><h1>${error.httpStatus}</h1><p>${escapeHtml(error.message)}</p><p><a href="/">Back to the start</a></p><p><small>Request ${escapeHtml(requestId)}</small></p></body></html>`;
}
