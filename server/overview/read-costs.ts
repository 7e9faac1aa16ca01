import type { Deps } from '#server/deps.ts';
import { type CostRow, readModelTitles, sumChargedByModel, sumCosts, sumPaid } from './cost-queries.ts';
import { keeperOf } from './keep-answer.ts';
import { type Span, sumCharged } from './queries.ts';
import type { CostSum, Costs, CostsView, ModelCosts } from './schemas.ts';

const DAY_MS = 86_400_000;
const PAID_DAYS = 90;
const KEPT_MS = 30_000;
const MOST_MODELS = 100;

/**
 * What upstream took beside what users were charged, by UTC day (today included) and by model. A call counts on the day
 * on which it was sent, a charge on the day on which its task was submitted. Kept in this process for half a minute.
 */
export function readCosts(deps: Pick<Deps, 'db' | 'clock'>, { days }: { days: number }): Promise<CostsView> {
  return keeperOf(deps.db)(`costs ${days}`, KEPT_MS, () => countCosts(deps, days));
}

async function countCosts({ db, clock }: Pick<Deps, 'db' | 'clock'>, days: number): Promise<CostsView> {
  const today = Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS;
  const span: Span = { from: new Date(today - (days - 1) * DAY_MS), barMs: DAY_MS };
  const [rows, charged, chargedByModel, paid] = await Promise.all([
    sumCosts(db, span),
    sumCharged(db, span),
    sumChargedByModel(db, span.from),
    sumPaid(db, new Date(today - PAID_DAYS * DAY_MS)),
  ]);
  const ofDays = rows.filter(({ bar }) => bar !== null);
  return {
    days: Array.from({ length: days }, (_, bar) => ({
      from: new Date(span.from.getTime() + bar * DAY_MS),
      chargedCredits: charged.get(bar) ?? 0,
      ...costsOf(ofDays.filter((row) => row.bar === bar)),
    })),
    totals: {
      chargedCredits: [...charged.values()].reduce((sum, credits) => sum + credits, 0),
      ...costsOf(ofDays),
    },
    models: await modelsOf(
      db,
      rows.filter(({ bar }) => bar === null),
      chargedByModel,
    ),
    paid,
  };
}

async function modelsOf(
  db: Deps['db'],
  rows: readonly CostRow[],
  charged: ReadonlyMap<string, number>,
): Promise<ModelCosts[]> {
  const called = rows.flatMap(({ modelId }) => modelId ?? []);
  const ids = [...new Set([...called, ...charged.keys()])];
  const titles = await readModelTitles(db, ids);
  return ids
    .map((modelId) => ({
      modelId,
      title: titles.get(modelId) ?? modelId,
      chargedCredits: charged.get(modelId) ?? 0,
      ...costsOf(rows.filter((row) => row.modelId === modelId)),
    }))
    .sort((a, b) => b.chargedCredits - a.chargedCredits || a.title.localeCompare(b.title, 'en'))
    .slice(0, MOST_MODELS);
}

/** Rows added up by currency. */
function costsOf(rows: readonly CostRow[]): Costs {
  const sums = new Map<string, CostSum>();
  let unpricedCalls = 0;
  for (const { bar: _bar, modelId: _modelId, calls, currency, ...row } of rows) {
    if (currency === null) unpricedCalls += calls;
    else sums.set(currency, plus(sums.get(currency), { currency, ...row }));
  }
  return {
    sums: [...sums.values()].sort((a, b) => a.currency.localeCompare(b.currency, 'en')),
    unpricedCalls,
  };
}

function plus(sum: CostSum | undefined, more: CostSum): CostSum {
  if (!sum) return more;
  return {
    currency: sum.currency,
    micros: sum.micros + more.micros,
    knownCalls: sum.knownCalls + more.knownCalls,
    possibleMicros: sum.possibleMicros + more.possibleMicros,
    possibleCalls: sum.possibleCalls + more.possibleCalls,
    unboundedCalls: sum.unboundedCalls + more.unboundedCalls,
    openCalls: sum.openCalls + more.openCalls,
  };
}
