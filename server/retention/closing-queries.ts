import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import { users } from '#server/db/schema/index.ts';
import { uuidArray } from '#server/lib/leases.ts';
import { IS_FREE, IS_OVER } from './row-queries.ts';

/** Accounts that were closed and of which something may be left to end or to erase. */
export async function closedAccounts(db: Db, limit: number): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select id from users where deleted_at is not null and erased_at is null
    order by random() limit ${limit}`);
  return rows.map((row) => row.id);
}

export type Closing = { passwordHash: string; role: 'user' | 'admin' };

const OPEN_ACCOUNT = { passwordHash: users.passwordHash, role: users.role };

export async function findForClosing(db: Db, userId: string): Promise<Closing | undefined> {
  const [row] = await db.select(OPEN_ACCOUNT).from(users).where(isOpen(userId));
  return row;
}

/** Locks the account, so that it is closed once and gets no order meanwhile. Undefined: it was closed. */
export async function lockForClosing(tx: Tx, userId: string): Promise<Closing | undefined> {
  const [row] = await tx.select(OPEN_ACCOUNT).from(users).where(isOpen(userId)).for('no key update');
  return row;
}

const isOpen = (userId: string) => and(eq(users.id, userId), isNull(users.deletedAt));

/** Locks the administrators, in the order of their ids, so that the last two cannot leave at once; how many they are. */
export async function lockAdministrators(tx: Tx): Promise<number> {
  const rows = await tx.execute(sql`
    select id from users where role = 'admin' and disabled_at is null order by id for no key update`);
  return rows.length;
}

/** Name and address go, the row stays for the money's history. */
export async function closeUserRow(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx
    .update(users)
    .set({
      email: `deleted-${userId}@deleted.invalid`,
      displayName: 'Deleted user',
      passwordHash,
      language: null,
      timeZone: null,
      disabledAt: sql`coalesce(${users.disabledAt}, now())`,
      deletedAt: sql`now()`,
    })
    .where(isOpen(userId));
}

/** Sessions, API tokens, the invite code and share links: nobody comes in by them again. Collections were for them alone. */
export async function deleteAccess(db: DbOrTx, userIds: readonly string[]): Promise<number> {
  const ids = uuidArray(userIds);
  const rows = await db.execute(sql`
    with ended as (delete from sessions where user_id = any(${ids}) returning 1),
      revoked as (delete from api_tokens where user_id = any(${ids}) returning 1),
      unlisted as (delete from invite_codes where user_id = any(${ids}) returning 1),
      unshared as (delete from share_links where user_id = any(${ids}) returning 1),
      uncollected as (delete from collections where user_id = any(${ids}) returning 1)
    select 1 from ended union all select 1 from revoked union all select 1 from unlisted
    union all select 1 from unshared union all select 1 from uncollected`);
  return rows.length;
}

/** Templates and presets: what the person wrote beside the tasks. */
export async function deletePromptItems(
  db: Db,
  input: { userIds: readonly string[]; limit: number },
): Promise<number> {
  const ids = uuidArray(input.userIds);
  const rows = await db.execute(sql`
    with templates as (
      delete from prompt_templates where id in (
        select id from prompt_templates where user_id = any(${ids}) limit ${input.limit}) returning 1),
    presets as (
      delete from parameter_presets where id in (
        select id from parameter_presets where user_id = any(${ids}) limit ${input.limit}) returning 1)
    select 1 from templates union all select 1 from presets`);
  return rows.length;
}

/** Orders that can still be paid, as the orders' own functions want them. */
export async function pendingOrders(
  db: DbOrTx,
  input: { userIds: readonly string[]; limit: number },
): Promise<{ id: string; userId: string }[]> {
  const rows = await db.execute<{ id: string; user_id: string }>(sql`
    select id, user_id from orders
    where user_id = any(${uuidArray(input.userIds)}) and status = 'pending' and expires_at > now()
    order by id limit ${input.limit}`);
  return rows.map((row) => ({ id: row.id, userId: row.user_id }));
}

/** Tasks of closed accounts that go on and were not asked to end; those that upstream cannot cancel come again. */
export async function tasksToEnd(
  db: Db,
  input: { userIds: readonly string[]; limit: number },
): Promise<{ id: string; userId: string }[]> {
  const rows = await db.execute<{ id: string; user_id: string }>(sql`
    select id, user_id from generation_tasks
    where user_id = any(${uuidArray(input.userIds)}) and cancel_requested_at is null
      and (status in ('queued', 'dispatching', 'running', 'uncertain', 'waiting')
        or (status = 'archiving' and kind in ('agent', 'drama')))
    order by random() limit ${input.limit}`);
  return rows.map((row) => ({ id: row.id, userId: row.user_id }));
}

/** Tasks of closed accounts that are over and still hold what the person wrote. */
export async function tasksToErase(
  db: Db,
  input: { userIds: readonly string[]; limit: number },
): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select t.id from generation_tasks t join generation_task_details d on d.task_id = t.id
    where t.user_id = any(${uuidArray(input.userIds)}) and d.prompt <> '' and ${IS_OVER} and ${IS_FREE}
    order by random() limit ${input.limit}`);
  return rows.map((row) => row.id);
}

