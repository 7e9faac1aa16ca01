import type { Deps } from '#server/deps.ts';
import { redactText } from '#server/lib/redact.ts';
import { retryDelayMs } from '#server/lib/retry-delay.ts';
import type { advanceTask } from './advance-task.ts';
import type { ClaimedTask } from './claim-queries.ts';
import { endOverripeComposite } from './composite/end-overripe.ts';
import { enterUncertain } from './enter-uncertain.ts';
import type { Lease } from './event-queries.ts';
import { failTask } from './fail-task.ts';
import { type HeldLease, LeaseLostError } from './lease-keeper.ts';
import { dbNow, type PollSave, plusOne, releaseLease } from './lease-queries.ts';
import { UNREACHABLE_GRACE_MS } from './poll-schedule.ts';
import { isComposite } from './status.ts';
import { LOST, type Step, type StepResult, same } from './step.ts';

/** Failures of our own step after which a row is a matter for the operator. */
const ALERT_AFTER = 5;

/**
 * Runs one step and never throws: a row that fails is put off by a growing delay and stops nothing but itself; when
 * its time is up it still ends.
 */
export async function runStep(
  deps: Deps,
  input: {
    claimed: ClaimedTask;
    lease: Lease;
    held: HeldLease;
    savePoll(save: PollSave): Promise<boolean>;
    advance: typeof advanceTask;
  },
): Promise<StepResult> {
  const { held } = input;
  const step: Step = {
    deps,
    claimed: input.claimed,
    lease: input.lease,
    signal: held.abort.signal,
    setCreating: (creating) => {
      held.creating = creating;
    },
    savePoll: input.savePoll,
  };
  try {
    return await input.advance(step);
  } catch (error) {
    return afterError(step, error);
  }
}

async function afterError(step: Step, error: unknown): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  if (step.signal.aborted && step.signal.reason instanceof LeaseLostError) return LOST;
  try {
    // A drain stopped it: whoever is there next may go on at once.
    if (step.signal.aborted) return (await releaseLease(deps.db, { lease, nextDelayMs: 0 })) ? same(0) : LOST;
    const failures = claimed.task.errorCount + 1;
    deps.logger[failures >= ALERT_AFTER ? 'error' : 'warn'](
      { taskId: lease.taskId, status: claimed.task.status, failures, error: redactText(String(error)) },
      failures >= ALERT_AFTER ? 'A task keeps failing on our side' : 'A step failed and is put off',
    );
    const ended = failures >= ALERT_AFTER ? await endOverripe(step) : null;
    if (ended) return ended;
    const nextDelayMs = retryDelayMs({ failures, pace: deps.config, random: deps.random });
    const kept = await releaseLease(deps.db, {
      lease,
      nextDelayMs,
      set: {
        errorCount: plusOne('errorCount') as never,
        lastErrorClass: 'internal',
        lastErrorAt: dbNow as never,
      },
    });
    return kept ? same(nextDelayMs) : LOST;
  } catch (releaseError) {
    // The database is away: the lease runs out and the row is claimed again.
    deps.logger.warn(
      { taskId: lease.taskId, error: redactText(String(releaseError)) },
      'A row could not be released',
    );
    return LOST;
  }
}

/** A row whose step only throws must end all the same, once its window has passed. */
async function endOverripe(step: Step): Promise<StepResult | null> {
  const { task } = step.claimed;
  if (isComposite(task.kind)) return endOverripeComposite(step);
  const now = step.deps.clock.now().getTime();
  if (
    task.status === 'running' &&
    task.deadlineAt &&
    now > task.deadlineAt.getTime() + UNREACHABLE_GRACE_MS
  ) {
    return enterUncertain(step, 'running', { reason: 'overdue', data: { error: 'internal' } });
  }
  if (task.status === 'archiving' && task.archiveUntil && now > task.archiveUntil.getTime()) {
    return failTask(step, 'archiving', { code: 'storage' });
  }
  return null;
}
