import type { Deps } from '#server/deps.ts';
import type { DaySummary } from './schemas.ts';
import { sumCreditDays, sumMoneyDays } from './summary-queries.ts';

/** Credits and money of the last UTC days, today included; oldest first, days without movement included. */
export async function readDailySummary(
  deps: Pick<Deps, 'db'>,
  input: { days: number },
): Promise<DaySummary[]> {
  const [days, money] = await Promise.all([
    sumCreditDays(deps.db, input.days),
    sumMoneyDays(deps.db, input.days),
  ]);
  return days.map((credits) => {
    const flows = money.filter((flow) => flow.day === credits.day);
    return {
      ...credits,
      ordersPaid: flows.reduce((sum, flow) => sum + flow.orders, 0),
      revenue: byCurrency(flows.map(({ currency, paid }) => [currency, paid])),
      moneyRefunded: byCurrency(flows.map(({ currency, refunded }) => [currency, refunded])),
    };
  });
}

/** Without the currencies in which nothing moved. */
const byCurrency = (amounts: [string, number][]): Record<string, number> =>
  Object.fromEntries(amounts.filter(([, amount]) => amount > 0));
