import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { TaskRow } from '../claim-queries.ts';
import { appendEvent } from '../event-queries.ts';
import { wakeTask } from '../lease-queries.ts';
import { lockTask } from '../queries.ts';
import { isComposite, isTerminal } from '../status.ts';
import { readComposite, restartWait, setPaused, setStopped } from './queries.ts';
import { CHILDREN_WAIT_MS } from './submit-composite.ts';

type Control = { userId: string; taskId: string };

/**
 * Starts no further child until it is resumed; what is under way runs to its end. Pausing twice changes nothing. A pause
 * that nobody ends is a stop after a week.
 *
 * @throws AppError `not_found`, `conflict` when it has ended, is ending, or has nothing left to start
 */
export function pauseComposite(deps: Deps, input: Control): Promise<void> {
  return control(deps, input, async (tx, task) => {
    await refuseEnding(tx, task, 'paused');
    if (task.status === 'archiving') {
      throw new AppError('conflict', 'The film is being put together; there is nothing left to pause.');
    }
    return (await setPaused(tx, task.id, true)) && 'paused';
  });
}

/** Goes on where it was paused. @throws AppError `not_found`, `conflict` when it has ended or is ending */
export function resumeComposite(deps: Deps, input: Control): Promise<void> {
  return control(deps, input, async (tx, task) => {
    await refuseEnding(tx, task, 'resumed');
    if (!(await setPaused(tx, task.id, false))) return false;
    await restartWait(tx, task.id, CHILDREN_WAIT_MS);
    return 'resumed';
  });
}

/**
 * Ends it with what is there: no further child is started, those under way are asked to end, and what was delivered is
 * kept and charged. Stopping twice changes nothing, and neither does stopping what is being put together already.
 *
 * @throws AppError `not_found`, `conflict` when it has ended or is being cancelled
 */
export function stopComposite(deps: Deps, input: Control): Promise<void> {
  return control(deps, input, async (tx, task) => {
    if (task.cancelRequestedAt) throw new AppError('conflict', 'This is being cancelled.');
    if (task.status === 'archiving') return false;
    if (!(await setStopped(tx, task.id))) return false;
    // What it ends with takes time, however little was left of the time to answer.
    await restartWait(tx, task.id, CHILDREN_WAIT_MS);
    return 'stop_requested';
  });
}

/** A person's word on a composite that goes on: written under its lock, told in its events, looked at at once. */
async function control(
  deps: Deps,
  { userId, taskId }: Control,
  write: (tx: Tx, task: TaskRow) => Promise<string | false>,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const locked = await lockTask(tx, userId, taskId);
    if (!locked || !isComposite(locked.task.kind)) throw new AppError('not_found', 'There is no such task.');
    if (isTerminal(locked.task.status)) {
      throw new AppError('conflict', 'This has ended already. Reload the page.');
    }
    const happened = await write(tx, locked.task);
    if (!happened) return;
    await appendEvent(tx, taskId, { type: happened, actor: `user:${userId}` });
    await wakeTask(tx, taskId);
  });
  deps.due.wake();
}

async function refuseEnding(tx: Tx, task: TaskRow, verb: 'paused' | 'resumed'): Promise<void> {
  const composite = await readComposite(tx, task.id);
  if (task.cancelRequestedAt || composite?.stopRequestedAt) {
    throw new AppError('conflict', `This is ending and cannot be ${verb} any more.`);
  }
}
