import { type SQL, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';

export type Mismatch = { check: string; id: string; detail: string };

type Check = { name: string; query: SQL };

/** Every check selects the rows that are wrong as (id, detail); none is right. */
const CHECKS: readonly Check[] = [
  {
    name: 'Σ ledger = balance',
    query: sql`
      select a.user_id as id, 'balance ' || a.balance_credits || ', ledger ' || coalesce(l.total, 0) as detail
      from credit_accounts a
      left join (select user_id, sum(delta_credits) as total from credit_ledger group by user_id) l using (user_id)
      where a.balance_credits <> coalesce(l.total, 0)`,
  },
  {
    name: 'every ledger entry has an account',
    query: sql`
      select distinct l.user_id as id, 'no account' as detail from credit_ledger l
      where not exists (select 1 from credit_accounts a where a.user_id = l.user_id)`,
  },
  {
    name: 'a hold took its amount once',
    query: sql`
      select h.task_id as id, 'held ' || h.amount_credits || ', ledger ' || coalesce(-l.total, 0) as detail
      from credit_holds h
      left join (select task_id, sum(delta_credits) as total from credit_ledger where kind = 'hold' group by task_id) l
        on l.task_id = h.task_id
      where h.amount_credits <> coalesce(-l.total, 0)`,
  },
  {
    name: 'a hold gave back what it says',
    query: sql`
      select h.task_id as id, 'returned ' || h.returned_credits || ', ledger ' || coalesce(l.total, 0) as detail
      from credit_holds h
      left join (select task_id, sum(delta_credits) as total from credit_ledger
        where kind in ('return', 'refund') group by task_id) l on l.task_id = h.task_id
      where h.returned_credits <> coalesce(l.total, 0)`,
  },
  {
    name: 'every task has a hold that fits its status',
    query: sql`
      select t.id, t.status || ' with hold ' || coalesce(h.status, 'none') as detail
      from generation_tasks t left join credit_holds h on h.task_id = t.id
      where case t.status
        when 'succeeded' then h.status is distinct from 'captured'
        when 'failed' then coalesce(h.status, '') not in ('refunding', 'refunded')
        when 'cancelled' then coalesce(h.status, '') not in ('captured', 'refunding', 'refunded')
        else h.status is distinct from 'held' end`,
  },
  {
    name: 'refunds and holds agree',
    query: sql`
      select coalesce(r.task_id, h.task_id) as id,
        'refund ' || coalesce(r.status, 'none') || ', hold ' || coalesce(h.status, 'none') as detail
      from credit_refunds r full join credit_holds h on h.task_id = r.task_id
      where (coalesce(h.status, '') in ('refunding', 'refunded') or r.id is not null) and (
        r.id is null or h.task_id is null or r.amount_credits <> h.amount_credits or r.user_id <> h.user_id
        or (r.status = 'settled') <> (h.status = 'refunded')
        or (r.status in ('pending', 'manual')) <> (h.status = 'refunding'))`,
  },
  {
    name: 'at most one dispatch may have started work',
    query: sql`
      select task_id as id, count(*) || ' open dispatches' as detail from dispatches
      where outcome is null or outcome not in ('not_sent', 'rate_limited', 'rejected')
      group by task_id having count(*) > 1`,
  },
];

/** Runs all checks in one snapshot's worth of statements; at most 100 mismatches each. */
export async function findMismatches(db: DbOrTx): Promise<Mismatch[]> {
  const mismatches: Mismatch[] = [];
  for (const { name, query } of CHECKS) {
    const rows = (await db.execute(sql`${query} limit 100`)) as unknown as { id: string; detail: string }[];
    mismatches.push(...rows.map((row) => ({ check: name, id: row.id, detail: row.detail })));
  }
  return mismatches;
}
