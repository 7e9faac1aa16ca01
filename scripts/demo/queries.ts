import { sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';

export type ProgressRow = {
  id: string;
  kind: string;
  /** The wire format that its channel speaks. */
  protocol: string;
  prompt: string;
  status: string;
  progress: number | null;
  outputs: number;
  held: number;
  charged: number;
  returned: number;
  money: string;
  seconds: number;
  /** Finished, and the refund (if any) is in the ledger. */
  settled: boolean;
};

/** Reads the demo's tasks as they are; pushes nothing on. */
export async function readProgress(db: Db, taskIds: readonly string[]): Promise<ProgressRow[]> {
  const rows = (await db.execute(sql`
    select t.id, t.kind, d.snapshot->>'protocol' as protocol, d.prompt, t.status, t.progress,
      (select count(*)::int from outputs o where o.task_id = t.id) as outputs,
      coalesce(h.amount_credits, 0)::int as held, coalesce(h.captured_credits, 0)::int as charged,
      coalesce(h.returned_credits, 0)::int as returned, coalesce(h.status, 'nothing yet') as money,
      extract(epoch from coalesce(t.finished_at, now()) - t.submitted_at)::float as seconds,
      t.finished_at is not null and coalesce(h.status, 'refunded') in ('captured', 'refunded') as settled
    from generation_tasks t
    join generation_task_details d on d.task_id = t.id
    left join credit_holds h on h.task_id = t.id
    where t.id = any(${`{${taskIds.join(',')}}`}::uuid[])
    order by t.id`)) as unknown as ProgressRow[];
  return [...rows];
}

/** Tasks that composites have started, with what those that the balance paid for were charged. */
export async function readChildren(
  db: Db,
  parentIds: readonly string[],
): Promise<{ id: string; chargedToBalance: number }[]> {
  const rows = (await db.execute(sql`
    select t.id, case when h.source = 'balance' then h.captured_credits else 0 end::int as charged
    from generation_tasks t join credit_holds h on h.task_id = t.id
    where t.parent_id = any(${`{${parentIds.join(',')}}`}::uuid[])`)) as unknown as {
    id: string;
    charged: number;
  }[];
  return rows.map(({ id, charged }) => ({ id, chargedToBalance: charged }));
}

type EndRow = {
  /** The worker whose knock the end belonged to; null when it was none's. */
  finisher: string | null;
  /** Upstream had reported the job before the end. */
  reported: boolean;
  /** At least one such report was signed by upstream. */
  verified: boolean;
};

/** Who wrote the last word of each task. */
export async function readEnds(db: Db, taskIds: readonly string[]): Promise<EndRow[]> {
  const rows = (await db.execute(sql`
    select ended.worker_id as finisher,
      exists (
        select 1 from webhook_inbox w join dispatches d on d.id = w.dispatch_id
        where d.task_id = ended.task_id and w.matched_at <= ended.at) as reported,
      exists (
        select 1 from webhook_inbox w join dispatches d on d.id = w.dispatch_id
        where d.task_id = ended.task_id and w.verified) as verified
    from generation_task_events ended
    where ended.task_id = any(${`{${taskIds.join(',')}}`}::uuid[]) and ended.to_status in ('succeeded', 'failed')
    order by ended.task_id`)) as unknown as EndRow[];
  return [...rows];
}

export async function readDispatchIds(db: Db, taskId: string): Promise<string[]> {
  const rows = (await db.execute(sql`select id from dispatches where task_id = ${taskId}`)) as unknown as {
    id: string;
  }[];
  return rows.map((row) => row.id);
}

export type OutputRow = { id: string; kind: string; mime: string; sha256: string; bytes: number };

export async function readOutputs(db: Db, taskIds: readonly string[]): Promise<OutputRow[]> {
  const rows = (await db.execute(sql`
    select id, kind, mime, sha256, bytes::int as bytes from outputs
    where task_id = any(${`{${taskIds.join(',')}}`}::uuid[])`)) as unknown as OutputRow[];
  return [...rows];
}

/** Paid orders whose credits are in the ledger exactly once. */
export async function readPaidOrders(db: Db, orderIds: readonly string[]): Promise<{ id: string }[]> {
  const rows = (await db.execute(sql`
    select o.id from orders o
    where o.id = any(${`{${orderIds.join(',')}}`}::uuid[]) and o.status = 'paid' and o.credits = (
      select sum(l.delta_credits) from credit_ledger l
      where l.order_id = o.id and l.kind = 'purchase' having count(*) = 1)`)) as unknown as { id: string }[];
  return [...rows];
}
