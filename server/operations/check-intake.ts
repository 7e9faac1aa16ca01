import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { listPausesOf } from './queries.ts';
import type { PauseScope } from './schemas.ts';

/**
 * Refuses a new task while everything, or its kind, is paused. Tasks that were accepted before and their children go on.
 *
 * @throws AppError `unavailable` with the administrator's reason
 */
export async function checkIntake(
  deps: Pick<Deps, 'db'>,
  { kind }: { kind: Exclude<PauseScope, 'all'> },
): Promise<void> {
  const pauses = await listPausesOf(deps.db, kind);
  const pause = pauses.find(({ scope }) => scope === 'all') ?? pauses[0];
  if (!pause) return;
  const what = pause.scope === 'all' ? 'New tasks are' : `New ${kind} tasks are`;
  throw new AppError(
    'unavailable',
    `${what} paused: ${withStop(pause.reason)} Tasks that were accepted go on. Try again later.`,
  );
}

const withStop = (text: string) => (/[.!?。！？]$/.test(text) ? text : `${text}.`);
