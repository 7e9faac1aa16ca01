import { z } from 'zod';
import type { Deps } from '#server/deps.ts';
import { listWorkerRows, readPresenceRow } from './queries.ts';
import {
  type DaemonPresence,
  FRESH_SECONDS,
  LATE_SECONDS,
  laneReport,
  OLDEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION,
  type WorkerFreshness,
  type WorkerView,
} from './schemas.ts';

const LISTED_WORKERS = 100;

/** Lanes come back from jsonb with their moments as text; a row of another release may hold something else. */
const storedMoment = z.coerce.date().nullable();
const storedLanes = z
  .array(
    laneReport.extend({
      lastKnockAt: storedMoment,
      nextKnockAt: storedMoment.default(null),
      lastFound: laneReport.shape.lastFound
        .unwrap()
        .unwrap()
        .extend({ at: z.coerce.date() })
        .nullable()
        .default(null),
    }),
  )
  .catch([]);

/** Daemons for the administrator's page, last seen first, with freshness by the database's clock. */
export async function listWorkers(deps: Pick<Deps, 'db'>): Promise<WorkerView[]> {
  const rows = await listWorkerRows(deps.db, LISTED_WORKERS);
  return rows.map((row) => ({
    workerId: row.workerId,
    version: row.version,
    protocol: row.protocol,
    compatible: row.protocol >= OLDEST_PROTOCOL_VERSION && row.protocol <= PROTOCOL_VERSION,
    startedAt: row.startedAt,
    lastSeenAt: row.lastSeenAt,
    ageSeconds: Math.max(0, Math.round(row.ageSeconds)),
    freshness: freshnessOf(row.ageSeconds),
    heartbeats: row.heartbeats,
    lanes: storedLanes.parse(row.lanes),
  }));
}

/** Whether some daemon is at work. */
export async function readDaemonPresence(deps: Pick<Deps, 'db'>): Promise<DaemonPresence> {
  return readPresenceRow(deps.db, FRESH_SECONDS);
}

function freshnessOf(ageSeconds: number): WorkerFreshness {
  if (ageSeconds <= FRESH_SECONDS) return 'fresh';
  return ageSeconds <= LATE_SECONDS ? 'late' : 'gone';
}
