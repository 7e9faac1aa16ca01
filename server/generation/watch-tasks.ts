import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { Executor } from './executor.ts';
import { readVersions } from './queries.ts';
import { readTaskViews } from './read-tasks.ts';
import type { WatchMessage } from './schemas.ts';

const LOOK_EVERY_MS = 1_000;
/** After a hint in this process the look is sooner, but never a busy loop. */
const LOOK_AFTER_HINT_MS = 100;
/** Looks after which it is asked whether the watcher may still see them. */
const LOOKS_PER_CHECK = 5;

/**
 * States, not deltas: a snapshot of the watched tasks on each connect, then every task whose version has grown, until
 * the client goes away. While it is open it pushes this user's due tasks, so that work goes on without a daemon.
 *
 * @throws AppError `not_found` when none of the tasks is this user's, `unauthorized` within seconds of the end of the
 * session, the token or the account
 */
export async function* watchTasks(
  deps: Deps,
  executor: Executor,
  input: {
    userId: string;
    taskIds: readonly string[];
    signal: AbortSignal | undefined;
    isStillOpen?(): Promise<boolean>;
  },
): AsyncGenerator<WatchMessage> {
  const seen = new Map<string, number>();
  const first = await readTaskViews(deps, input);
  if (first.length === 0) throw new AppError('not_found', 'There is no such task.');
  for (const task of first) seen.set(task.id, task.version);
  yield { type: 'snapshot', tasks: first };
  const ids = first.map((task) => task.id);

  for (let looks = 1; !input.signal?.aborted; looks += 1) {
    if (looks % LOOKS_PER_CHECK === 0) await refuseEnded(input);
    executor.pushUser(input.userId);
    await hintOrPause(deps, input.signal);
    if (input.signal?.aborted) return;
    const changed = (await readVersions(deps.db, input.userId, ids)).filter(
      (row) => row.version > (seen.get(row.id) ?? 0),
    );
    if (changed.length === 0) continue;
    const tasks = await readTaskViews(deps, { userId: input.userId, taskIds: changed.map((row) => row.id) });
    for (const task of tasks) seen.set(task.id, task.version);
    yield { type: 'update', tasks };
  }
}

async function refuseEnded({ isStillOpen }: { isStillOpen?(): Promise<boolean> }): Promise<void> {
  if (isStillOpen === undefined || (await isStillOpen())) return;
  throw new AppError('unauthorized', 'Your session has ended. Sign in again.');
}

async function hintOrPause(deps: Deps, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unsubscribe();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    let timer = setTimeout(end, LOOK_EVERY_MS);
    let hinted = false;
    const unsubscribe = deps.due.onWake(() => {
      if (hinted) return;
      hinted = true;
      clearTimeout(timer);
      timer = setTimeout(end, LOOK_AFTER_HINT_MS);
    });
    signal?.addEventListener('abort', end, { once: true });
  });
}
