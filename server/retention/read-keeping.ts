import { readCredits } from '#server/billing/read-credits.ts';
import type { Deps } from '#server/deps.ts';
import { readKeepingRow } from './closing-queries.ts';
import type { AccountKeeping } from './schemas.ts';

/** What is kept of an account, and what closing it would mean now. */
export async function readKeeping(deps: Pick<Deps, 'db'>, userId: string): Promise<AccountKeeping> {
  const [row, credits] = await Promise.all([readKeepingRow(deps.db, userId), readCredits(deps, userId)]);
  return {
    outputRetentionDays: row?.outputRetentionDays ?? null,
    beforeClosing: {
      runningTasks: row?.runningTasks ?? 0,
      balanceCredits: credits.balanceCredits,
      owedCredits: credits.debts.reduce((sum, debt) => sum + debt.remainingCredits, 0),
    },
  };
}
