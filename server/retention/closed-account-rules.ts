import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import {
  closedAccounts,
  deleteAccess,
  deletePromptItems,
  eraseTask,
  markErased,
  tasksToErase,
} from './closing-queries.ts';
import { endClosedOrders } from './end-closed-orders.ts';
import { endClosedTasks } from './end-closed-tasks.ts';
import { outputsOfTask, takeUploadsOfClosed } from './file-queries.ts';
import { deleteNoticesOf } from './notice-queries.ts';
import { removeOutputs } from './remove-files.ts';
import type { RetentionRule, RuleResult } from './run-retention-batch.ts';

/** Accounts looked at in a turn. */
const ACCOUNTS = 50;

type ForAccounts = (
  deps: Deps,
  input: { userIds: readonly string[]; limit: number },
) => Promise<number | RuleResult>;

/** The accounts are asked for by each rule: a turn before it may have finished some. */
const forClosed = (name: string, perTurn: number, run: ForAccounts): RetentionRule => ({
  name,
  perTurn,
  async run(deps, limit) {
    const userIds = await closedAccounts(deps.db, ACCOUNTS);
    return userIds.length === 0 ? 0 : run(deps, { userIds, limit });
  },
});

/**
 * What closing an account leaves to do, again and again until nothing is left: what a request that was under way at
 * that moment has added, what a process that ended has not got to, and what had to run to its end first.
 */
export const CLOSED_ACCOUNT_RULES: readonly RetentionRule[] = [
  forClosed('closedAccess', 500, ({ db }, { userIds }) => deleteAccess(db, userIds)),
  forClosed('closedOrders', 100, endClosedOrders),
  forClosed('closedTasks', 100, endClosedTasks),
  forClosed('closedContent', 50, eraseTasks),
  forClosed('closedPrompts', 500, ({ db }, input) => deletePromptItems(db, input)),
  // The files themselves go by the rule for uploads, which follows.
  forClosed('closedUploads', 500, async ({ db }, input) => {
    await takeUploadsOfClosed(db, input);
    return 0;
  }),
  forClosed('closedNotices', 500, ({ db }, input) => deleteNoticesOf(db, input)),
  forClosed('closedAccounts', ACCOUNTS, ({ db }, { userIds }) => markErased(db, userIds)),
];

/** Files first, then the words: the row that still has a prompt is found again. */
async function eraseTasks(
  deps: Deps,
  input: { userIds: readonly string[]; limit: number },
): Promise<RuleResult> {
  let done = 0;
  let faults = 0;
  for (const taskId of await tasksToErase(deps.db, input)) {
    try {
      const removed = await removeOutputs(deps, await outputsOfTask(deps.db, taskId));
      faults += removed.faults;
      // A fault, or a preview that was made meanwhile: the words wait for the files.
      if ((await outputsOfTask(deps.db, taskId)).length > 0) continue;
      await crashPoint('erase.after-files');
      await deps.db.transaction((tx) => eraseTask(tx, taskId));
      done += 1;
    } catch (error) {
      faults += 1;
      deps.logger.warn(
        { taskId, error: describeError(error) },
        'A task of a closed account is not erased yet',
      );
    }
  }
  return { done, faults };
}
