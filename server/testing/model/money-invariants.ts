import type { TestDatabase } from '#server/testing/database.ts';

type Fault = { rule: string; id: string; detail: string };

/**
 * What must be true of these users' money at every commit, read from the tables by statements of its own, not through
 * the code under test or the audit. An empty list: all is well.
 */
export async function findFaults(t: TestDatabase, userIds: readonly string[]): Promise<Fault[]> {
  const users = t.sql.array([...userIds], 2950);
  const rows = await t.sql<Fault[]>`
    with mine as (select unnest(${users}::uuid[]) as user_id),
    ledger as (
      select m.user_id, coalesce(sum(l.delta_credits), 0)::bigint as total
      from mine m left join credit_ledger l using (user_id) group by 1),
    buckets as (
      select m.user_id, coalesce(sum(b.remaining_credits), 0)::bigint as total
      from mine m left join credit_buckets b using (user_id) group by 1),
    tasks as (
      select g.id, g.status, g.kind, g.parent_id, c.phase, h.status as hold, h.source, h.parent_task_id, h.amount_credits,
        h.captured_credits, h.returned_credits, h.budget_free_credits as free, h.budget_spent_credits as spent,
        (select count(*) from credit_ledger l where l.task_id = g.id and l.kind = 'hold') as holds,
        (select count(*) from credit_ledger l where l.task_id = g.id and l.kind in ('return', 'refund')) as returns,
        (select coalesce(sum(l.delta_credits), 0) from credit_ledger l where l.task_id = g.id) as net,
        (select count(*) from credit_refunds r where r.task_id = g.id) as refunds
      from generation_tasks g join mine using (user_id) left join credit_holds h on h.task_id = g.id
      left join composite_tasks c on c.task_id = g.id),
    draws as (
      select parent_task_id as id, coalesce(sum(amount_credits) filter (where hold = 'held'), 0) as open,
        sum(captured_credits) as charged
      from tasks where source = 'parent' group by 1)
    select 'I4: ledger = balance >= 0' as rule, a.user_id::text as id,
      'balance ' || a.balance_credits || ', ledger ' || l.total as detail
    from credit_accounts a join ledger l using (user_id)
    where a.balance_credits <> l.total or a.balance_credits < 0
    union all
    select 'I4: buckets = balance', a.user_id::text, 'balance ' || a.balance_credits || ', buckets ' || b.total
    from credit_accounts a join buckets b using (user_id)
    where a.balance_credits <> b.total and not exists (
      select 1 from credit_ledger e where e.user_id = a.user_id and not e.bucketed)
    union all
    select 'I3: one hold, at most one return', id::text, status || ': ' || holds || ' holds, ' || returns || ' returns'
    from tasks where holds <> (case when source = 'balance' and amount_credits > 0 then 1 else 0 end)
      or returns > 1 or refunds > 1 or (source = 'parent' and returns + refunds > 0)
    union all
    select 'I3: a live task holds, an ended one is settled', id::text, status || ' with hold ' || coalesce(hold, 'none')
    from tasks
    where case
      when phase = 'storyboard' then hold is not null
      when status = 'succeeded' then hold is distinct from 'captured'
      when status in ('failed', 'cancelled') then coalesce(hold, '') not in ('captured', 'refunding', 'refunded')
      else hold is distinct from 'held' end
    union all
    select 'I3: what a task cost is what was captured', id::text, 'net ' || net || ', captured ' || captured_credits
    from tasks where hold in ('captured', 'refunded') and -net <> case source when 'balance' then captured_credits else 0 end
    union all
    select 'I3: a budget is spent, free or drawn, and was spent on its draws', t.id::text, amount_credits || ' = ' || spent
      || ' spent + ' || free || ' free + ' || coalesce(d.open, 0) || ' drawn; charged ' || coalesce(d.charged, 0)
    from tasks t left join draws d on d.id = t.id
    where free is not null and (amount_credits <> spent + free + coalesce(d.open, 0) or spent <> coalesce(d.charged, 0)
      or hold <> 'held' and (coalesce(d.open, 0) > 0 or captured_credits <> spent))
    union all
    select 'I3: a composite outlives its children, and what they draw from is its budget', c.id::text,
      c.status || ' under ' || p.status || ', ' || coalesce(p.free::text, 'no budget')
    from tasks c join tasks p on p.id = c.parent_id
    where (c.hold = 'held' and p.status in ('succeeded', 'failed', 'cancelled'))
      or (c.source = 'parent' and (p.free is null or c.parent_task_id <> p.id))
    union all
    select 'credits of an order come in once', o.id::text, o.status || ': ' || count(l.id) || ' purchases'
    from orders o join mine using (user_id)
    left join credit_ledger l on l.order_id = o.id and l.kind = 'purchase'
    group by o.id, o.status, o.paid_at having count(l.id) <> (case when o.paid_at is null then 0 else 1 end)
    union all
    select 'no more is taken back than was bought', o.id::text, o.clawed_back_credits || ' of ' || o.credits
    from orders o join mine using (user_id) where o.clawed_back_credits > o.credits
    union all
    select 'no balance beside a debt', a.user_id::text, 'balance ' || a.balance_credits
    from credit_accounts a join mine using (user_id)
    where a.balance_credits > 0 and exists (
      select 1 from credit_debts d where d.user_id = a.user_id and d.remaining_credits > 0)
      and exists (select 1 from credit_buckets b where b.user_id = a.user_id and b.remaining_credits > 0
        and (b.expires_at is null or b.expires_at > now()))`;
  return [...rows];
}
