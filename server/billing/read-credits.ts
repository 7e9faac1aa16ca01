import type { Deps } from '#server/deps.ts';
import { listLiveBuckets, listOpenDebts, readSpendable } from './bucket-queries.ts';
import { type LedgerRow, listLedger, sumOpenHolds } from './queries.ts';
import type { BalanceView, LedgerEntryView, LedgerInput, LedgerPage } from './schemas.ts';

/** What a user can spend, by bucket, with open holds and debts; integer credits. */
export async function readCredits(deps: Pick<Deps, 'db'>, userId: string): Promise<BalanceView> {
  const [balanceCredits, heldCredits, buckets, debts] = await Promise.all([
    readSpendable(deps.db, userId),
    sumOpenHolds(deps.db, userId),
    listLiveBuckets(deps.db, userId),
    listOpenDebts(deps.db, userId),
  ]);
  return {
    balanceCredits,
    heldCredits,
    buckets: buckets.map(({ id, kind, remainingCredits, expiresAt, orderId, createdAt }) => ({
      id,
      kind,
      remainingCredits,
      expiresAt,
      orderId,
      createdAt,
    })),
    debts: debts.map(({ id, amountCredits, remainingCredits, reason, createdAt }) => ({
      id,
      amountCredits,
      remainingCredits,
      reason,
      createdAt,
    })),
  };
}

/** One page of a user's ledger, newest first. */
export async function readLedger(
  deps: Pick<Deps, 'db'>,
  input: LedgerInput & { userId: string },
): Promise<LedgerPage> {
  const rows = await listLedger(deps.db, { ...input, limit: input.limit + 1 });
  const items = rows.slice(0, input.limit);
  return {
    items: items.map(toLedgerEntryView),
    nextCursor: rows.length > input.limit ? (items.at(-1)?.id ?? null) : null,
  };
}

export function toLedgerEntryView(row: LedgerRow): LedgerEntryView {
  return {
    id: row.id,
    at: row.createdAt,
    kind: row.kind,
    deltaCredits: row.deltaCredits,
    balanceAfterCredits: row.balanceAfterCredits,
    taskId: row.taskId,
    orderId: row.orderId,
    reason: row.reason,
  };
}
