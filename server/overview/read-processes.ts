import type { Deps } from '#server/deps.ts';
import type { Executor } from '#server/generation/executor.ts';
import type { SlotClass } from '#server/generation/status.ts';
import { countLeases } from './queries.ts';
import type { ProcessesView } from './schemas.ts';

const EXECUTORS = 50;

/** What this web process is at, and which executors hold leases: a process that holds none is not seen by another. */
export async function readProcesses(
  deps: Pick<Deps, 'db' | 'config'>,
  executor: Pick<Executor, 'id' | 'stats'>,
): Promise<ProcessesView> {
  const { inFlight, draining } = executor.stats();
  const executors = await countLeases(deps.db, EXECUTORS);
  const slots = Object.entries(deps.config.slots) as [SlotClass, number][];
  return {
    self: {
      id: executor.id,
      uptimeSeconds: Math.floor(process.uptime()),
      draining,
      slots: slots.map(([slot, size]) => ({ slot, used: inFlight[slot], size })),
    },
    executors: executors.map((each) => ({ ...each, isSelf: each.executorId === executor.id })),
  };
}
