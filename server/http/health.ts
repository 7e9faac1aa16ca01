import { Router } from 'express';
import type { DbHandle } from '#server/db/client.ts';
import { pendingMigrations } from '#server/db/migrate.ts';
import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { within } from '#server/lib/within.ts';
import { readDaemonPresence } from '#server/maintenance/list-workers.ts';

/** A probe that hangs is worse than one that fails. */
const PROBE_MS = 2_000;

type Readiness = {
  ready: boolean;
  /** Why not, in one sentence. */
  reason?: string;
  database: 'ok' | 'unreachable' | 'unknown';
  migrations: 'applied' | 'pending' | 'unknown';
  /** Presence of a daemon. Never decides readiness: an open page moves its own tasks. */
  daemon: 'fresh' | 'stale' | 'none' | 'unknown';
  daemonLastSeenAt: Date | null;
};

type HealthOptions = {
  deps: Pick<Deps, 'db' | 'logger'>;
  sql: DbHandle['sql'];
  isDraining: () => boolean;
};

/** `/healthz`: the process turns. `/readyz`: it can serve; 503 with the reason when not. */
export function createHealthRouter(options: HealthOptions): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.set('cache-control', 'no-store').json({ alive: true });
  });
  router.get('/readyz', (_req, res, next) => {
    readReadiness(options)
      .then((readiness) =>
        res
          .status(readiness.ready ? 200 : 503)
          .set('cache-control', 'no-store')
          .json(readiness),
      )
      .catch(next);
  });
  return router;
}

async function readReadiness({ deps, sql, isDraining }: HealthOptions): Promise<Readiness> {
  const unknown: Readiness = {
    ready: false,
    database: 'unknown',
    migrations: 'unknown',
    daemon: 'unknown',
    daemonLastSeenAt: null,
  };
  if (isDraining()) return { ...unknown, reason: 'This process is shutting down.' };
  try {
    const pending = await within(PROBE_MS, pendingMigrations(sql));
    if (pending.length > 0) {
      return {
        ...unknown,
        reason: `${pending.length} migration${pending.length === 1 ? ' is' : 's are'} missing. Run: npm run db:migrate`,
        database: 'ok',
        migrations: 'pending',
      };
    }
    const { freshWorkers, lastSeenAt } = await within(PROBE_MS, readDaemonPresence(deps));
    const daemon = freshWorkers > 0 ? 'fresh' : lastSeenAt ? 'stale' : 'none';
    return { ready: true, database: 'ok', migrations: 'applied', daemon, daemonLastSeenAt: lastSeenAt };
  } catch (error) {
    deps.logger.warn({ error: describeError(error) }, 'Not ready: the database does not answer');
    return { ...unknown, reason: 'The database does not answer.', database: 'unreachable' };
  }
}
