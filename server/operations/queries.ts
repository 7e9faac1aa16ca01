import { and, desc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { announcements, intakePauses, settings, users } from '#server/db/schema/index.ts';
import type { PauseScope } from './schemas.ts';

type PauseRow = typeof intakePauses.$inferSelect;
export type AnnouncementRow = typeof announcements.$inferSelect;

/** Announcements at once that pages show; more would push the page away. */
const SHOWN_ANNOUNCEMENTS = 5;

/** The pauses that close a kind: its own and that of everything. */
export async function listPausesOf(db: DbOrTx, kind: Exclude<PauseScope, 'all'>): Promise<PauseRow[]> {
  return db
    .select()
    .from(intakePauses)
    .where(inArray(intakePauses.scope, ['all', kind]));
}

export async function listPauses(db: DbOrTx) {
  return db
    .select({
      scope: intakePauses.scope,
      reason: intakePauses.reason,
      pausedAt: intakePauses.pausedAt,
      pausedByEmail: users.email,
    })
    .from(intakePauses)
    .leftJoin(users, eq(users.id, intakePauses.pausedBy))
    .orderBy(intakePauses.pausedAt);
}

/** Pauses, or gives a pause new words; since when it holds stays. */
export async function upsertPause(
  tx: Tx,
  values: { scope: PauseScope; reason: string; pausedBy: string },
): Promise<void> {
  await tx
    .insert(intakePauses)
    .values(values)
    .onConflictDoUpdate({
      target: intakePauses.scope,
      set: { reason: values.reason, pausedBy: values.pausedBy },
    });
}

/** @returns false when it was not paused */
export async function deletePause(tx: Tx, scope: PauseScope): Promise<boolean> {
  const rows = await tx
    .delete(intakePauses)
    .where(eq(intakePauses.scope, scope))
    .returning({ scope: intakePauses.scope });
  return rows.length > 0;
}

/** What users see at this moment, newest first. */
export async function listShownAnnouncements(db: DbOrTx) {
  return db
    .select({ id: announcements.id, level: announcements.level, text: announcements.text })
    .from(announcements)
    .where(
      and(
        isNull(announcements.withdrawnAt),
        sql`${announcements.startsAt} <= now()`,
        sql`(${announcements.endsAt} is null or ${announcements.endsAt} > now())`,
      ),
    )
    .orderBy(desc(announcements.startsAt), desc(announcements.id))
    .limit(SHOWN_ANNOUNCEMENTS);
}

export async function listAnnouncements(db: DbOrTx, page: { cursor?: string; limit: number }) {
  return db
    .select({ announcement: announcements, createdByEmail: users.email, now: sql<string>`now()` })
    .from(announcements)
    .leftJoin(users, eq(users.id, announcements.createdBy))
    .where(page.cursor ? lt(announcements.id, page.cursor) : undefined)
    .orderBy(desc(announcements.id))
    .limit(page.limit);
}

/** `startsAt` null: now, by the database's clock. @returns false when there is one of this id already */
export async function insertAnnouncement(
  tx: Tx,
  values: Omit<typeof announcements.$inferInsert, 'startsAt' | 'id'> & { id: string; startsAt: Date | null },
): Promise<boolean> {
  const rows = await tx
    .insert(announcements)
    .values({ ...values, startsAt: values.startsAt ?? sql`now()` })
    .onConflictDoNothing()
    .returning({ id: announcements.id });
  return rows.length === 1;
}

/** @returns false when there is none, or it was withdrawn before */
export async function withdrawRow(tx: Tx, announcementId: string): Promise<boolean> {
  const rows = await tx
    .update(announcements)
    .set({ withdrawnAt: sql`now()` })
    .where(and(eq(announcements.id, announcementId), isNull(announcements.withdrawnAt)))
    .returning({ id: announcements.id });
  return rows.length === 1;
}

/** What administrators have set, by key. */
export async function listSettings(db: DbOrTx) {
  return db
    .select({
      key: settings.key,
      value: settings.value,
      setAt: settings.updatedAt,
      setByEmail: users.email,
    })
    .from(settings)
    .leftJoin(users, eq(users.id, settings.updatedBy));
}

export async function upsertSetting(
  tx: Tx,
  values: { key: string; value: number | boolean; updatedBy: string },
): Promise<void> {
  const { value, updatedBy } = values;
  await tx
    .insert(settings)
    .values(values)
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedBy, updatedAt: sql`now()` } });
}

/** @returns false when it was not set */
export async function deleteSetting(tx: Tx, key: string): Promise<boolean> {
  const rows = await tx.delete(settings).where(eq(settings.key, key)).returning({ key: settings.key });
  return rows.length > 0;
}

export async function readServerVersion(db: DbOrTx): Promise<string> {
  const [row] = await db.execute<{ version: string }>(
    sql`select current_setting('server_version') as version`,
  );
  return row?.version ?? '';
}
