import { z } from 'zod';

/** The maintenance router's contract with the daemon. Changes are additive, else {@link PROTOCOL_VERSION} grows. */
export const PROTOCOL_VERSION = 1;
/** The web serves its own version and the one before. */
export const OLDEST_PROTOCOL_VERSION = 1;
export const WORKER_ID_HEADER = 'x-sidelane-worker-id';
export const PROTOCOL_HEADER = 'x-sidelane-protocol';
/** A whole call, waiting included, stays within this. */
export const CALL_BUDGET_MS = 25_000;

/** Numbers of a knock by name, as the daemon found them in the answer. */
const knockCounts = z.record(z.string().max(40), z.number().int());

export const laneReport = z.object({
  name: z.string().max(60),
  /** Which loop of the lane, from 0. */
  number: z.number().int().min(0).max(64),
  state: z.enum(['starting', 'knocking', 'sleeping', 'backing_off', 'stopped']),
  knocks: z.number().int().min(0),
  failures: z.number().int().min(0),
  lastKnockAt: z.date().nullable(),
  lastError: z.string().max(300).nullable(),
  // Told since these were added; an older daemon leaves them out.
  lastResult: knockCounts.nullable().default(null),
  lastFound: z.object({ at: z.date(), counts: knockCounts }).nullable().default(null),
  nextKnockAt: z.date().nullable().default(null),
});
export type LaneReport = z.infer<typeof laneReport>;

export const heartbeatInput = z.object({
  version: z.string().max(60),
  startedAt: z.date(),
  lanes: z.array(laneReport).max(64),
});
export type HeartbeatInput = z.infer<typeof heartbeatInput>;
export const heartbeatOutput = z.object({
  accepted: z.boolean(),
  serverTime: z.date(),
  message: z.string().optional(),
});

export const runTasksInput = z.object({
  lane: z.number().int().min(0).max(64),
  /** Most rows this knock may have in flight. */
  limit: z.number().int().min(1).max(500).default(100),
  /** Long poll: how long to wait for a row to become due when there is none, in milliseconds. */
  waitMs: z.number().int().min(0).max(20_000).default(0),
});
export const runTasksOutput = z.object({
  claimed: z.number().int(),
  advanced: z.number().int(),
  succeeded: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
  uncertain: z.number().int(),
  lost: z.number().int(),
  /** Steps still going on in the web process when this answer was sent. */
  inFlight: z.number().int(),
  /** Earliest moment at which some row could be claimed; null when none is waiting. */
  nextDueAt: z.date().nullable(),
  /** Rows that are due now (counted up to 1,000). */
  backlog: z.number().int(),
  /** How long this call waited for a row to become due, in milliseconds; 0 when it did not wait. */
  waitedMs: z.number().int().min(0).default(0),
  message: z.string().optional(),
});
export type RunTasksOutput = z.infer<typeof runTasksOutput>;

/** Input of the lanes that only say how much a turn may handle. */
export const runBatchInput = z.object({ limit: z.number().int().min(1).max(500).default(100) });

export const runRefundsOutput = z.object({
  claimed: z.number().int(),
  settled: z.number().int(),
  retried: z.number().int(),
  manual: z.number().int(),
  nextDueAt: z.date().nullable(),
  message: z.string().optional(),
});
export type RunRefundsOutput = z.infer<typeof runRefundsOutput>;

export const expireOrdersOutput = z.object({
  /** Orders that were not paid in time. */
  expired: z.number().int(),
  /** Users whose expired credits left their balance. */
  creditsExpired: z.number().int(),
  nextDueAt: z.date().nullable(),
  message: z.string().optional(),
});

export type ExpireOrdersOutput = z.infer<typeof expireOrdersOutput>;

export const settleInvitesOutput = z.object({
  /** Orders looked at and invites claimed. */
  claimed: z.number().int(),
  qualified: z.number().int(),
  rewarded: z.number().int(),
  refused: z.number().int(),
  clawedBack: z.number().int(),
  retried: z.number().int(),
  nextDueAt: z.date().nullable(),
  message: z.string().optional(),
});

export type SettleInvitesOutput = z.infer<typeof settleInvitesOutput>;

export const deliverWebhooksOutput = z.object({
  claimed: z.number().int(),
  delivered: z.number().int(),
  retried: z.number().int(),
  /** Tries used up, endpoint switched off, or account disabled. */
  failed: z.number().int(),
  lost: z.number().int(),
  nextDueAt: z.date().nullable(),
  message: z.string().optional(),
});

export type DeliverWebhooksOutput = z.infer<typeof deliverWebhooksOutput>;

export const runRetentionOutput = z.object({
  /** How much each rule handled; rules that found nothing are not named. */
  counts: z.record(z.string(), z.number().int()),
  /** Rules that failed, wholly or in part. */
  failed: z.number().int(),
  /** Whether a rule may have more to do at once. */
  hasMore: z.boolean(),
  nextDueAt: z.date().nullable(),
  message: z.string().optional(),
});

export type RunRetentionOutput = z.infer<typeof runRetentionOutput>;

/** How long ago a daemon was last seen: `fresh` up to 45 s (three heartbeats), `late` up to 5 minutes, then `gone`. */
export const FRESH_SECONDS = 45;
export const LATE_SECONDS = 300;
export type WorkerFreshness = 'fresh' | 'late' | 'gone';

export type WorkerView = {
  workerId: string;
  version: string;
  protocol: number;
  /** False when the daemon speaks a protocol that this web process refuses. */
  compatible: boolean;
  startedAt: Date;
  lastSeenAt: Date;
  ageSeconds: number;
  freshness: WorkerFreshness;
  heartbeats: number;
  lanes: LaneReport[];
};

/** Whether some daemon is at work, for `/readyz` and the workbench. */
export type DaemonPresence = { freshWorkers: number; lastSeenAt: Date | null; ageSeconds: number | null };
