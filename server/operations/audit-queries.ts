import { and, asc, desc, eq, gt, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { auditLog, users } from '#server/db/schema/index.ts';
import type { AuditEntryView, AuditLogInput } from './schemas.ts';

/** Entries under filters; ids grow with time. */
export async function listAuditEntries(db: DbOrTx, input: AuditLogInput): Promise<AuditEntryView[]> {
  return db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      actorId: auditLog.actorId,
      actorEmail: users.email,
      action: auditLog.action,
      subject: auditLog.subject,
      subjectId: auditLog.subjectId,
      reason: auditLog.reason,
      data: auditLog.data,
    })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.actorId))
    .where(and(...filtersOf(input)))
    .orderBy(input.sort === 'oldest' ? asc(auditLog.id) : desc(auditLog.id))
    .limit(input.limit);
}

function filtersOf({ actor, action, subjectId, from, to, sort, cursor }: AuditLogInput): (SQL | undefined)[] {
  return [
    actor
      ? or(sql`${auditLog.actorId}::text = ${actor}`, sql`strpos(lower(${users.email}), lower(${actor})) > 0`)
      : undefined,
    action ? or(eq(auditLog.action, action), eq(auditLog.subject, action)) : undefined,
    subjectId ? eq(auditLog.subjectId, subjectId) : undefined,
    from ? gte(auditLog.at, new Date(`${from}T00:00:00Z`)) : undefined,
    to ? lt(auditLog.at, dayAfter(to)) : undefined,
    cursor ? (sort === 'oldest' ? gt : lt)(auditLog.id, cursor) : undefined,
  ];
}

const dayAfter = (day: string) => new Date(new Date(`${day}T00:00:00Z`).getTime() + 86_400_000);
