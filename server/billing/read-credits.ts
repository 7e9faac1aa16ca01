import type { Deps } from '#server/deps.ts';
import { listLedger, readBalance, sumOpenHolds } from './queries.ts';
import type { BalanceView, LedgerPage } from './schemas.ts';

/** Balance and open holds of a user, in integer credits. */
export async function readCredits(deps: Pick<Deps, 'db'>, userId: string): Promise<BalanceView> {
  const [balanceCredits, heldCredits] = await Promise.all([
    readBalance(deps.db, userId),
    sumOpenHolds(deps.db, userId),
  ]);
  return { balanceCredits, heldCredits };
}

/** One page of a user's ledger, newest first. */
export async function readLedger(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; cursor?: string; limit: number },
): Promise<LedgerPage> {
  const rows = await listLedger(deps.db, { ...input, limit: input.limit + 1 });
  const items = rows.slice(0, input.limit);
  return {
    items: items.map((row) => ({
      id: row.id,
      at: row.createdAt,
      kind: row.kind,
      deltaCredits: row.deltaCredits,
      balanceAfterCredits: row.balanceAfterCredits,
      taskId: row.taskId,
      reason: row.reason,
    })),
    nextCursor: rows.length > input.limit ? (items.at(-1)?.id ?? null) : null,
  };
}
