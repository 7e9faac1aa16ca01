import type { Db } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { auditLedger } from './audit.ts';
import { CHECK_NAMES, type Mismatch } from './audit-queries.ts';

/** The whole ledger is read for it. */
const AUDIT_EVERY_MS = 5 * 60_000;

/** Mismatches by check, 0 included, as the last complete audit found them. */
export type AuditCounts = { counts: Map<string, number>; ageSeconds: number };

export type AuditWatch = {
  /** Starts an audit if one is due, and tells the last result; undefined before the first. */
  look(): AuditCounts | undefined;
};

const watches = new WeakMap<Db, AuditWatch>();

/** The one watch over the books of a database in this process, shared by the metrics and the back office. */
export function bookWatchOf(deps: Pick<Deps, 'db' | 'logger'>): AuditWatch {
  const { db, logger } = deps;
  const watch =
    watches.get(db) ??
    createAuditWatch({
      audit: () => auditLedger(db),
      everyMs: AUDIT_EVERY_MS,
      onError: (error) => logger.warn({ error: describeError(error) }, 'The books could not be audited'),
      nowMs: () => performance.now(),
    });
  watches.set(db, watch);
  return watch;
}

/**
 * Audits the books in the background, at most once per `everyMs` and one at a time, so that whoever looks pays nothing. An
 * audit that fails leaves the last result, whose age grows.
 */
export function createAuditWatch(options: {
  audit: () => Promise<readonly Pick<Mismatch, 'check'>[]>;
  everyMs: number;
  onError: (error: unknown) => void;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}): AuditWatch {
  const { audit, everyMs, onError, nowMs } = options;
  let startedAt = Number.NEGATIVE_INFINITY;
  let running = false;
  let last: { counts: Map<string, number>; atMs: number } | undefined;

  async function run(): Promise<void> {
    running = true;
    startedAt = nowMs();
    try {
      const found = await audit();
      const counts = new Map(CHECK_NAMES.map((name) => [name, 0]));
      for (const { check } of found) counts.set(check, (counts.get(check) ?? 0) + 1);
      last = { counts, atMs: startedAt };
    } catch (error) {
      onError(error);
    } finally {
      running = false;
    }
  }

  return {
    look() {
      if (!running && nowMs() - startedAt >= everyMs) void run();
      return last && { counts: last.counts, ageSeconds: (nowMs() - last.atMs) / 1_000 };
    },
  };
}
