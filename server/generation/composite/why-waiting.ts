import type { Config } from '#server/deps.ts';
import type { TaskRow } from '../claim-queries.ts';
import { isComposite } from '../status.ts';
import { because, type WaitingReason } from '../waiting-sentences.ts';
import type { ChildCounts } from './cap-queries.ts';
import { capOf } from './caps.ts';

/** Why a live composite is not further; null for a finished one. */
export function whyCompositeWaits(
  task: TaskRow,
  counts: ChildCounts | undefined,
  config: Pick<Config, 'composites'>,
): WaitingReason | null {
  if (task.status === 'archiving') {
    if (task.cancelRequestedAt) return because('cancelling');
    return because(task.lastErrorClass === null ? 'composing' : 'composing_again');
  }
  if (task.status !== 'waiting') return null;
  if (task.cancelRequestedAt) return withUncertain(because('cancelling_parts'), counts);
  if (task.lastErrorClass === 'internal') return because('fault_here_goes_on');
  const until = task.waitingUntil?.toISOString() ?? '';
  if (task.waitingFor === 'user') return withUncertain(because('waits_for_you', { until }), counts);
  if (task.waitingFor === 'resume') return withUncertain(because('paused', { until }), counts);
  return withUncertain(whyAtWork(task, counts, config), counts);
}

function whyAtWork(
  { kind }: TaskRow,
  counts: ChildCounts | undefined,
  config: Pick<Config, 'composites'>,
): WaitingReason {
  if (!counts || !isComposite(kind)) return because('steps_at_work');
  const cap = capOf(config, kind);
  const live = counts.children - counts.ended;
  if (live === 0 && counts.before >= cap) {
    return because(kind === 'drama' ? 'dramas_at_cap' : 'agents_at_cap', { count: cap });
  }
  if (counts.children === 0) return because('about_to_begin');
  return because('steps_done', { ended: counts.ended, steps: counts.children });
}

/** A composite ends when all that it has started has: also what nobody knows the outcome of. */
function withUncertain(reason: WaitingReason, counts: ChildCounts | undefined): WaitingReason {
  if (!counts || counts.uncertain === 0) return reason;
  const until = counts.uncertainUntil?.toISOString() ?? '';
  return { ...reason, and: because('steps_uncertain', { count: counts.uncertain, until }) };
}
