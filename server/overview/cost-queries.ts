import { sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { barOf, type Span, since } from './queries.ts';
import type { CostSum, PaidCredits } from './schemas.ts';

/** What upstream took, from the calls that were sent; each statement reads a range of a primary key. */

export type CostRow = Omit<CostSum, 'currency'> & {
  /** Null: of the model. */
  bar: number | null;
  /** Null: of the bar. */
  modelId: string | null;
  /** Null: nobody wrote a cost; all its calls are then neither known nor bounded. */
  currency: string | null;
  calls: number;
};

/**
 * Calls that upstream took or may have taken, by bar and by model, in each currency. A call that it provably did not
 * take costs nothing and is left out.
 */
export async function sumCosts(db: Db, span: Span): Promise<CostRow[]> {
  const rows = await db.execute<CostRow>(sql`
    select bar, model_id as "modelId", currency, count(*)::float8 as calls,
      coalesce(sum(cost_micros), 0)::float8 as micros,
      count(*) filter (where state = 'known')::float8 as "knownCalls",
      coalesce(sum(cost_ordered_micros) filter (where state = 'possible'), 0)::float8 as "possibleMicros",
      count(*) filter (where state = 'possible')::float8 as "possibleCalls",
      count(*) filter (where state = 'possible' and cost_ordered_micros is null)::float8 as "unboundedCalls",
      count(*) filter (where state = 'open')::float8 as "openCalls"
    from (
      select ${barOf(sql`d.id`, span)} as bar, t.model_id, d.cost_currency as currency, d.cost_micros,
        d.cost_ordered_micros,
        case
          when d.cost_micros is not null then 'known'
          when d.cost_terms is null then 'unpriced'
          when t.status in ('dispatching', 'running', 'archiving') then 'open'
          else 'possible'
        end as state
      from dispatches d
      join generation_tasks t on t.id = d.task_id
      where ${since(sql`d.id`, span.from)} and d.phase = 'sent'
        and (d.outcome is null or d.outcome in ('accepted', 'done'))
    ) calls
    group by grouping sets ((bar, currency), (model_id, currency))`);
  return [...rows];
}

/** Credits that tasks submitted since `from` were charged, by model; a composite's are those of its parts. */
export async function sumChargedByModel(db: Db, from: Date): Promise<Map<string, number>> {
  const rows = await db.execute<{ modelId: string; credits: number }>(sql`
    select t.model_id as "modelId", sum(h.captured_credits)::float8 as credits
    from credit_holds h
    join generation_tasks t on t.id = h.task_id
    where ${since(sql`h.task_id`, from)} and h.captured_credits > 0 and t.kind not in ('agent', 'drama')
    group by 1`);
  return new Map(rows.map(({ modelId, credits }) => [modelId, credits]));
}

export async function readModelTitles(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.execute<{ id: string; title: string }>(
    sql`select id, title from models where id = any(${`{${ids.join(',')}}`}::uuid[])`,
  );
  return new Map(rows.map(({ id, title }) => [id, title]));
}

/** Credits of orders paid since `from` and what was paid for them, by currency. */
export async function sumPaid(db: Db, from: Date): Promise<PaidCredits[]> {
  const rows = await db.execute<PaidCredits>(sql`
    select currency, sum(amount_minor)::float8 as "amountMinor", sum(credits)::float8 as credits
    from orders where paid_at >= ${from.toISOString()}::timestamptz
    group by currency having sum(credits) > 0 order by currency`);
  return [...rows];
}
