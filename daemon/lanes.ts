import type { MaintenanceClient } from './client.ts';
import type { DaemonEnv } from './env.ts';
import type { Lane } from './lane.ts';
import { CALL_BUDGET_MS } from './protocol.ts';

const CALL_MARGIN_MS = 10_000;
const FULL_KNOCK_MS = 20_000;

/** The table of lanes. A new kind of background work is one more row here. */
export function makeLanes(env: DaemonEnv, client: MaintenanceClient): readonly Lane[] {
  const common = {
    backoffBaseMs: env.backoffBaseMs,
    backoffCapMs: env.backoffCapMs,
    callTimeoutMs: CALL_BUDGET_MS + env.longPollMs + CALL_MARGIN_MS,
    fullKnockMs: FULL_KNOCK_MS,
    stopGraceMs: env.stopGraceMs,
  };
  return [
    {
      ...common,
      name: 'generation',
      count: env.generationLanes,
      longPoll: env.longPollMs > 0,
      busyMs: env.generation.busyMs,
      idleMs: env.generation.idleMs,
      async procedure({ number, mayWait, signal }) {
        const input = { lane: number, limit: env.knockLimit, waitMs: mayWait ? env.longPollMs : 0 };
        const result = await client.maintenance.generationTasks.run.mutate(input, { signal });
        return {
          found: result.claimed > 0,
          nextDueAt: result.nextDueAt,
          waited: result.waitedMs > 0,
          message: result.message,
        };
      },
    },
    {
      ...common,
      name: 'refunds',
      count: 1,
      longPoll: false,
      busyMs: env.refunds.busyMs,
      idleMs: env.refunds.idleMs,
      async procedure({ signal }) {
        const result = await client.maintenance.billingRefunds.run.mutate(
          { limit: env.knockLimit },
          { signal },
        );
        return {
          found: result.claimed > 0,
          nextDueAt: result.nextDueAt,
          waited: false,
          message: result.message,
        };
      },
    },
  ];
}
