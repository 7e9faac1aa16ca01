import type { TRPCError } from '@trpc/server';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import type { Logger } from '#server/lib/logger.ts';

/** Logs what operators have to know: our own faults as errors, an absent database as a warning, refusals not at all. */
export function logProcedureError(
  logger: Logger,
  failure: { error: TRPCError; path: string | undefined; requestId: unknown },
): void {
  const { error, path, requestId } = failure;
  const fields = { requestId, path, code: error.code, error: describeError(error) };
  if (error.cause instanceof AppError && error.cause.code === 'unavailable') {
    logger.warn(fields, 'A procedure could not be served');
  } else if (error.code === 'INTERNAL_SERVER_ERROR') {
    logger.error(fields, 'A procedure failed');
  }
}
