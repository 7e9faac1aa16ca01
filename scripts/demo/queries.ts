import { sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';

export type ProgressRow = {
  id: string;
  kind: string;
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
    select t.id, t.kind, d.prompt, t.status, t.progress,
      (select count(*)::int from outputs o where o.task_id = t.id) as outputs,
      h.amount_credits::int as held, h.captured_credits::int as charged, h.returned_credits::int as returned,
      h.status as money,
      extract(epoch from coalesce(t.finished_at, now()) - t.submitted_at)::float as seconds,
      t.finished_at is not null and h.status in ('captured', 'refunded') as settled
    from generation_tasks t
    join generation_task_details d on d.task_id = t.id
    join credit_holds h on h.task_id = t.id
    where t.id = any(${`{${taskIds.join(',')}}`}::uuid[])
    order by t.id`)) as unknown as ProgressRow[];
  return [...rows];
}

/** Who wrote the last word of each task: the worker whose knock the step belonged to. */
export async function readFinishers(db: Db, taskIds: readonly string[]): Promise<(string | null)[]> {
  const rows = (await db.execute(sql`
    select distinct on (task_id) worker_id from generation_task_events
    where task_id = any(${`{${taskIds.join(',')}}`}::uuid[]) and to_status in ('succeeded', 'failed')
    order by task_id, seq desc`)) as unknown as { worker_id: string | null }[];
  return rows.map((row) => row.worker_id);
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
