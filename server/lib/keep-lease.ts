import type { Deps } from '#server/deps.ts';
import { describeError } from './describe-error.ts';
import { renewRows } from './leases.ts';

/**
 * Runs `work` and renews the leases of the rows it works on every third of the lease, on the connection outside the
 * pool, until it ends. For lanes whose rows wait for each other or for the outside: a row whose end clears its lease
 * (`lease_until = null`) is left alone from then on, and a row that somebody else has claimed is not touched. Writes at
 * the end must be fenced by the token all the same.
 */
export async function keepLeases<T>(
  deps: Pick<Deps, 'renewalDb' | 'logger' | 'config'>,
  input: {
    table: Parameters<typeof renewRows>[1]['table'];
    rows: readonly { id: string; leaseToken: number }[];
  },
  work: () => Promise<T>,
): Promise<T> {
  if (input.rows.length === 0) return work();
  const { leaseSeconds } = deps.config;
  let renewing = false;
  const renew = async () => {
    if (renewing) return;
    renewing = true;
    try {
      await renewRows(deps.renewalDb, { ...input, leaseSeconds });
    } catch (error) {
      deps.logger.warn(
        { rows: input.rows.length, error: describeError(error) },
        'Leases could not be renewed',
      );
    } finally {
      renewing = false;
    }
  };
  const timer = setInterval(() => void renew(), (leaseSeconds * 1000) / 3);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
