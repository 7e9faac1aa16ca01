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
  const single = { count: 1, longPoll: false };
  const input = { limit: env.knockLimit };
  return [
    {
      ...common,
      ...env.generation,
      name: 'generation',
      count: env.generationLanes,
      longPoll: env.longPollMs > 0,
      async procedure({ number, mayWait, signal }) {
        const waitMs = mayWait ? env.longPollMs : 0;
        const result = await client.maintenance.generationTasks.run.mutate(
          { ...input, lane: number, waitMs },
          { signal },
        );
        return { ...result, found: result.claimed > 0, waited: result.waitedMs > 0 };
      },
    },
    {
      ...common,
      ...single,
      ...env.refunds,
      name: 'refunds',
      async procedure({ signal }) {
        const result = await client.maintenance.billingRefunds.run.mutate(input, { signal });
        return { ...result, found: result.claimed > 0, waited: false };
      },
    },
    {
      ...common,
      ...single,
      ...env.orders,
      name: 'orders',
      async procedure({ signal }) {
        const result = await client.maintenance.orders.expire.mutate(input, { signal });
        return { ...result, found: result.expired > 0 || result.creditsExpired > 0, waited: false };
      },
    },
    {
      ...common,
      ...single,
      ...env.invites,
      name: 'invites',
      async procedure({ signal }) {
        const result = await client.maintenance.invites.settle.mutate(input, { signal });
        return { ...result, found: result.claimed > 0, waited: false };
      },
    },
    {
      ...common,
      ...single,
      ...env.webhooks,
      name: 'webhooks',
      async procedure({ signal }) {
        const result = await client.maintenance.webhooks.deliver.mutate(input, { signal });
        return { ...result, found: result.claimed > 0, waited: false };
      },
    },
    {
      ...common,
      ...single,
      ...env.retention,
      name: 'retention',
      async procedure({ signal }) {
        const result = await client.maintenance.retention.run.mutate(input, { signal });
        return { ...result, found: result.hasMore, waited: false };
      },
    },
  ];
}
