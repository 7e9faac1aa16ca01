import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import type { AccountExport } from './schemas.ts';

/** Lists of the export, each in the order of its ids. No secret, no digest, nobody else's id. */

type Row = Record<string, unknown>;
export type ExportList =
  | 'ledger'
  | 'debts'
  | 'orders'
  | 'tasks'
  | 'composites'
  | 'outputs'
  | 'collections'
  | 'shareLinks'
  | 'uploads'
  | 'invites'
  | 'sessions'
  | 'apiTokens'
  | 'notifications'
  | 'webhookEndpoints'
  | 'webhookDeliveries'
  | 'promptTemplates'
  | 'parameterPresets';

/** Each statement returns `cursor` (text that grows) and what is exported. */
const LISTS: Record<ExportList, (input: { userId: string; after: string; limit: number }) => SQL> = {
  ledger: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, created_at as at, kind, delta_credits, balance_after_credits, reason,
      task_id, order_id, split_part(actor, ':', 1) as actor
    from credit_ledger where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  debts: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, amount_credits, remaining_credits, reason, order_id, created_at, settled_at
    from credit_debts where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  orders: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, title, credits, amount_minor, currency, valid_days,
      case when status = 'pending' and expires_at <= now() then 'expired' else status end as status, provider,
      payment_id, created_at, expires_at, paid_at, ended_at, refunded_minor, clawed_back_credits, dispute
    from orders where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  tasks: ({ userId, after, limit }) => sql`
    select t.id::text as cursor, t.id, t.kind, t.status, d.snapshot ->> 'modelTitle' as model, d.prompt, d.params,
      d.reference_ids, d.retry_of, t.parent_id, d.conversation, t.failure_code, d.failure_message, t.submitted_at, t.finished_at,
      h.amount_credits as held_credits, h.captured_credits as charged_credits, h.returned_credits
    from generation_tasks t join generation_task_details d on d.task_id = t.id
      left join credit_holds h on h.task_id = t.id
    where t.user_id = ${userId} and t.id > ${after}::uuid order by t.id limit ${limit}`,
  composites: ({ userId, after, limit }) => sql`
    select c.task_id::text as cursor, c.task_id, c.phase, c.settings, c.plan, c.plan_version, c.revision_of,
      c.estimate_credits, c.paused_at, c.stop_requested_at, c.created_at, (
        select coalesce(jsonb_agg(jsonb_build_object('key', s.key, 'kind', s.kind, 'status', s.status,
          'childTaskId', s.child_task_id, 'input', s.input, 'result', s.result, 'createdAt', s.created_at,
          'endedAt', s.ended_at) order by s.seq), '[]'::jsonb)
        from composite_steps s where s.task_id = c.task_id) as steps
    from composite_tasks c join generation_tasks t on t.id = c.task_id
    where t.user_id = ${userId} and c.task_id > ${after}::uuid order by c.task_id limit ${limit}`,
  outputs: ({ userId, after, limit }) => sql`
    select o.id::text as cursor, o.id, o.task_id, o.ordinal, o.kind, o.mime, o.bytes, o.sha256, o.width, o.height,
      o.duration_ms, o.late, o.created_at, o.favorite_at, o.trashed_at, o.removed_at, '/files/outputs/' || o.id as url
    from outputs o join generation_tasks t on t.id = o.task_id
    where t.user_id = ${userId} and o.id > ${after}::uuid order by o.id limit ${limit}`,
  collections: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, name, created_at, (
        select coalesce(jsonb_agg(x.output_id order by x.output_id), '[]'::jsonb)
        from collection_outputs x where x.collection_id = c.id) as output_ids
    from collections c where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  shareLinks: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, output_id, show_prompt, created_at, expires_at, revoked_at, views
    from share_links where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  uploads: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, file_name, mime, bytes, sha256, created_at, '/files/uploads/' || id as url
    from uploads where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  invites: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, case when inviter_id = ${userId} then 'inviter' else 'invitee' end as role, status,
      case when inviter_id = ${userId} then inviter_credits else invitee_credits end as reward_credits,
      created_at, rewarded_at, ended_at
    from invites where ${userId} in (inviter_id, invitee_id) and id > ${after}::uuid order by id limit ${limit}`,
  sessions: ({ userId, after, limit }) => sql`
    select id as cursor, user_agent, created_at, expires_at
    from sessions where user_id = ${userId} and id > ${after} order by id limit ${limit}`,
  apiTokens: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, name, prefix, scopes, created_at, last_used_at, revoked_at
    from api_tokens where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  notifications: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, type, task_id, data, created_at, read_at
    from notifications where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  webhookEndpoints: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, url, description, events, enabled, disabled_reason, last_success_at, created_at,
      deleted_at
    from webhook_endpoints where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  webhookDeliveries: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, endpoint_id, event_type, body, status, attempts, last_status_code, last_error,
      created_at, finished_at
    from webhook_deliveries where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  promptTemplates: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, kind, name, prompt, created_at, updated_at
    from prompt_templates where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
  parameterPresets: ({ userId, after, limit }) => sql`
    select id::text as cursor, id, model_slug, name, params, created_at
    from parameter_presets where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}`,
};

const FIRST: Record<'text' | 'uuid', string> = { text: '', uuid: '00000000-0000-0000-0000-000000000000' };
const ROWS = 500;

/** One page of a list and where the next begins. */
export async function readExportPage(
  db: Db,
  list: ExportList,
  input: { userId: string; after?: string },
): Promise<{ rows: Row[]; next: string | undefined }> {
  const after = input.after ?? FIRST[list === 'sessions' ? 'text' : 'uuid'];
  const page = LISTS[list]({ userId: input.userId, after, limit: ROWS });
  // As JSON, so that 64-bit amounts are numbers and moments carry their zone.
  const found = await db.execute<{ cursor: string; row: Row }>(sql`
    select l.cursor, to_jsonb(l) - 'cursor' as row from (${page}) l`);
  return {
    rows: found.map(({ row }) => withApiNames(row)),
    next: found.length < ROWS ? undefined : found.at(-1)?.cursor,
  };
}

/** `delta_credits` is `deltaCredits` everywhere outside of the database. */
function withApiNames(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

export async function readExportAccount(
  db: Db,
  userId: string,
): Promise<Pick<AccountExport, 'account' | 'exportedAt' | 'balanceCredits'> | undefined> {
  const [row] = await db.execute<{
    id: string;
    email: string;
    display_name: string;
    language: string | null;
    time_zone: string | null;
    output_retention_days: number | null;
    created_at: string;
    exported_at: string;
    balance: string | number | null;
  }>(sql`
    select u.id, u.email, u.display_name, u.language, u.time_zone, u.output_retention_days, u.created_at, now() as exported_at,
      a.balance_credits - coalesce((
        select sum(b.remaining_credits) from credit_buckets b
        where b.user_id = u.id and b.remaining_credits > 0 and b.expires_at <= now()), 0) as balance
    from users u left join credit_accounts a on a.user_id = u.id where u.id = ${userId}`);
  if (!row) return undefined;
  return {
    exportedAt: new Date(row.exported_at),
    account: {
      id: row.id,
      email: row.email,
      displayName: row.display_name,
      language: row.language,
      timeZone: row.time_zone,
      outputRetentionDays: row.output_retention_days,
      createdAt: new Date(row.created_at),
    },
    balanceCredits: Number(row.balance ?? 0),
  };
}
