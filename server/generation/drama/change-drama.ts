import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { type CompositeRow, readComposite, restartWait } from '../composite/queries.ts';
import { CHILDREN_WAIT_MS } from '../composite/submit-composite.ts';
import { wakeTask } from '../lease-queries.ts';
import { lockTask } from '../queries.ts';
import { isTerminal } from '../status.ts';
import type { DramaPhase } from './schemas.ts';

/** What a user may do when, in words for one who came too late or too early. */
const ONLY_IN: Readonly<Record<'review' | 'failed_parts', string>> = {
  review: 'The storyboard can be changed and started only while it waits for you. Reload the page.',
  failed_parts: 'There is nothing to decide about failed parts now. Reload the page.',
};

/**
 * A user's decision about their drama: the row is locked, so that neither a second decision nor the executor comes in
 * between; the lease of a step that is under way is not broken, the step looks again.
 *
 * @param goesOn false: it still waits for the user afterwards
 * @throws AppError `not_found`, `conflict` in another phase and after the end
 */
export async function changeDrama<T>(
  deps: Pick<Deps, 'db' | 'due'>,
  input: { userId: string; taskId: string; phase: 'review' | 'failed_parts'; goesOn: boolean },
  change: (tx: Tx, composite: CompositeRow) => Promise<T>,
): Promise<T> {
  const { userId, taskId, phase, goesOn } = input;
  const result = await deps.db.transaction(async (tx) => {
    const locked = await lockTask(tx, userId, taskId);
    if (locked?.task.kind !== 'drama') throw new AppError('not_found', 'There is no such film.');
    const { task } = locked;
    const composite = await readComposite(tx, taskId);
    if (!composite) throw new AppError('not_found', 'There is no such film.');
    if (isTerminal(task.status) || task.cancelRequestedAt || composite.stopRequestedAt) {
      throw new AppError('conflict', 'This film has ended, or is about to. Redo it to go on from its parts.');
    }
    if ((composite.phase as DramaPhase) !== phase) throw new AppError('conflict', ONLY_IN[phase]);
    const changed = await change(tx, composite);
    if (goesOn) {
      await restartWait(tx, taskId, CHILDREN_WAIT_MS);
      await wakeTask(tx, taskId);
    }
    return changed;
  });
  if (goesOn) deps.due.wake();
  return result;
}
