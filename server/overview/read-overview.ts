import { bookWatchOf } from '#server/billing/audit-watch.ts';
import type { Deps } from '#server/deps.ts';
import { keeperOf } from './keep-answer.ts';
import {
  countFailures,
  countTasks,
  measureModels,
  readNow,
  type Span,
  sumBought,
  sumCharged,
} from './queries.ts';
import {
  type LedgerCheck,
  MOST_DUE,
  type ModelNumbers,
  type OverviewBar,
  type OverviewView,
  type TaskCounts,
  WINDOW_BARS,
  type Window,
} from './schemas.ts';

const MODELS = 100;
const REASONS = 12;
/** A longer window changes less, and costs more to count. */
const KEPT_MS: Readonly<Record<Window, number>> = {
  '1h': 3_000,
  '24h': 10_000,
  '7d': 60_000,
  '30d': 300_000,
};

const NO_TASKS: TaskCounts = { submitted: 0, succeeded: 0, failed: 0, cancelled: 0, people: 0 };

type Counts = Omit<OverviewView, 'now' | 'ledger'>;
type OverviewDeps = Pick<Deps, 'db' | 'clock' | 'logger'>;

/**
 * What was submitted in a window and what became of it, with what waits now. The counts of a window are kept in this
 * process for some seconds (a month's for five minutes); what waits is always of this moment.
 */
export async function readOverview(
  deps: OverviewDeps,
  { window }: { window: Window },
): Promise<OverviewView> {
  const keep = keeperOf(deps.db);
  const [counts, now] = await Promise.all([
    keep(`overview ${window}`, KEPT_MS[window], () => countWindow(deps, window)),
    readNow(deps.db, MOST_DUE),
  ]);
  return { ...counts, now, ledger: lastCheck(deps) };
}

/** How each model has done in a window, the busiest first; kept as the overview is. */
export function readModelNumbers(
  deps: Pick<Deps, 'db' | 'clock'>,
  { window }: { window: Window },
): Promise<ModelNumbers[]> {
  return keeperOf(deps.db)(`models ${window}`, KEPT_MS[window], () =>
    measureModels(deps.db, spanOf(window, deps.clock.now()).from, MODELS),
  );
}

/** The bars of a window: the last one is not over yet. */
function spanOf(window: Window, now: Date): Span & { bars: number } {
  const { barMs, bars } = WINDOW_BARS[window];
  const last = Math.floor(now.getTime() / barMs) * barMs;
  return { from: new Date(last - (bars - 1) * barMs), barMs, bars };
}

async function countWindow(deps: Pick<Deps, 'db' | 'clock'>, window: Window): Promise<Counts> {
  const { db } = deps;
  const span = spanOf(window, deps.clock.now());
  const [tasks, charged, bought, models, failures] = await Promise.all([
    countTasks(db, span),
    sumCharged(db, span),
    sumBought(db, span),
    readModelNumbers(deps, { window }),
    countFailures(db, span.from, REASONS),
  ]);
  const bars = Array.from({ length: span.bars }, (_, bar): OverviewBar => {
    return {
      from: new Date(span.from.getTime() + bar * span.barMs),
      ...(tasks.get(bar) ?? NO_TASKS),
      chargedCredits: charged.get(bar) ?? 0,
      boughtCredits: bought.get(bar) ?? 0,
    };
  });
  const totals = {
    ...(tasks.get(null) ?? NO_TASKS),
    chargedCredits: sum(charged),
    boughtCredits: sum(bought),
  };
  return { window, barMs: span.barMs, bars, totals, models, failures };
}

const sum = (byBar: Map<number, number>): number => [...byBar.values()].reduce((all, one) => all + one, 0);

function lastCheck(deps: Pick<Deps, 'db' | 'logger'>): LedgerCheck {
  const found = bookWatchOf(deps).look();
  if (!found) return null;
  const mismatches = [...found.counts.values()].reduce((all, one) => all + one, 0);
  return { mismatches, ageSeconds: found.ageSeconds };
}
