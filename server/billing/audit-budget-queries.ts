import { sql } from 'drizzle-orm';
import type { Check } from './audit-check-queries.ts';

/** What children of composites drew, against what their composites hold. */
export const BUDGET_CHECKS: readonly Check[] = [
  {
    name: 'a budget is spent, free or drawn',
    query: sql`
      select h.task_id as id, 'holds ' || h.amount_credits || ', spent ' || h.budget_spent_credits || ', free '
        || h.budget_free_credits || ', drawn ' || coalesce(d.open, 0) as detail
      from credit_holds h
      left join (select parent_task_id, sum(amount_credits) as open from credit_holds
        where source = 'parent' and status = 'held' group by parent_task_id) d on d.parent_task_id = h.task_id
      where h.amount_credits <> h.budget_spent_credits + h.budget_free_credits + coalesce(d.open, 0)`,
  },
  {
    // A refund that an administrator voided is captured in full though nothing was spent.
    name: 'a budget spent and captured what its draws were charged',
    query: sql`
      select h.task_id as id, h.status || ', captured ' || h.captured_credits || ', spent ' || h.budget_spent_credits
        || ', draws charged ' || coalesce(d.charged, 0) as detail
      from credit_holds h
      left join credit_refunds r on r.task_id = h.task_id and r.status = 'voided'
      left join (select parent_task_id, sum(captured_credits) as charged from credit_holds
        where source = 'parent' group by parent_task_id) d on d.parent_task_id = h.task_id
      where h.budget_spent_credits is not null and (h.budget_spent_credits <> coalesce(d.charged, 0)
        or h.status <> 'held' and r.id is null and h.captured_credits <> h.budget_spent_credits)`,
  },
  {
    name: 'a draw is a child of the composite that it draws from',
    query: sql`
      select h.task_id as id, 'draws from task ' || h.parent_task_id || case when p.task_id is null
        then ', which has no budget' else ', of user ' || p.user_id end as detail
      from credit_holds h
      join generation_tasks t on t.id = h.task_id
      left join credit_holds p on p.task_id = h.parent_task_id and p.budget_free_credits is not null
      where h.source = 'parent'
        and (p.user_id is distinct from h.user_id or t.parent_id is distinct from h.parent_task_id)`,
  },
  {
    name: 'no draw is open under a settled budget',
    query: sql`
      select h.task_id as id, 'draws from task ' || p.task_id || ', which is ' || p.status as detail
      from credit_holds h join credit_holds p on p.task_id = h.parent_task_id
      where h.status = 'held' and p.status <> 'held'`,
  },
  {
    name: 'a composite that has ended has no child under way',
    query: sql`
      select t.id, t.status || ' under task ' || p.id || ', which is ' || p.status as detail
      from generation_tasks t join generation_tasks p on p.id = t.parent_id
      where t.finished_at is null and p.finished_at is not null`,
  },
];
