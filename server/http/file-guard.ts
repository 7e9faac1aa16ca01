import type { NextFunction, Request, Response } from 'express';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { StorageError } from '#server/storage/asset-store.ts';

/**
 * Hands what a handler throws to the application's error handler, storage faults as one clear sentence. After the
 * headers are out only cutting off tells the client that the answer is not whole.
 */
export async function guardFile(
  { logger }: Pick<Deps, 'logger'>,
  http: { req: Request; res: Response; next: NextFunction },
  handle: () => Promise<void>,
): Promise<void> {
  const { req, res, next } = http;
  try {
    await handle();
  } catch (error) {
    if (isDisconnect(error)) return;
    if (!(error instanceof AppError)) {
      logger.error({ error: describeError(error), path: req.path }, 'A file request failed');
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    for (const name of FILE_HEADERS) res.removeHeader(name);
    next(error instanceof StorageError ? describeFault(error) : error);
  }
}

/** Set for the file before it was opened; an error in its place must not carry them. */
const FILE_HEADERS = [
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Content-Type',
  'Cache-Control',
  'ETag',
  'Accept-Ranges',
];

function describeFault(error: StorageError): AppError {
  return error.reason === 'missing'
    ? new AppError('not_found', 'This file is no longer in storage.', { cause: error })
    : new AppError('unavailable', 'The file storage does not answer. Try again in a minute.', {
        retryAfterSeconds: 60,
        cause: error,
      });
}

/** The client went away while the file was being sent. A reset of the database's connection looks different. */
function isDisconnect(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_DESTROYED';
}
