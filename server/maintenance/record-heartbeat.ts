import type { Deps } from '#server/deps.ts';
import { upsertWorker } from './queries.ts';
import type { LaneReport } from './schemas.ts';

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
  if (isNew)
    deps.logger.info({ workerId: heartbeat.workerId, version: heartbeat.version }, 'A daemon has come');
  return { accepted: true, serverTime: deps.clock.now() };
}
