import { inMs } from './lease-queries.ts';
import { moveLeased } from './move-queries.ts';
import type { LiveStatus, UncertainReason } from './status.ts';
import { LOST, type Step, type StepResult } from './step.ts';

const WHY: Readonly<Record<UncertainReason, string>> = {
  no_answer:
    'It was sent once and got no clear answer: the provider may or may not have started it. Nothing is sent again.',
  overdue: 'The provider is past the time allowed for this model.',
  missing: 'The provider said repeatedly that it does not know this job.',
};

/** How soon an uncertain task is looked at for the first time: look-ups need upstream's list to be current. */
const FIRST_LOOK_MS = 20_000;

/** Says that we cannot know, and stops: the task leaves this status only by evidence, an operator or the policy. */
export async function enterUncertain(
  step: Step,
  from: LiveStatus,
  input: { reason: UncertainReason; data?: Record<string, unknown> },
): Promise<StepResult> {
  const { deps, lease } = step;
  const dueInMs = Math.min(FIRST_LOOK_MS, deps.config.uncertainMs);
  const row = await deps.db.transaction((tx) =>
    moveLeased(tx, {
      lease,
      from,
      to: 'uncertain',
      set: { uncertainReason: input.reason, uncertainUntil: inMs(deps.config.uncertainMs) as never },
      nextDelayMs: dueInMs,
      event: { type: 'uncertain', actor: 'executor', reason: WHY[input.reason], data: input.data },
    }),
  );
  if (!row) return LOST;
  deps.logger.warn({ taskId: lease.taskId, reason: input.reason }, 'Task is uncertain');
  return { to: 'uncertain', dueInMs };
}
