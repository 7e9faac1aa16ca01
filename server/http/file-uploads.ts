import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { Request, Response } from 'express';
import { AppError } from '#server/lib/app-error.ts';
import type { Upload } from '#server/storage/queries.ts';
import { removeUpload, storeUpload, type UploadDeps } from '#server/storage/uploads.ts';

/** As many as a submit may name. */
const MAX_FILES = 16;

/** What of a refused request is read on, so that the browser gets to the answer; the rest is cut off. */
const MAX_DRAINED_BYTES = 64 * 1_048_576;

/**
 * Streams the files of a multipart request (field `file`, one or several) to storage. All or nothing: when one is
 * refused, those before it are removed again.
 *
 * @throws AppError with a sentence that says what to do
 */
export async function receiveUploads(
  deps: UploadDeps,
  userId: string,
  http: { req: Request; res: Response },
): Promise<Upload[]> {
  const { req, res } = http;
  const gone = new AbortController();
  const onClose = () => {
    if (!res.writableEnded) gone.abort(new AppError('bad_request', 'The upload was broken off.'));
  };
  res.once('close', onClose);
  const results: Promise<Upload>[] = [];
  try {
    await parseForm(req, gone.signal, (fileName, source) => {
      const result = storeUpload(deps, { userId, fileName, source, signal: gone.signal });
      results.push(result);
      return result;
    });
    const stored = await Promise.all(results);
    if (stored.length === 0)
      throw new AppError('bad_request', 'Choose a file: the form field is called "file".');
    return stored;
  } catch (error) {
    gone.abort(error);
    drain(req);
    for (const result of await Promise.allSettled(results)) {
      if (result.status === 'fulfilled') await removeUpload(deps, result.value).catch(() => {});
    }
    throw error;
  } finally {
    res.off('close', onClose);
  }
}

/** Resolves at the end of the form; rejects with the first thing that is wrong, without waiting for the rest. */
function parseForm(
  req: Request,
  signal: AbortSignal,
  onFile: (fileName: string, source: Readable) => Promise<unknown>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const form = openForm(req);
    const fail = (error: unknown) => {
      req.unpipe(form);
      reject(error);
    };
    form.on('file', (field, source, info) => {
      // The parser destroys the stream when the request ends early; the reader of it tells, this keeps it from crashing.
      source.on('error', () => {});
      if (field !== 'file') source.resume();
      else onFile(info.filename ?? '', source).catch(fail);
    });
    form.on('filesLimit', () =>
      fail(new AppError('payload_too_large', `Upload at most ${MAX_FILES} files at once.`)),
    );
    form.on('error', () =>
      fail(new AppError('bad_request', 'The upload is not a complete multipart form. Send it again.')),
    );
    form.on('close', resolve);
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
    req.pipe(form);
  });
}

function openForm(req: Request) {
  try {
    return busboy({
      headers: req.headers,
      defParamCharset: 'utf8',
      limits: { files: MAX_FILES, fields: 20, fieldSize: 10_000, parts: MAX_FILES + 20, headerPairs: 50 },
    });
  } catch {
    throw new AppError(
      'bad_request',
      'The multipart form has no boundary. Send it with a proper Content-Type.',
    );
  }
}

/** Reads the rest of a refused request, up to a bound, so that the client can finish sending and read the answer. */
function drain(req: Request): void {
  let drained = 0;
  req.on('data', (chunk: Buffer) => {
    drained += chunk.byteLength;
    if (drained > MAX_DRAINED_BYTES) req.destroy();
  });
  req.on('error', () => {});
  req.resume();
}
