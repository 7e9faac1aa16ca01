import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { SharedOutputView } from './schemas.ts';
import { readShareToken } from './share-links.ts';
import { countView, findShared, type SharedOutput } from './share-queries.ts';

type OpenDeps = Pick<Deps, 'db' | 'keyRing'>;

/**
 * What anyone sees who opens a share link, and one view more in its count unless it is the owner who looks.
 *
 * @returns `gone` for a link of ours that has ended
 * @throws AppError `not_found` for an address that we never made
 */
export async function openShare(
  deps: OpenDeps,
  input: { token: string; viewerId: string | undefined },
): Promise<SharedOutputView> {
  const shareId = readShareToken(deps, input.token);
  if (!shareId) throw noShare();
  const shared = await findShared(deps.db, shareId);
  if (!shared) return { state: 'gone' };
  if (shared.ownerId !== input.viewerId) await countView(deps.db, shareId);
  const { kind, mime, bytes, width, height, durationMs, prompt, modelTitle, madeAt, expiresAt } = shared;
  const url = `/files/shares/${input.token}`;
  return {
    state: 'open',
    ...{ kind, mime, bytes, width, height, durationMs, prompt, modelTitle, madeAt, expiresAt },
    url,
    previewUrl: shared.previewKey ? `${url}/preview` : null,
  };
}

/** The file behind a share link; counts nothing. @throws AppError `not_found`, also for a link that has ended */
export async function findSharedFile(deps: OpenDeps, token: string): Promise<SharedOutput> {
  const shareId = readShareToken(deps, token);
  const shared = shareId && (await findShared(deps.db, shareId));
  if (!shared) throw noShare();
  return shared;
}

const noShare = () => new AppError('not_found', 'This link shows nothing. It may have ended.');
