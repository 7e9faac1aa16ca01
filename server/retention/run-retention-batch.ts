import { isSchemaMissing } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { TRASH_DAYS } from '#server/library/shared.ts';
import { CLOSED_ACCOUNT_RULES } from './closed-account-rules.ts';
import {
  outputsPastRetention,
  outputsPastTrash,
  takeCopiesOfRemoved,
  takeUnusedUploads,
  uploadsInRemoval,
} from './file-queries.ts';
import { deleteOldDeliveries, deleteOldNotifications } from './notice-queries.ts';
import { removeIncoming, removeOutputs, removeUploads } from './remove-files.ts';
import {
  deleteEndedShares,
  deleteExpiredRateLimits,
  deleteExpiredSessions,
  deleteGoneWorkers,
  deleteOldEvents,
  deleteOldRequestKeys,
} from './row-queries.ts';
import type { RetentionCounts } from './schemas.ts';

/** How much a rule did in a turn. Faults were logged; what they were about comes again in a later turn. */
export type RuleResult = { done: number; faults: number };

export type RetentionRule = {
  name: string;
  /** Rows, tasks or files that it handles in a turn at most, whatever limit the knock has. */
  perTurn: number;
  run(deps: Deps, limit: number): Promise<number | RuleResult>;
};

const NOTIFICATION_DAYS = 90;
const DELIVERY_DAYS = 30;

/** What is kept for how long. A new kind of retention is one more row here. */
const RULES: readonly RetentionRule[] = [
  { name: 'sessions', perTurn: 500, run: ({ db }, limit) => deleteExpiredSessions(db, limit) },
  { name: 'rateLimits', perTurn: 500, run: ({ db }, limit) => deleteExpiredRateLimits(db, limit) },
  {
    name: 'workers',
    perTurn: 500,
    run: ({ db, config }, limit) => deleteGoneWorkers(db, { days: config.retention.workerDays, limit }),
  },
  {
    name: 'requestKeys',
    perTurn: 500,
    run: ({ db, config }, limit) =>
      deleteOldRequestKeys(db, { days: config.retention.requestKeyDays, limit }),
  },
  {
    name: 'events',
    perTurn: 200,
    run: ({ db, config }, limit) => deleteOldEvents(db, { days: config.retention.eventDays, limit }),
  },
  {
    name: 'outputs',
    perTurn: 100,
    run: async (deps, limit) => removeOutputs(deps, await outputsPastRetention(deps.db, limit)),
  },
  {
    name: 'trash',
    perTurn: 100,
    run: async (deps, limit) =>
      removeOutputs(deps, await outputsPastTrash(deps.db, { days: TRASH_DAYS, limit })),
  },
  {
    name: 'shareLinks',
    perTurn: 500,
    run: ({ db }, limit) => deleteEndedShares(db, { days: TRASH_DAYS, limit }),
  },
  {
    name: 'notifications',
    perTurn: 500,
    run: ({ db }, limit) => deleteOldNotifications(db, { days: NOTIFICATION_DAYS, limit }),
  },
  {
    name: 'deliveries',
    perTurn: 500,
    run: ({ db }, limit) => deleteOldDeliveries(db, { days: DELIVERY_DAYS, limit }),
  },
  ...CLOSED_ACCOUNT_RULES,
  {
    name: 'uploads',
    perTurn: 100,
    async run(deps, limit) {
      await takeUnusedUploads(deps.db, { hours: deps.config.retention.uploadHours, limit });
      await takeCopiesOfRemoved(deps.db, limit);
      return removeUploads(deps, await uploadsInRemoval(deps.db, limit));
    },
  },
  { name: 'incoming', perTurn: 100, run: removeIncoming },
];

/** Files are removed one by one, in a store that may be slow: rules that have not begun by then wait for the next turn. */
const BUDGET_MS = 15_000;
const NOTHING_LEFT_MS = 3_600_000;

export type RetentionBatchResult = {
  /** How many each rule handled; only rules that did something. */
  counts: RetentionCounts;
  /** Rules that failed, or that had faults. */
  failed: number;
  /** A rule may have more to do at once. */
  hasMore: boolean;
  /** Now when there is more, else in an hour. */
  nextDueAt: Date;
};

/**
 * One turn of every rule, in small batches. Only what is over is touched: no rule sees a task that runs, is uncertain,
 * waits, is watched for a late result or has an open refund. A rule that fails never stops the others, and repeated
 * turns, also at the same time, only find less.
 */
export async function runRetentionBatch(
  deps: Deps,
  input: { limit: number; workerId: string | null },
): Promise<RetentionBatchResult> {
  const startedAt = performance.now();
  const counts: RetentionCounts = {};
  let failed = 0;
  let hasMore = false;
  for (const rule of RULES) {
    if (performance.now() - startedAt > BUDGET_MS) {
      hasMore = true;
      break;
    }
    const limit = Math.min(input.limit, rule.perTurn);
    const { done, faults } = await runRule(deps, rule, limit);
    if (done > 0) counts[rule.name] = done;
    if (faults > 0) failed += 1;
    // With faults there is more too, but not at once.
    if (done >= limit) hasMore = true;
  }
  if (Object.keys(counts).length > 0)
    deps.logger.info({ counts, workerId: input.workerId }, 'Retention removed what was old');
  const delayMs = hasMore ? 0 : NOTHING_LEFT_MS;
  return { counts, failed, hasMore, nextDueAt: new Date(deps.clock.now().getTime() + delayMs) };
}

async function runRule(deps: Deps, rule: RetentionRule, limit: number): Promise<RuleResult> {
  try {
    const result = await rule.run(deps, limit);
    return typeof result === 'number' ? { done: result, faults: 0 } : result;
  } catch (error) {
    if (isSchemaMissing(error)) throw error;
    deps.logger.error({ rule: rule.name, error: describeError(error) }, 'A retention rule failed');
    return { done: 0, faults: 1 };
  }
}
