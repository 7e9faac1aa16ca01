import { eq } from 'drizzle-orm';
import { generationTasks } from '#server/db/schema/index.ts';
import type { Deps } from '#server/deps.ts';
import { loadClaimed } from '#server/generation/claim-queries.ts';
import type { Step } from '#server/generation/step.ts';

/** The row of a task that was just leased. */
export type LeasedRow = { id: string; leased_by: string; lease_token: string; wake_seq: string };

/** A step of a task under the lease that its row says, as the executor hands it over. */
export async function toStep(deps: Deps, row: LeasedRow): Promise<Step> {
  const [claimed] = await loadClaimed(
    deps.db,
    await deps.db.select().from(generationTasks).where(eq(generationTasks.id, row.id)),
  );
  if (!claimed) throw new Error('The task is gone');
  return {
    deps,
    claimed,
    lease: {
      taskId: row.id,
      token: Number(row.lease_token),
      executorId: row.leased_by,
      workerId: null,
      wakeSeq: Number(row.wake_seq),
    },
    signal: new AbortController().signal,
    setCreating: () => {},
    savePoll: async () => true,
  };
}
