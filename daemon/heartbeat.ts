import type { MaintenanceClient } from './client.ts';
import type { DaemonEnv } from './env.ts';
import type { Lane, LaneStatus } from './lane.ts';
import { DAEMON_VERSION } from './protocol.ts';

const CALL_TIMEOUT_MS = 10_000;

export type Heartbeat = {
  /** A loop like the others: it never finds work and sleeps the heartbeat's interval. */
  lane: Lane;
  /** One last report, so that the administrator sees a stop and not a loss. Gives up after `timeoutMs`; never throws. */
  sayGoodbye(timeoutMs: number): Promise<void>;
};

/** Presence: who is there and what its lanes do. No lease depends on it. */
export function makeHeartbeat(
  env: DaemonEnv,
  client: MaintenanceClient,
  lanes: readonly LaneStatus[],
): Heartbeat {
  const startedAt = new Date();
  const beat = (signal: AbortSignal) =>
    client.maintenance.heartbeat.mutate(
      { version: DAEMON_VERSION, startedAt, lanes: lanes.map(({ turnsUntil: _, ...report }) => report) },
      { signal },
    );
  return {
    lane: {
      name: 'heartbeat',
      count: 1,
      longPoll: false,
      busyMs: env.heartbeatMs,
      idleMs: env.heartbeatMs,
      backoffBaseMs: env.backoffBaseMs,
      backoffCapMs: env.backoffCapMs,
      callTimeoutMs: CALL_TIMEOUT_MS,
      fullKnockMs: Number.POSITIVE_INFINITY,
      stopGraceMs: 0,
      async procedure({ signal }) {
        const { message } = await beat(signal);
        return { found: false, nextDueAt: null, waited: false, message };
      },
    },
    async sayGoodbye(timeoutMs) {
      await beat(AbortSignal.timeout(timeoutMs)).catch(() => undefined);
    },
  };
}
