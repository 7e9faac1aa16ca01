import { composeDrama } from '../drama/compose-drama.ts';
import { isTerminal } from '../status.ts';
import { LOST, type Step, type StepResult } from '../step.ts';
import { wakeNextInLine } from './caps.ts';
import { countBegun, isCancelRequested } from './queries.ts';
import { endComposite } from './settle-composite.ts';

const CANCELLED = {
  type: 'end',
  to: 'cancelled',
  reason: 'Cancelled while it was put together. All parts are kept and charged.',
} as const;
/** How long a running composition may take to notice a cancel. */
const LOOK_EVERY_MS = 1_000;
/** Compositions of one film that ended together with their process, after which it is the film's fault. */
const MOST_BEGUN = 6;
const ENDED_THE_PROCESS =
  'Putting it together ended this server’s process again and again; it may need more memory than there is. All parts are kept.';

export type Compose = (step: Step) => Promise<StepResult>;

/**
 * One try at what a composite puts together on our own machine. A cancel stops it at any moment; when our own faults have
 * used up its time, or it has ended its process again and again, it ends failed, with all parts kept.
 */
export async function advanceComposition(step: Step, compose: Compose = composeDrama): Promise<StepResult> {
  const result = await decide(step, compose);
  if (result.to !== 'lost' && result.to !== 'same' && isTerminal(result.to)) await wakeNextInLine(step);
  return result;
}

async function decide(step: Step, compose: Compose): Promise<StepResult> {
  const { task } = step.claimed;
  if (task.cancelRequestedAt) return endComposite(step, 'archiving', CANCELLED);
  const isTimeUp = task.archiveUntil !== null && task.archiveUntil <= step.deps.clock.now();
  // A time that passed while nobody tried is no reason: it is tried first.
  if (isTimeUp && task.lastErrorClass !== null) {
    return endComposite(step, 'archiving', { type: 'end', to: 'failed', code: 'composition_failed' });
  }
  if (task.pollCount >= MOST_BEGUN) {
    const end = { type: 'end', to: 'failed', code: 'composition_failed', detail: ENDED_THE_PROCESS } as const;
    return endComposite(step, 'archiving', end);
  }
  if (!(await countBegun(step.deps.db, step.lease, 1))) return LOST;
  const cancel = watchCancel(step);
  try {
    return await compose({ ...step, signal: AbortSignal.any([step.signal, cancel.signal]) });
  } catch (error) {
    // A stop, or a fault that this process has lived to tell.
    await countBegun(step.deps.db, step.lease, -1).catch(() => undefined);
    if (!cancel.signal.aborted || step.signal.aborted) throw error;
    return endComposite(step, 'archiving', CANCELLED);
  } finally {
    cancel.end();
  }
}

/** Aborts when the user asks to cancel. A look that fails is made up for by the next one. */
function watchCancel({ deps, lease }: Step): { signal: AbortSignal; end(): void } {
  const abort = new AbortController();
  const timer = setInterval(() => {
    isCancelRequested(deps.db, lease.taskId).then(
      (isRequested) => {
        if (isRequested) abort.abort(new Error('The user has cancelled it'));
      },
      () => undefined,
    );
  }, LOOK_EVERY_MS);
  return { signal: abort.signal, end: () => clearInterval(timer) };
}
