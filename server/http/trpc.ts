import { TRPCError } from '@trpc/server';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { Request, RequestHandler } from 'express';
import superjson from 'superjson';
import { APP_ERROR_CODES, AppError } from '#server/lib/app-error.ts';
import { databaseFault } from '#server/lib/database-fault.ts';
import type { Logger } from '#server/lib/logger.ts';
import { toTrpcError } from '#server/trpc/init.ts';
import { appRouter } from '#server/trpc/root.ts';
import type { CreateContext } from './create-context.ts';
import { logProcedureError } from './log-error.ts';

/** Inputs are prompts and settings; files go through `/files/uploads`. */
const MAX_BODY_BYTES = 1_000_000;
/** Calls in one HTTP request; the client's default link batches what a page asks at once. */
const MAX_BATCH = 20;

/** `/api/trpc`: the same procedures that pages call, for browsers, services and the daemon. */
export function createTrpcHandler(options: { createContext: CreateContext; logger: Logger }): RequestHandler {
  const { createContext, logger } = options;
  return createExpressMiddleware({
    router: appRouter,
    maxBodySize: MAX_BODY_BYTES,
    maxBatchSize: MAX_BATCH,
    // An announced size is refused before a byte is read; tRPC counts the others.
    middleware: (req, _res, next) =>
      next(
        announcedBytes(req as Request) > MAX_BODY_BYTES
          ? new TRPCError({ code: 'PAYLOAD_TOO_LARGE' })
          : undefined,
      ),
    createContext: async ({ req, res }) => {
      try {
        return await createContext(req, res);
      } catch (error) {
        const fault = error instanceof AppError ? error : databaseFault(error);
        throw fault ? toTrpcError(fault) : error;
      }
    },
    onError: ({ error, path, req }) => {
      logProcedureError(logger, { error, path, requestId: req.res?.locals.requestId });
    },
    responseMeta({ errors }) {
      const waits = errors.map((error) =>
        error.cause instanceof AppError ? error.cause.retryAfterSeconds : undefined,
      );
      const longest = Math.max(0, ...waits.map((wait) => wait ?? 0));
      return {
        headers: new Headers({
          'cache-control': 'no-store',
          ...(longest > 0 ? { 'retry-after': String(longest) } : {}),
        }),
      };
    },
  });
}

/** An error from before tRPC in the form that its clients read. */
export function trpcErrorBody(error: AppError): unknown {
  const { trpc, http } = APP_ERROR_CODES[error.code];
  const shape = {
    message: error.message,
    code: TRPC_ERROR_CODES_BY_KEY[trpc],
    data: { code: trpc, httpStatus: http, appCode: error.code, retryAfterSeconds: error.retryAfterSeconds },
  };
  return { error: superjson.serialize(shape) };
}

function announcedBytes(req: Request): number {
  const bytes = Number(req.headers['content-length']);
  return Number.isFinite(bytes) ? bytes : 0;
}
