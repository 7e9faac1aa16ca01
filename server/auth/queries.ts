import { and, count, desc, eq, gt, isNull, ne, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { apiTokens, sessions, users } from '#server/db/schema/users.ts';

type UserRow = typeof users.$inferSelect;

export async function findUserByEmail(db: DbOrTx, email: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.email, email)).limit(1);
  return row;
}

export async function insertUser(
  db: DbOrTx,
  values: { email: string; displayName: string; passwordHash: string; role: 'user' | 'admin' },
): Promise<UserRow> {
  const [row] = await db.insert(users).values(values).returning();
  if (!row) throw new Error('The insert of a user returned no row');
  return row;
}

export async function findPasswordHash(db: DbOrTx, userId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.disabledAt)));
  return row?.passwordHash;
}

/** Number of rows changed: 0 when the password is another one by now, or the account is closed. */
export async function replacePassword(
  db: DbOrTx,
  input: { userId: string; before: string; after: string },
): Promise<number> {
  const rows = await db
    .update(users)
    .set({ passwordHash: input.after })
    .where(and(eq(users.id, input.userId), eq(users.passwordHash, input.before), isNull(users.disabledAt)))
    .returning({ id: users.id });
  return rows.length;
}

/** Changes only what is given. */
export async function updateProfile(
  db: DbOrTx,
  userId: string,
  values: Partial<Pick<UserRow, 'displayName' | 'language' | 'timeZone'>>,
): Promise<void> {
  await db
    .update(users)
    .set(values)
    .where(and(eq(users.id, userId), isNull(users.disabledAt)));
}

/** Makes an existing person an administrator and lets them in again; changes the password only when given one. */
export async function promoteUser(
  db: DbOrTx,
  userId: string,
  passwordHash: string | undefined,
): Promise<void> {
  await db
    .update(users)
    .set({ role: 'admin', disabledAt: null, ...(passwordHash ? { passwordHash } : {}) })
    .where(eq(users.id, userId));
}

export async function listSessions(db: DbOrTx, userId: string) {
  return db
    .select({
      id: sessions.id,
      createdAt: sessions.createdAt,
      expiresAt: sessions.expiresAt,
      userAgent: sessions.userAgent,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, sql`now()`)))
    .orderBy(desc(sessions.createdAt))
    .limit(200);
}

/** Number of sessions ended: 0 when the user has no such session. */
export async function deleteSessionOf(db: DbOrTx, userId: string, sessionId: string): Promise<number> {
  const rows = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.id, sessionId)))
    .returning({ id: sessions.id });
  return rows.length;
}

/** Ends every session of a user, but one when it is named. */
export async function deleteSessionsExcept(
  db: DbOrTx,
  userId: string,
  keep: string | undefined,
): Promise<number> {
  const rows = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), keep === undefined ? undefined : ne(sessions.id, keep)))
    .returning({ id: sessions.id });
  return rows.length;
}

/** The living token with this digest and its owner; disabled owners have none. */
export async function findApiToken(db: DbOrTx, tokenHash: string) {
  const [row] = await db
    .select({
      id: apiTokens.id,
      scopes: apiTokens.scopes,
      staleUse: sql<boolean>`${apiTokens.lastUsedAt} is null or ${apiTokens.lastUsedAt} < now() - interval '1 minute'`,
      user: {
        id: users.id,
        email: users.email,
        displayName: users.displayName,
        role: users.role,
        language: users.language,
        timeZone: users.timeZone,
      },
    })
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.userId))
    .where(and(eq(apiTokens.tokenHash, tokenHash), isNull(apiTokens.revokedAt), isNull(users.disabledAt)))
    .limit(1);
  return row;
}

/** Writes the time of use at most once a minute, whatever number of replicas try. */
export async function touchApiToken(db: DbOrTx, tokenId: string): Promise<void> {
  await db
    .update(apiTokens)
    .set({ lastUsedAt: sql`now()` })
    .where(
      and(
        eq(apiTokens.id, tokenId),
        sql`(${apiTokens.lastUsedAt} is null or ${apiTokens.lastUsedAt} < now() - interval '1 minute')`,
      ),
    );
}

export async function countApiTokens(db: DbOrTx, userId: string): Promise<number> {
  const [row] = await db
    .select({ total: count() })
    .from(apiTokens)
    .where(and(eq(apiTokens.userId, userId), isNull(apiTokens.revokedAt)));
  return row?.total ?? 0;
}

const tokenView = {
  id: apiTokens.id,
  name: apiTokens.name,
  prefix: apiTokens.prefix,
  scopes: apiTokens.scopes,
  createdAt: apiTokens.createdAt,
  lastUsedAt: apiTokens.lastUsedAt,
};

export async function insertApiToken(
  db: DbOrTx,
  values: { userId: string; name: string; prefix: string; tokenHash: string; scopes: string[] },
) {
  const [row] = await db.insert(apiTokens).values(values).returning(tokenView);
  if (!row) throw new Error('The insert of an API token returned no row');
  return row;
}

export async function listApiTokens(db: DbOrTx, userId: string) {
  return db
    .select(tokenView)
    .from(apiTokens)
    .where(and(eq(apiTokens.userId, userId), isNull(apiTokens.revokedAt)))
    .orderBy(desc(apiTokens.createdAt));
}

/** Number of tokens revoked: 0 when the user has no such living token. */
export async function revokeApiTokenOf(db: DbOrTx, userId: string, tokenId: string): Promise<number> {
  const rows = await db
    .update(apiTokens)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiTokens.id, tokenId), eq(apiTokens.userId, userId), isNull(apiTokens.revokedAt)))
    .returning({ id: apiTokens.id });
  return rows.length;
}
