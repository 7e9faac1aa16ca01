import { z } from 'zod';
import type { SlotClass, TaskKind } from '#server/generation/status.ts';

/** What the overview counts, for its pages. Isomorphic: imports zod and status only. */

export const WINDOWS = ['1h', '24h', '7d', '30d'] as const;
export type Window = (typeof WINDOWS)[number];

export const windowInput = z.object({ window: z.enum(WINDOWS).default('24h') });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Each window as bars of equal length; all are whole parts of a day, so that bars begin at round moments (UTC). */
export const WINDOW_BARS: Readonly<Record<Window, { barMs: number; bars: number }>> = {
  '1h': { barMs: 5 * MINUTE_MS, bars: 12 },
  '24h': { barMs: HOUR_MS, bars: 24 },
  '7d': { barMs: 6 * HOUR_MS, bars: 28 },
  '30d': { barMs: 24 * HOUR_MS, bars: 30 },
};

/** Tasks submitted in a span of time, by what has become of them so far. */
export type TaskCounts = {
  submitted: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  /** Different people who submitted. */
  people: number;
};

export type OverviewBar = TaskCounts & {
  from: Date;
  /** What these tasks were charged so far. */
  chargedCredits: number;
  /** Credits of orders that were paid in this span. */
  boughtCredits: number;
};

/** How a model has done since a moment. Seconds are from submit to result, of its successes; null without any. */
export type ModelNumbers = {
  modelId: string;
  title: string;
  kind: TaskKind;
  submitted: number;
  succeeded: number;
  failed: number;
  p50Seconds: number | null;
  p95Seconds: number | null;
};

/** What waits at this moment. */
export type NowNumbers = {
  /** Tasks that have not ended, by status; statuses without any are not named. */
  live: Record<string, number>;
  /** Tasks whose step could be claimed now, counted up to {@link MOST_DUE}. */
  due: number;
  /** How long the first of them has been due, in seconds; null when none is. */
  oldestDueSeconds: number | null;
  /** Credits on their way back, and those that need a person. */
  refunds: { pending: number; manual: number };
  /** Money on its way back, and what needs a person. */
  paymentRefunds: { pending: number; manual: number };
  paymentMismatches: number;
};

export const MOST_DUE = 10_000;

/** The last complete audit of the books that this process made; null before the first. */
export type LedgerCheck = { mismatches: number; ageSeconds: number } | null;

export type OverviewView = {
  window: Window;
  barMs: number;
  bars: OverviewBar[];
  totals: TaskCounts & { chargedCredits: number; boughtCredits: number };
  models: ModelNumbers[];
  /** Why tasks failed, the most frequent reason first. */
  failures: { code: string; count: number }[];
  now: NowNumbers;
  ledger: LedgerCheck;
};

const COST_DAYS = [7, 30] as const;
export const costsInput = z.object({
  days: z.union([z.literal(COST_DAYS[0]), z.literal(COST_DAYS[1])]).default(7),
});

/**
 * What upstream took in one currency, in its millionths. Calls whose cost nobody knows are counted, never taken for 0:
 * those with an unknown outcome, and those that ended without the vendor or the rule telling what they took.
 */
export type CostSum = {
  currency: string;
  /** Of calls whose cost is known. */
  micros: number;
  knownCalls: number;
  /** What the calls may have taken that nobody can tell: at most this, as far as that much is known. */
  possibleMicros: number;
  possibleCalls: number;
  /** Of those: not even the most is known. */
  unboundedCalls: number;
  /** Under way; their cost is not known yet. */
  openCalls: number;
};

/** Calls by currency, and those that nobody wrote a cost for. */
export type Costs = { sums: CostSum[]; unpricedCalls: number };

export type CostDay = Costs & {
  /** Midnight in UTC. */
  from: Date;
  chargedCredits: number;
};

export type ModelCosts = Costs & { modelId: string; title: string; chargedCredits: number };

/** What people paid for how many credits in the last 90 days, in the currency's minor unit. */
export type PaidCredits = { currency: string; amountMinor: number; credits: number };

export type CostsView = {
  days: CostDay[];
  totals: Costs & { chargedCredits: number };
  /** Models that were called or charged, most credits first. */
  models: ModelCosts[];
  paid: PaidCredits[];
};

export const channelInput = z.object({ channelId: z.uuid('This is not a channel id.') });

/** Calls of one hour that were to start a job, by what became of them. */
export type ChannelHour = {
  from: Date;
  succeeded: number;
  /** Refused or ended without a result. */
  failed: number;
  /** Put off by the upstream (429) or never sent: another call follows. */
  putOff: number;
  /** Under way, cancelled, or not known yet. */
  other: number;
};

/** What an administrator last did about whether a channel takes work. */
export type ChannelDeed = {
  id: string;
  at: Date;
  action: string;
  /** Null: the command line. */
  by: string | null;
  reason: string | null;
};

export type ChannelNumbers = {
  channelId: string;
  /** Tasks under way upstream, and waiting for a place. */
  inFlight: number;
  queued: number;
  /** The last 24 hours, oldest first. */
  hours: ChannelHour[];
  /** The last pause, resumption or switch; null when there was none. */
  lastDeed: ChannelDeed | null;
};

/** A call of the last 24 hours that went wrong, in the upstream's redacted words. */
export type ChannelError = {
  dispatchId: string;
  taskId: string;
  at: Date;
  outcome: string | null;
  code: string | null;
  message: string | null;
};

export type ChannelDetail = { errors: ChannelError[]; deeds: ChannelDeed[] };

/** Web processes at work: this one, and what the leases tell of others. */
export type ProcessesView = {
  self: {
    id: string;
    uptimeSeconds: number;
    draining: boolean;
    slots: { slot: SlotClass; used: number; size: number }[];
  };
  /** Executors that hold leases now, this one included, most leases first. */
  executors: { executorId: string; leases: number; isSelf: boolean }[];
};
