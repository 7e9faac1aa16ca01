import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { Identity, SignedInUser } from '#server/trpc/context.ts';
import { luciaOf } from './lucia.ts';
import { deleteSessionOf, deleteSessionsExcept, listSessions } from './queries.ts';
import type { SessionView } from './schemas.ts';
import { digest, newSecret } from './secrets.ts';

type SessionDeps = Pick<Deps, 'db' | 'config'>;

/** The part of a person's row that pages and procedures know. */
export const signedInUser = (row: Required<SignedInUser>): Required<SignedInUser> => ({
  id: row.id,
  email: row.email,
  displayName: row.displayName,
  role: row.role,
  language: row.language,
  timeZone: row.timeZone,
});

/** Opens a session and returns the Set-Cookie header that carries it. Always a new secret: none can be planted. */
export async function openSession(
  deps: SessionDeps,
  input: { userId: string; userAgent: string | undefined },
): Promise<{ cookie: string }> {
  const lucia = luciaOf(deps);
  const secret = newSecret();
  const userAgent = input.userAgent?.slice(0, 300) ?? null;
  await lucia.createSession(input.userId, { userAgent }, { sessionId: digest(secret) });
  return { cookie: lucia.createSessionCookie(secret).serialize() };
}

/**
 * Whose session the cookie header opens. Past half of its 30 days a session is extended, and the returned cookie has
 * to reach the browser.
 */
export async function authenticateSession(
  deps: SessionDeps,
  cookieHeader: string,
): Promise<{ identity: Identity; setCookie?: string }> {
  const lucia = luciaOf(deps);
  const secret = lucia.readSessionCookie(cookieHeader);
  if (!secret) return { identity: { type: 'anonymous' } };
  const { session, user } = await lucia.validateSession(digest(secret));
  if (!session) {
    return { identity: { type: 'anonymous', reason: 'Your session has ended. Sign in again.' } };
  }
  if (user.disabledAt) {
    return {
      identity: { type: 'anonymous', reason: 'This account is closed. Ask an administrator to open it.' },
    };
  }
  const identity: Identity = {
    type: 'session',
    sessionId: session.id,
    user: signedInUser(user),
  };
  return session.fresh
    ? { identity, setCookie: lucia.createSessionCookie(secret).serialize() }
    : { identity };
}

/** Ends the session, if any, and returns the Set-Cookie header that removes the cookie. */
export async function closeSession(
  deps: SessionDeps,
  sessionId: string | undefined,
): Promise<{ cookie: string }> {
  const lucia = luciaOf(deps);
  if (sessionId !== undefined) await lucia.invalidateSession(sessionId);
  return { cookie: lucia.createBlankSessionCookie().serialize() };
}

export async function viewSessions(
  deps: SessionDeps,
  input: { userId: string; currentId: string | undefined },
): Promise<SessionView[]> {
  const rows = await listSessions(deps.db, input.userId);
  return rows.map((row) => ({ ...row, current: row.id === input.currentId }));
}

/** @throws AppError not_found when the user has no such session */
export async function revokeSession(
  deps: SessionDeps,
  input: { userId: string; sessionId: string },
): Promise<void> {
  const ended = await deleteSessionOf(deps.db, input.userId, input.sessionId);
  if (ended === 0) throw new AppError('not_found', 'There is no such session; it may have ended already.');
}

/** Ends every session of the user but the one that asks; returns how many. */
export function revokeOtherSessions(
  deps: SessionDeps,
  input: { userId: string; currentId: string | undefined },
): Promise<number> {
  return deleteSessionsExcept(deps.db, input.userId, input.currentId);
}
