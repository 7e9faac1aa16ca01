import { and, eq, isNull, sql } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { apiTokens, costGuard, sessions, users } from '#server/db/schema/index.ts';

const STANDING = {
  id: users.id,
  role: users.role,
  disabledAt: users.disabledAt,
  deletedAt: users.deletedAt,
  inFlightLimit: users.inFlightLimit,
  dayCreditsLimit: users.dayCreditsLimit,
};
type UserStanding = Pick<typeof users.$inferSelect, keyof typeof STANDING>;

export async function findStanding(db: DbOrTx, userId: string): Promise<UserStanding | undefined> {
  const [row] = await db.select(STANDING).from(users).where(eq(users.id, userId));
  return row;
}

/** Locks a person against other changes of their account. */
export async function lockStanding(tx: Tx, userId: string): Promise<UserStanding | undefined> {
  const [row] = await tx.select(STANDING).from(users).where(eq(users.id, userId)).for('no key update');
  return row;
}

/** Locks the administrators who may sign in, in the order of their ids; how many there are. */
export async function lockAdministrators(tx: Tx): Promise<number> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.role, 'admin'), isNull(users.disabledAt)))
    .orderBy(users.id)
    .for('no key update');
  return rows.length;
}

export async function saveDisabled(tx: Tx, userId: string, disabled: boolean): Promise<void> {
  await tx
    .update(users)
    .set({ disabledAt: disabled ? sql`clock_timestamp()` : null })
    .where(eq(users.id, userId));
}

export async function saveLimits(
  tx: Tx,
  userId: string,
  limits: Pick<UserStanding, 'inFlightLimit' | 'dayCreditsLimit'>,
): Promise<void> {
  await tx.update(users).set(limits).where(eq(users.id, userId));
}

/** Ends every session and revokes every API token of a person; how many of each. */
export async function closeAccess(
  tx: Tx,
  userId: string,
): Promise<{ sessionsEnded: number; tokensRevoked: number }> {
  const ended = await tx.delete(sessions).where(eq(sessions.userId, userId)).returning({ id: sessions.id });
  const revoked = await tx
    .update(apiTokens)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiTokens.userId, userId), isNull(apiTokens.revokedAt)))
    .returning({ id: apiTokens.id });
  return { sessionsEnded: ended.length, tokensRevoked: revoked.length };
}

export async function readGeneralDayLimit(db: DbOrTx): Promise<number | null> {
  const [row] = await db
    .select({ most: costGuard.userDayCredits })
    .from(costGuard)
    .where(eq(costGuard.id, 1));
  return row?.most ?? null;
}

export async function countLiveTasks(db: DbOrTx, userId: string): Promise<number> {
  const [row] = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from generation_tasks
    where user_id = ${userId}
      and status in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting')`);
  return row?.n ?? 0;
}
