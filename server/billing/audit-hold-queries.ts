import { sql } from 'drizzle-orm';
import type { Check } from './audit-check-queries.ts';

/** A column of a hold `h` as the ledger sees it: what was drawn from a composite left no entry there. */
const ofBalance = (column: 'amount_credits' | 'returned_credits') =>
  sql`case when h.source = 'parent' then 0 else h.${sql.identifier(column)} end`;

/** How holds and refunds of tasks ended, against the ledger and the tasks. */
export const HOLD_CHECKS: readonly Check[] = [
  {
    name: 'a hold took its amount once',
    query: sql`
      select coalesce(h.task_id, l.task_id) as id,
        'held ' || coalesce(h.amount_credits, 0) || ', ledger ' || coalesce(-l.total, 0) as detail
      from credit_holds h
      full join (select task_id, sum(delta_credits) as total from credit_ledger where kind = 'hold' group by task_id) l
        on l.task_id = h.task_id
      where coalesce(${ofBalance('amount_credits')}, 0) <> coalesce(-l.total, 0)`,
  },
  {
    name: 'a hold gave back what it says',
    query: sql`
      select coalesce(h.task_id, l.task_id) as id,
        'returned ' || coalesce(h.returned_credits, 0) || ', ledger ' || coalesce(l.total, 0) as detail
      from credit_holds h
      full join (select task_id, sum(delta_credits) as total from credit_ledger
        where kind in ('return', 'refund') group by task_id) l on l.task_id = h.task_id
      where coalesce(${ofBalance('returned_credits')}, 0) <> coalesce(l.total, 0)`,
  },
  {
    name: 'what a hold took and gave back is of its user',
    query: sql`
      select l.id, 'of another user than the hold of task ' || h.task_id as detail
      from credit_ledger l join credit_holds h on h.task_id = l.task_id
      where l.kind in ('hold', 'return', 'refund') and l.user_id <> h.user_id`,
  },
  {
    // A drama holds nothing until its shots start, nor does a revision that makes nothing. A composite keeps what its
    // children were charged, however it ends.
    name: 'every task has a hold that fits its status',
    query: sql`
      select t.id, t.status || ' with hold ' || coalesce(h.status, 'none') || ', refund ' || coalesce(r.status, 'none')
        as detail
      from generation_tasks t
      left join credit_holds h on h.task_id = t.id
      left join credit_refunds r on r.task_id = t.id
      left join composite_tasks c on c.task_id = t.id
      where case
        when t.kind = 'drama' and h.task_id is null and c.revision_of is not null
          then exists (select 1 from generation_tasks child where child.parent_id = t.id)
        when t.kind = 'drama' and (h.task_id is null or c.phase in ('storyboard', 'review'))
          then h.task_id is not null or t.status = 'succeeded' or coalesce(c.phase, '') not in ('storyboard', 'review')
        when t.status = 'succeeded' then h.status is distinct from 'captured'
        when t.status = 'failed' then coalesce(h.status, '') not in ('refunding', 'refunded')
          and not (coalesce(h.status, '') = 'captured'
            and (coalesce(r.status, '') = 'voided' or t.kind in ('agent', 'drama')))
        when t.status = 'cancelled' then coalesce(h.status, '') not in ('captured', 'refunding', 'refunded')
        else h.status is distinct from 'held' end`,
  },
  {
    // What was drawn from a composite goes back to it in the transaction that ends the child.
    name: 'refunds and holds agree',
    query: sql`
      select coalesce(r.task_id, h.task_id) as id,
        'refund ' || coalesce(r.status, 'none') || ', hold ' || coalesce(h.status, 'none') as detail
      from credit_refunds r full join credit_holds h on h.task_id = r.task_id
      where (coalesce(h.status, '') in ('refunding', 'refunded') or r.id is not null) and
        case when h.source = 'parent' then r.id is not null or h.status = 'refunding'
        else r.id is null or h.task_id is null or r.amount_credits <> h.amount_credits or r.user_id <> h.user_id
          or (r.status = 'settled') <> (h.status = 'refunded')
          or (r.status in ('pending', 'manual')) <> (h.status = 'refunding')
          or (r.status = 'voided' and h.captured_credits <> h.amount_credits) end`,
  },
  {
    name: 'a settled refund is in the ledger once',
    query: sql`
      select coalesce(r.id, l.id) as id, 'refund ' || coalesce(r.status, 'none') || ' of '
        || coalesce(r.amount_credits, 0) || ', ledger ' || coalesce(l.delta_credits, 0) as detail
      from credit_refunds r
      full join (select id, key, user_id, delta_credits from credit_ledger where kind = 'refund') l
        on l.key = 'refund:task:' || r.task_id
      where coalesce(l.delta_credits, 0) <> case when r.status = 'settled' then r.amount_credits else 0 end
        or l.user_id <> r.user_id`,
  },
  {
    // What a release without a cost guard gave back (its entries know no buckets) stays counted for its day.
    name: 'the cost guard counted what is set aside',
    query: sql`
      select coalesce(s.user_id, h.user_id) as id, coalesce(s.day, h.day) || ': counted ' || coalesce(s.spent_credits, 0)
        || ', holds ' || coalesce(h.total, 0) as detail
      from credit_day_spending s
      full join (
        select h.user_id, h.spent_on as day,
          sum(h.amount_credits - case when l.bucketed then h.returned_credits else 0 end) as total
        from credit_holds h
        left join credit_ledger l on l.task_id = h.task_id and l.kind in ('return', 'refund')
        where h.spent_on is not null group by h.user_id, h.spent_on) h
        on h.user_id = s.user_id and h.day = s.day
      where coalesce(s.spent_credits, 0) <> coalesce(h.total, 0)`,
  },
  {
    name: 'at most one dispatch may have started work',
    query: sql`
      select task_id as id, count(*) || ' open dispatches' as detail from dispatches
      where outcome is null or outcome not in ('not_sent', 'rate_limited', 'rejected')
      group by task_id having count(*) > 1`,
  },
];
