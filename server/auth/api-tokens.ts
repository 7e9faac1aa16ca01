import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { Identity, Scope } from '#server/trpc/context.ts';
import {
  countApiTokens,
  findApiToken,
  insertApiToken,
  listApiTokens,
  revokeApiTokenOf,
  touchApiToken,
} from './queries.ts';
import { type ApiTokenView, type CreateTokenInput, SCOPES } from './schemas.ts';
import { digest, newSecret } from './secrets.ts';

export const TOKEN_PREFIX = 'sdl_';
const TOKEN_SHAPE = /^sdl_[\w-]{43}$/;
const MAX_TOKENS = 50;
const INVALID: Identity = { type: 'anonymous', reason: 'The API token is not valid or was revoked.' };

const knownScopes = (scopes: readonly string[]): Scope[] => SCOPES.filter((scope) => scopes.includes(scope));

/** Makes a token. Its secret is in this answer and nowhere else: the table keeps a digest. */
export async function createApiToken(
  deps: Pick<Deps, 'db'>,
  input: CreateTokenInput & { userId: string },
): Promise<{ secret: string; token: ApiTokenView }> {
  if ((await countApiTokens(deps.db, input.userId)) >= MAX_TOKENS) {
    throw new AppError('conflict', `You have ${MAX_TOKENS} tokens. Revoke one that you no longer use.`);
  }
  const secret = `${TOKEN_PREFIX}${newSecret()}`;
  const row = await insertApiToken(deps.db, {
    userId: input.userId,
    name: input.name,
    prefix: secret.slice(0, TOKEN_PREFIX.length + 6),
    tokenHash: digest(secret),
    scopes: input.scopes,
  });
  return { secret, token: { ...row, scopes: knownScopes(row.scopes) } };
}

/** Whose token it is. A malformed, unknown or revoked one, or one of a disabled user, is nobody's. */
export async function authenticateApiToken(
  deps: Pick<Deps, 'db' | 'logger'>,
  bearer: string,
): Promise<Identity> {
  if (!TOKEN_SHAPE.test(bearer)) return INVALID;
  const row = await findApiToken(deps.db, digest(bearer));
  if (!row) return INVALID;
  if (row.staleUse) {
    // Best effort: a lost time of use must not cost the call.
    await touchApiToken(deps.db, row.id).catch(() =>
      deps.logger.warn({ tokenId: row.id }, 'API token use not noted'),
    );
  }
  return { type: 'api-token', tokenId: row.id, scopes: knownScopes(row.scopes), user: row.user };
}

export async function viewApiTokens(deps: Pick<Deps, 'db'>, userId: string): Promise<ApiTokenView[]> {
  const rows = await listApiTokens(deps.db, userId);
  return rows.map((row) => ({ ...row, scopes: knownScopes(row.scopes) }));
}

/** @throws AppError not_found when the user has no such living token */
export async function revokeApiToken(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; tokenId: string },
): Promise<void> {
  const revoked = await revokeApiTokenOf(deps.db, input.userId, input.tokenId);
  if (revoked === 0) throw new AppError('not_found', 'There is no such token; it may be revoked already.');
}
