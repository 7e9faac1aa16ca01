import { desc, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { maintenanceWorkers } from '#server/db/schema/index.ts';

export type WorkerRow = typeof maintenanceWorkers.$inferSelect & { ageSeconds: number };

/** Seconds by the database's clock, so that every replica agrees on who is fresh. */
const ageSeconds = sql<number>`extract(epoch from now() - ${maintenanceWorkers.lastSeenAt})::float8`.mapWith(
  Number,
);

/** Writes a heartbeat; true when this daemon was not known before. */
export async function upsertWorker(
  db: Db,
  worker: { workerId: string; version: string; protocol: number; startedAt: Date; lanes: unknown },
): Promise<boolean> {
  const [row] = await db
    .insert(maintenanceWorkers)
    .values({ ...worker, heartbeats: 1 })
    .onConflictDoUpdate({
      target: maintenanceWorkers.workerId,
      set: {
        version: worker.version,
        protocol: worker.protocol,
        startedAt: worker.startedAt,
        lanes: worker.lanes,
        lastSeenAt: sql`now()`,
        heartbeats: sql`${maintenanceWorkers.heartbeats} + 1`,
      },
    })
    .returning({ heartbeats: maintenanceWorkers.heartbeats });
  return row?.heartbeats === 1;
}

/** The daemons seen last, newest first. */
export async function listWorkerRows(db: Db, limit: number): Promise<WorkerRow[]> {
  return db
    .select({
      workerId: maintenanceWorkers.workerId,
      version: maintenanceWorkers.version,
      protocol: maintenanceWorkers.protocol,
      startedAt: maintenanceWorkers.startedAt,
      lastSeenAt: maintenanceWorkers.lastSeenAt,
      heartbeats: maintenanceWorkers.heartbeats,
      lanes: maintenanceWorkers.lanes,
      ageSeconds,
    })
    .from(maintenanceWorkers)
    .orderBy(desc(maintenanceWorkers.lastSeenAt))
    .limit(limit);
}

/** How many daemons were seen in the last seconds, and when the newest was. */
export async function readPresenceRow(
  db: Db,
  freshSeconds: number,
): Promise<{ freshWorkers: number; lastSeenAt: Date | null; ageSeconds: number | null }> {
  const [row] = await db
    .select({
      freshWorkers: sql<number>`count(*) filter (where ${ageSeconds} <= ${freshSeconds})`.mapWith(Number),
      lastSeenAt: sql<Date | null>`max(${maintenanceWorkers.lastSeenAt})`.mapWith(
        maintenanceWorkers.lastSeenAt,
      ),
      ageSeconds: sql<number | null>`min(${ageSeconds})`.mapWith(Number),
    })
    .from(maintenanceWorkers);
  return row ?? { freshWorkers: 0, lastSeenAt: null, ageSeconds: null };
}
