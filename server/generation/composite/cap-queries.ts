import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { generationTasks } from '#server/db/schema/index.ts';
import { uuidArray } from '#server/lib/leases.ts';
import type { TaskKind } from '../status.ts';

/** A composite that is at work: it waits for no person. */
const AT_WORK: SQL = sql`(status = 'archiving' or (status = 'waiting' and waiting_for = 'children'))`;

/** Fewer than `cap` of the user's older composites of this kind are at work. */
export async function isRunnable(
  db: DbOrTx,
  input: { taskId: string; userId: string; kind: TaskKind; cap: number },
): Promise<boolean> {
  const rows = await db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(
      and(
        eq(generationTasks.userId, input.userId),
        eq(generationTasks.kind, input.kind),
        lt(generationTasks.id, input.taskId),
        AT_WORK,
      ),
    )
    .limit(input.cap);
  return rows.length < input.cap;
}

/** The user's younger composites of this kind that are at work or wait for their turn, oldest first. */
export async function listAtWorkAfter(
  db: DbOrTx,
  input: { taskId: string; userId: string; kind: TaskKind; limit: number },
): Promise<string[]> {
  const rows = await db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(
      and(
        eq(generationTasks.userId, input.userId),
        eq(generationTasks.kind, input.kind),
        gt(generationTasks.id, input.taskId),
        AT_WORK,
      ),
    )
    .orderBy(generationTasks.id)
    .limit(input.limit);
  return rows.map(({ id }) => id);
}

/** What a waiting composite waits for, as its owner is told. */
export type ChildCounts = {
  children: number;
  ended: number;
  uncertain: number;
  /** When the last of the uncertain ones ends by policy. */
  uncertainUntil: Date | null;
  /** Composites of its kind and user before it that are at work. */
  before: number;
};

export async function countChildren(
  db: DbOrTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ChildCounts>> {
  if (ids.length === 0) return new Map();
  const rows = (await db.execute(sql`
    select t.id, c.children, c.ended, c.uncertain, c.uncertain_until, b.before
    from generation_tasks t
    cross join lateral (
      select count(*)::int as children, count(*) filter (where finished_at is not null)::int as ended,
        count(*) filter (where status = 'uncertain')::int as uncertain,
        max(uncertain_until) filter (where status = 'uncertain') as uncertain_until
      from generation_tasks where parent_id = t.id) c
    cross join lateral (
      select count(*)::int as before from generation_tasks
      where user_id = t.user_id and kind = t.kind and id < t.id and ${AT_WORK}) b
    where t.id = any(${uuidArray(ids)})`)) as unknown as (Omit<ChildCounts, 'uncertainUntil'> & {
    id: string;
    uncertain_until: string | Date | null;
  })[];
  return new Map(
    rows.map(({ id, uncertain_until, ...counts }) => [
      id,
      { ...counts, uncertainUntil: uncertain_until ? new Date(uncertain_until) : null },
    ]),
  );
}
