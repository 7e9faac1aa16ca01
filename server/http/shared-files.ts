import { type Request, Router } from 'express';
import type { Deps } from '#server/deps.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import { findSharedFile } from '#server/library/open-share.ts';
import { limitKeyOfAddress } from './client-address.ts';
import { guardFile } from './file-guard.ts';
import { notFound, outputFileName } from './file-names.ts';
import { sendFile } from './file-response.ts';

/** A revoked link shows nothing once a browser has asked again. */
const MAX_AGE_SECONDS = 60;

/**
 * `/files/shares/<id>.<signature>`: the file behind a share link, for anyone. Links that ended, and addresses that we
 * never made, get the same 404.
 */
export function createSharedFilesRouter({
  deps,
  limits,
}: {
  deps: Pick<Deps, 'db' | 'keyRing' | 'storage' | 'logger'>;
  limits: RateLimits;
}): Router {
  const router = Router();

  router.get('/files/shares/:token', (req, res, next) =>
    guardFile(deps, { req, res, next }, async () => {
      const shared = await sharedFile(req);
      const file = {
        ...shared,
        etag: `"${shared.sha256}"`,
        fileName: outputFileName(shared),
        maxAgeSeconds: MAX_AGE_SECONDS,
        attachmentOnly: shared.kind === 'text',
      };
      await sendFile(deps.storage, file, { req, res });
    }),
  );

  router.get('/files/shares/:token/preview', (req, res, next) =>
    guardFile(deps, { req, res, next }, async () => {
      const { previewKey, ...shared } = await sharedFile(req);
      const stored = previewKey ? await deps.storage.stat(previewKey) : undefined;
      if (!previewKey || !stored) throw notFound();
      const preview = {
        storageKey: previewKey,
        bytes: stored.bytes,
        etag: `W/"${shared.sha256}-preview"`,
        mime: 'image/webp',
        fileName: outputFileName({ ...shared, mime: 'image/webp' }),
        maxAgeSeconds: MAX_AGE_SECONDS,
      };
      await sendFile(deps.storage, preview, { req, res });
    }),
  );

  return router;

  async function sharedFile(req: Request) {
    await limits.consume('share', limitKeyOfAddress(req.ip));
    return findSharedFile(deps, req.params.token ?? '');
  }
}
