import type { Deps } from '#server/deps.ts';
import { wakeTask } from '../lease-queries.ts';
import { matchPending } from './inbox-queries.ts';

/**
 * Looks for deliveries that came before the id of their job was saved, and makes the task due if there are any. Called
 * after the id was committed: a delivery that comes later finds the dispatch itself. Never throws: the poll comes anyway.
 */
export async function replayPending(
  deps: Pick<Deps, 'db' | 'due' | 'logger'>,
  dispatch: { id: string; taskId: string; channelId: string; upstreamId: string | null },
): Promise<void> {
  if (dispatch.upstreamId === null) return;
  try {
    const matched = await matchPending(deps.db, {
      channelId: dispatch.channelId,
      upstreamId: dispatch.upstreamId,
      dispatchId: dispatch.id,
    });
    if (matched === 0) return;
    await wakeTask(deps.db, dispatch.taskId);
    deps.due.wake();
  } catch (error) {
    deps.logger.warn(
      { taskId: dispatch.taskId, error: String(error) },
      'Kept webhooks were not looked through',
    );
  }
}
