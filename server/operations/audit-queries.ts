import { and, asc, desc, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { madeBetween } from '#server/db/keyset.ts';
import { auditLog, users } from '#server/db/schema/index.ts';
import { isUuid } from '#server/lib/ids.ts';
import type { AuditEntryView, AuditLogInput } from './schemas.ts';

/** Entries under filters; ids grow with time. Each filter walks an index in the order of the page. */
export async function listAuditEntries(db: DbOrTx, input: AuditLogInput): Promise<AuditEntryView[]> {
  const actors = input.actor === undefined ? undefined : await findActors(db, input.actor);
  if (actors?.length === 0) return [];
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
    .where(and(...filtersOf(input, actors)))
    .orderBy(input.sort === 'oldest' ? asc(auditLog.id) : desc(auditLog.id))
    .limit(input.limit);
}

/**
 * Who is meant by an id or a part of an address. Only those who are in the log are looked at, by one step of its index
 * for each: administrators are few, people are not.
 */
async function findActors(db: DbOrTx, actor: string): Promise<string[]> {
  if (isUuid(actor)) return [actor];
  const rows = await db.execute<{ id: string }>(sql`
    with recursive actors as (
      (select actor_id from audit_log where actor_id is not null order by actor_id limit 1)
      union all
      select (select a.actor_id from audit_log a where a.actor_id > actors.actor_id order by a.actor_id limit 1)
      from actors where actors.actor_id is not null
    )
    select u.id from actors join users u on u.id = actors.actor_id
    where strpos(lower(u.email), lower(${actor})) > 0`);
  return rows.map(({ id }) => id);
}

function filtersOf(input: AuditLogInput, actors: readonly string[] | undefined): (SQL | undefined)[] {
  const { action, subjectId, sort, cursor } = input;
  return [
    actors ? inArray(auditLog.actorId, [...actors]) : undefined,
    // An action is its subject and a verb, so the dot tells which is asked for.
    action ? eq(action.includes('.') ? auditLog.action : auditLog.subject, action) : undefined,
    subjectId ? eq(auditLog.subjectId, subjectId) : undefined,
    madeBetween({ id: sql`${auditLog.id}`, madeAt: sql`${auditLog.at}` }, input),
    cursor ? (sort === 'oldest' ? gt : lt)(auditLog.id, cursor) : undefined,
  ];
}
