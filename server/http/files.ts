import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { StorageError } from '#server/storage/asset-store.ts';
import { findOutputFile, findUpload, type OutputFile } from '#server/storage/queries.ts';
import { extensionOf } from '#server/storage/sniff.ts';
import type { Identity, Scope, SignedInUser } from '#server/trpc/context.ts';
import { sendFile } from './file-response.ts';
import { receiveUploads } from './file-uploads.ts';

type FilesRouterOptions = {
  deps: Pick<Deps, 'db' | 'storage' | 'logger' | 'newId'> & {
    config: Pick<Deps['config'], 'maxUploadBytes'>;
  };
  /** Who sends this request: session cookie or API token. May throw an AppError for a malformed token. */
  resolveIdentity(req: Request): Promise<Identity>;
};

type Caller = { user: SignedInUser; isSession: boolean };

/**
 * `/files`: artefacts and uploads of their owner, and the upload of reference files. The caller puts the origin check
 * and the rate limits in front of it and the error handler behind it. Foreign and unknown ids get the same 404.
 */
export function createFilesRouter(options: FilesRouterOptions): Router {
  const { deps, resolveIdentity } = options;
  const router = Router();

  router.get('/files/outputs/:id', (req, res, next) =>
    guarded({ req, res, next }, async () => {
      const output = await ownOutput(req);
      await sendFile(
        deps.storage,
        { ...output, etag: `"${output.sha256}"`, fileName: outputFileName(output) },
        { req, res },
      );
    }),
  );

  router.get('/files/outputs/:id/preview', (req, res, next) =>
    guarded({ req, res, next }, async () => {
      const output = await ownOutput(req);
      const stored = output.previewKey ? await deps.storage.stat(output.previewKey) : undefined;
      if (!output.previewKey || !stored) throw notFound();
      const preview = {
        storageKey: output.previewKey,
        bytes: stored.bytes,
        // Weak: another version of the encoder may make other bytes of the same picture.
        etag: `W/"${output.sha256}-preview"`,
        mime: 'image/webp',
        fileName: outputFileName({ ...output, mime: 'image/webp' }),
      };
      await sendFile(deps.storage, preview, { req, res });
    }),
  );

  router.get('/files/uploads/:id', (req, res, next) =>
    guarded({ req, res, next }, async () => {
      const caller = await signedIn(req, 'read');
      const upload = await findUpload(deps.db, idOf(req));
      if (!upload || !mayRead(caller, upload.userId)) throw notFound();
      await sendFile(deps.storage, { ...upload, etag: `"${upload.sha256}"` }, { req, res });
    }),
  );

  router.post('/files/uploads', (req, res, next) =>
    guarded({ req, res, next }, async () => {
      const { user } = await signedIn(req, 'submit');
      if (!/^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')) {
        const message = 'Send the files as multipart/form-data, in the field "file".';
        res.status(415).setHeader('Cache-Control', 'no-store').json({ error: { message } });
        return;
      }
      const stored = await receiveUploads(deps, user.id, { req, res });
      const uploads = stored.map(({ id, fileName, mime, bytes }) => ({ id, fileName, mime, bytes }));
      res.status(201).setHeader('Cache-Control', 'no-store').json({ uploads });
    }),
  );

  return router;

  async function ownOutput(req: Request): Promise<OutputFile> {
    const caller = await signedIn(req, 'read');
    const output = await findOutputFile(deps.db, idOf(req));
    if (!output || !mayRead(caller, output.userId)) throw notFound();
    return output;
  }

  async function signedIn(req: Request, scope: Scope): Promise<Caller> {
    const identity = await resolveIdentity(req);
    if (identity.type === 'session') return { user: identity.user, isSession: true };
    if (identity.type !== 'api-token') {
      throw new AppError('unauthorized', 'Sign in, or send a valid API token as Authorization: Bearer …');
    }
    if (!identity.scopes.includes(scope)) {
      throw new AppError(
        'forbidden',
        `This token lacks the scope "${scope}". Make one that has it in Settings.`,
      );
    }
    return { user: identity.user, isSession: false };
  }

  /**
   * Hands what a handler throws to the application's error handler, storage faults as one clear sentence. After the
   * headers are out only cutting off tells the client that the answer is not whole.
   */
  async function guarded(
    http: { req: Request; res: Response; next: NextFunction },
    handle: () => Promise<void>,
  ): Promise<void> {
    const { req, res, next } = http;
    try {
      await handle();
    } catch (error) {
      if (isDisconnect(error)) return;
      if (!(error instanceof AppError)) {
        deps.logger.error({ error: describeError(error), path: req.path }, 'A file request failed');
      }
      if (res.headersSent) {
        res.destroy();
        return;
      }
      for (const name of FILE_HEADERS) res.removeHeader(name);
      next(error instanceof StorageError ? describeFault(error) : error);
    }
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

/** Administrators may see everything in their browser; an API token sees what its owner owns. */
function mayRead(caller: Caller, ownerId: string): boolean {
  return caller.user.id === ownerId || (caller.isSession && caller.user.role === 'admin');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function idOf(req: Request): string {
  const id = req.params.id ?? '';
  if (!UUID.test(id)) throw notFound();
  return id;
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such file.');
}

/** The end of a task id is its random part; the start is the time and nearly the same for neighbours. */
function outputFileName(output: Pick<OutputFile, 'kind' | 'taskId' | 'ordinal' | 'mime'>): string {
  return `sidelane-${output.kind}-${output.taskId.slice(-8)}-${output.ordinal + 1}.${extensionOf(output.mime)}`;
}

/** The client went away while the file was being sent. A reset of the database's connection looks different. */
function isDisconnect(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_DESTROYED';
}
