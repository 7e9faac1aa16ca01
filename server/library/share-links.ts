import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { CreateShareInput, ShareListItem, ShareView } from './schemas.ts';
import { insertShare, listShares, listSharesOf, type ShareRow, saveRevoked } from './share-queries.ts';

type ShareDeps = Pick<Deps, 'db' | 'keyRing'>;

/** Nothing secret is stored: who has the address has a signature of ours. */
const signedText = (shareId: string): string => `share-link:${shareId}`;

const tokenOf = ({ keyRing }: Pick<Deps, 'keyRing'>, shareId: string): string =>
  `${shareId}.${keyRing.sign(signedText(shareId))}`;

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([A-Za-z0-9_-]{20,128})$/;

/** The id of a link's address. Undefined for what we have not signed, without asking the database. */
export function readShareToken({ keyRing }: Pick<Deps, 'keyRing'>, token: string): string | undefined {
  const [, shareId, signature] = TOKEN.exec(token) ?? [];
  return shareId && signature && keyRing.verify(signedText(shareId), signature) ? shareId : undefined;
}

/** A row as its owner sees it. */
export function toShareView(deps: Pick<Deps, 'keyRing'>, row: ShareRow): ShareView {
  const { isExpired, isFileGone, ...view } = row;
  return { ...view, path: `/share/${tokenOf(deps, row.id)}`, state: stateOf(row) };
}

function stateOf({ revokedAt, isExpired, isFileGone }: ShareRow): ShareView['state'] {
  if (revokedAt) return 'revoked';
  if (isExpired) return 'expired';
  return isFileGone ? 'file_gone' : 'open';
}

/** Makes an address under which anyone may see one file. @throws AppError `not_found` */
export async function createShare(
  deps: ShareDeps & Pick<Deps, 'newId'>,
  input: CreateShareInput & { userId: string },
): Promise<ShareView> {
  const { userId, outputId, showPrompt, expires } = input;
  const id = deps.newId();
  const days = expires === 'never' ? null : Number(expires);
  if (!(await insertShare(deps.db, { id, userId, outputId, showPrompt, days }))) {
    throw new AppError('not_found', 'There is no such file to share. Take it out of the trash first.');
  }
  const row = (await listSharesOf(deps.db, { userId, outputId })).find((each) => each.id === id);
  if (!row) throw new AppError('not_found', 'The link was removed meanwhile.');
  return toShareView(deps, row);
}

/** The address shows nothing from now on. @throws AppError `not_found` */
export async function revokeShare(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; shareId: string },
): Promise<{ id: string }> {
  if (!(await saveRevoked(deps.db, input))) throw new AppError('not_found', 'There is no such share link.');
  return { id: input.shareId };
}

/** All share links of a person, newest first, with what they show. */
export async function listShareLinks(
  deps: ShareDeps,
  input: { userId: string; cursor?: string; limit: number },
): Promise<{ items: ShareListItem[]; nextCursor: string | null }> {
  const rows = await listShares(deps.db, { ...input, cursor: input.cursor, limit: input.limit + 1 });
  const items = rows.slice(0, input.limit).map(({ kind, hasPreview, prompt, ...row }) => ({
    ...toShareView(deps, row),
    output: {
      kind,
      prompt,
      previewUrl: hasPreview && !row.isFileGone ? `/files/outputs/${row.outputId}/preview` : null,
    },
  }));
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.id ?? null) : null };
}
