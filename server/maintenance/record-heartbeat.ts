import type { Deps } from '#server/deps.ts';
import { deleteWorkersUnseenFor, upsertWorker } from './queries.ts';
import type { LaneReport } from './schemas.ts';

const FORGET_AFTER_DAYS = 7;

export type Heartbeat = {
  workerId: string;
  protocol: number;
  version: string;
  startedAt: Date;
  lanes: readonly LaneReport[];
};

/**
 * Records that a daemon is there and what its lanes do. Presence only: no lease and no rule depends on it. Sent again
 * it only moves the time of the last one.
 */
export async function recordHeartbeat(
  deps: Pick<Deps, 'db' | 'clock' | 'logger'>,
  heartbeat: Heartbeat,
): Promise<{ accepted: boolean; serverTime: Date }> {
  const isNew = await upsertWorker(deps.db, heartbeat);
  if (isNew) {
    deps.logger.info({ workerId: heartbeat.workerId, version: heartbeat.version }, 'A daemon has come');
    await deleteWorkersUnseenFor(deps.db, FORGET_AFTER_DAYS);
  }
  return { accepted: true, serverTime: deps.clock.now() };
}
