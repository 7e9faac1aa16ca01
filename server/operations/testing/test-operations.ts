import type { Deps } from '#server/deps.ts';
import { createOperations, type Operations } from '../live-operations.ts';

/** Operations of a process without an environment of its own; not started, so nothing changes by itself. */
export function testOperations(parts: Pick<Deps, 'db' | 'logger' | 'config'>): Operations {
  return createOperations({
    ...parts,
    probe: {
      environment: [],
      warnings: [],
      protocol: { current: 1, oldest: 1 },
      storageDriver: 'fs',
      knownMigrations: 0,
      pendingMigrations: async () => [],
      findTool: async (name) => ['/usr/bin/setpriv', `/usr/bin/${name}`],
    },
  });
}
