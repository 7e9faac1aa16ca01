import { eq, inArray } from 'drizzle-orm';
import { generationTasks, users } from '#server/db/schema/index.ts';
import { cancelTask } from '#server/generation/cancel-task.ts';
import { wakeTask } from '#server/generation/lease-queries.ts';
import { isTerminal } from '#server/generation/status.ts';
import type { Rig } from '../rig.ts';
import type { Run } from './run.ts';

/** What happens to the tasks of a round besides their steps: people, time, and a look at where they are. */

/** What somebody does beside the workers. */
export async function act(rig: Rig, run: Run, round: number): Promise<void> {
  const { actor } = run.script;
  if (actor === 'hint') await wakeTask(rig.db, run.taskId);
  if (actor === 'disable_user' && round === 1)
    await rig.db.update(users).set({ disabledAt: new Date() }).where(eq(users.id, run.userId));
  const cancels =
    (actor === 'cancel_unsent' && round === 0) ||
    (actor === 'cancel' && round >= 1 && run.status !== 'queued');
  if (!cancels || run.cancelled) return;
  await cancelTask(rig.deps, { userId: run.userId, taskId: run.taskId }).catch(() => undefined);
  run.cancelled = true;
}

/** Time passes: due times, pauses, graces, deadlines, and at last the policy's end. */
export async function age(rig: Rig, live: readonly Run[]): Promise<void> {
  const ids = live.map((run) => run.taskId);
  const { sql: query } = rig.t;
  await query`update provider_channels set paused_until = null, cool_down_until = null, consecutive_failures = 0`;
  // Rows that a worker has locked just now are left for the next round: two bulk updates in different orders deadlock.
  await query`
    update generation_tasks set next_poll_at = now() where id in (
      select id from generation_tasks where id = any(${ids}) and finished_at is null and lease_until is null
      for no key update skip locked)`;
  // No step is under way, so its holder was stopped by a crash point: its lease runs out.
  await query`
    update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now() where id in (
      select id from generation_tasks
      where id = any(${ids}) and finished_at is null and lease_until is not null
      for no key update skip locked)`;
  const late = live.filter(
    (run) => run.script.polls.at(-1) === 'missing' || run.script.polls.at(-1) === 'running',
  );
  await query`
    update generation_tasks set accepted_at = accepted_at - interval '10 minutes'
    where id = any(${late.map((run) => run.taskId)}) and accepted_at is not null`;
  await query`
    update generation_tasks set deadline_at = now() - interval '1 second'
    where id = any(${late.map((run) => run.taskId)}) and status = 'running' and poll_count >= 3`;
  const refused = live.filter((run) => run.script.create === 'refused_port');
  await query`
    update generation_tasks set give_up_at = now() - interval '1 second'
    where id = any(${refused.map((run) => run.taskId)}) and status = 'queued' and create_tries >= 2`;
  const unknown = live.filter((run) => run.status === 'uncertain');
  await query`
    update dispatches set sent_at = sent_at - interval '1 hour', evidence = evidence - 'endedAt' where task_id = any(${unknown.map((run) => run.taskId)})`;
  const hopeless = unknown.filter((run) => run.uncertainRounds >= 4).map((run) => run.taskId);
  await query`update generation_tasks set uncertain_until = now() where id = any(${hopeless}) and status = 'uncertain'`;
  await query`
    update credit_refunds set next_attempt_at = now(), lease_until = null, leased_by = null
    where task_id = any(${ids}) and status = 'pending' and lease_until is not null`;
}

export async function look(rig: Rig, live: readonly Run[], round: number): Promise<void> {
  const rows = await rig.db
    .select({ id: generationTasks.id, status: generationTasks.status })
    .from(generationTasks)
    .where(
      inArray(
        generationTasks.id,
        live.map((run) => run.taskId),
      ),
    );
  for (const run of live) {
    run.status = rows.find((row) => row.id === run.taskId)?.status ?? '';
    if (run.status === 'uncertain') run.uncertainRounds += 1;
    if (isTerminal(run.status as never)) run.endedInRound = round;
  }
}