/**
 * Takes everything personal out of a task whose files are gone. What the money needs (status, snapshot of the price,
 * hold, refund, ledger) stays. Its events go too: a refusal of upstream may repeat the prompt. The empty prompt is the
 * mark that it is done.
 */
export async function eraseTask(tx: Tx, taskId: string): Promise<void> {
  await tx.execute(sql`set local sidelane.retention = 'on'`);
  await tx.execute(sql`delete from generation_task_events where task_id = ${taskId}`);
  await tx.execute(sql`delete from request_keys where task_id = ${taskId}`);
  await tx.execute(sql`
    update webhook_inbox set body = '', headers = '{}'
    where dispatch_id in (select id from dispatches where task_id = ${taskId})`);
  await tx.execute(sql`
    update dispatches
    set artefacts = null, raw_result = null, evidence = null, error_message = null
    where task_id = ${taskId}`);
  await tx.execute(sql`
    update generation_task_details
    set prompt = '', params = '{}', reference_ids = '{}', artefacts = null, raw_result = null,
      failure_message = null, failure_detail = null, conversation = null
    where task_id = ${taskId}`);
  // A step keeps which task it started and what became of it: that is the way from a budget to what spent it.
  await tx.execute(
    sql`update composite_steps set key = id::text, input = '{}', result = null where task_id = ${taskId}`,
  );
  await tx.execute(sql`update composite_tasks set settings = '{}', plan = null where task_id = ${taskId}`);
}

/** The account is done when nothing of it is left, and no request of its last minutes can bring anything more. */
export async function markErased(db: Db, userIds: readonly string[]): Promise<number> {
  const rows = await db.execute(sql`
    update users u set erased_at = now()
    where u.id = any(${uuidArray(userIds)}) and u.erased_at is null and u.deleted_at < now() - interval '1 hour'
      and not exists (select 1 from sessions s where s.user_id = u.id)
      and not exists (select 1 from api_tokens a where a.user_id = u.id)
      and not exists (select 1 from share_links s where s.user_id = u.id)
      and not exists (select 1 from collections c where c.user_id = u.id)
      and not exists (select 1 from uploads f where f.user_id = u.id)
      and not exists (select 1 from notifications n where n.user_id = u.id)
      and not exists (select 1 from webhook_endpoints w where w.user_id = u.id)
      and not exists (select 1 from prompt_templates p where p.user_id = u.id)
      and not exists (select 1 from parameter_presets p where p.user_id = u.id)
      and not exists (select 1 from orders o where o.user_id = u.id and o.status = 'pending')
      and not exists (
        select 1 from generation_tasks t join generation_task_details d on d.task_id = t.id
        where t.user_id = u.id and (d.prompt <> '' or not (${IS_OVER})))
    returning 1`);
  return rows.length;
}

/** What a person reads before closing. */
export async function readKeepingRow(
  db: Db,
  userId: string,
): Promise<{ outputRetentionDays: number | null; runningTasks: number } | undefined> {
  const [row] = await db.execute<{ days: number | null; running: number }>(sql`
    select u.output_retention_days as days, (
      select count(*)::float8 from generation_tasks t
      where t.user_id = u.id
        and t.status in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting')) as running
    from users u where u.id = ${userId}`);
  return row && { outputRetentionDays: row.days, runningTasks: row.running };
}

export async function saveOutputRetention(db: Db, userId: string, days: number | null): Promise<void> {
  await db.update(users).set({ outputRetentionDays: days }).where(isOpen(userId));
}
