import express, { type Request, Router } from 'express';
import type { Deps } from '#server/deps.ts';
import { zipDrama } from '#server/generation/drama/zip-drama.ts';
import { AppError } from '#server/lib/app-error.ts';
import { archiveQuery, outputIdsInput } from '#server/library/schemas.ts';
import { zipList, zipOutputs } from '#server/library/zip-outputs.ts';
import { findOutputFile, findUpload, type OutputFile } from '#server/storage/queries.ts';
import type { Identity, Scope, SignedInUser } from '#server/trpc/context.ts';
import { guardFile } from './file-guard.ts';
import { idOf, notFound, outputFileName } from './file-names.ts';
import { sendArchive, sendFile } from './file-response.ts';
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
    guardFile(deps, { req, res, next }, async () => {
      const output = await ownOutput(req);
      await sendFile(
        deps.storage,
        { ...output, etag: `"${output.sha256}"`, fileName: outputFileName(output) },
        { req, res },
      );
    }),
  );

  router.get('/files/outputs/:id/preview', (req, res, next) =>
    guardFile(deps, { req, res, next }, async () => {
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
    guardFile(deps, { req, res, next }, async () => {
      const caller = await signedIn(req, 'read');
      const upload = await findUpload(deps.db, idOf(req));
      if (!upload || !mayRead(caller, upload.userId)) throw notFound();
      await sendFile(deps.storage, { ...upload, etag: `"${upload.sha256}"` }, { req, res });
    }),
  );

  router.get('/files/dramas/:id/shots.zip', (req, res, next) =>
    guardFile(deps, { req, res, next }, async () => {
      const { user } = await signedIn(req, 'read');
      const { fileName, stream } = await zipDrama(deps, { userId: user.id, taskId: idOf(req) });
      await sendArchive({ fileName, stream }, { req, res });
    }),
  );

  router.get('/files/library.zip', (req, res, next) =>
    guardFile(deps, { req, res, next }, async () => {
      const { user } = await signedIn(req, 'read');
      const filter = archiveQuery.safeParse(req.query);
      if (!filter.success) {
        throw new AppError(
          'bad_request',
          filter.error.issues[0]?.message ?? 'This is no list of the library.',
        );
      }
      await sendArchive(await zipList(deps, { userId: user.id, filter: filter.data }), { req, res });
    }),
  );

  // The ids come as the fields of a form, so that a page without scripts can ask for it.
  router.post(
    '/files/library.zip',
    express.urlencoded({ extended: false, limit: '64kb' }),
    (req, res, next) =>
      guardFile(deps, { req, res, next }, async () => {
        const { user } = await signedIn(req, 'read');
        const chosen = outputIdsInput.safeParse({ outputIds: [req.body?.output ?? []].flat() });
        if (!chosen.success) {
          throw new AppError('bad_request', chosen.error.issues[0]?.message ?? 'Choose at least one file.');
        }
        const archive = await zipOutputs(deps, { userId: user.id, outputIds: chosen.data.outputIds });
        await sendArchive(archive, { req, res });
      }),
  );

  router.post('/files/uploads', (req, res, next) =>
    guardFile(deps, { req, res, next }, async () => {
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
    // What was thrown away is its owner's alone.
    if (output.trashedAt && output.userId !== caller.user.id) throw notFound();
    if (output.removedAt) {
      throw new AppError('not_found', "This file was removed by its owner's retention setting.");
    }
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
}

/** Administrators may see everything in their browser; an API token sees what its owner owns. */
function mayRead(caller: Caller, ownerId: string): boolean {
  return caller.user.id === ownerId || (caller.isSession && caller.user.role === 'admin');
}
