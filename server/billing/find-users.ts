import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { pageOf } from '#server/lib/list-page.ts';
import { getUserMoney, listUserMoney } from './admin-queries.ts';
import { listLedger } from './queries.ts';
import { readCredits, toLedgerEntryView } from './read-credits.ts';
import type { FindUsersInput, UserMoneyInput, UserMoneyList, UserMoneyView } from './schemas.ts';

/** Users with what they can spend, hold and owe, in the order asked for. */
export async function findUsers(deps: Pick<Deps, 'db'>, input: FindUsersInput): Promise<UserMoneyList> {
  const found = await listUserMoney(deps.db, { ...input, limit: input.limit + 1 });
  const { rows, nextCursor } = pageOf(found, input.limit);
  return { items: rows.map(({ id: _, sortKey: __, ...row }) => row), nextCursor };
}

/**
 * A user's money as administrators see it: ledger entries with who did them and the key that makes each happen once.
 *
 * @throws AppError `not_found`
 */
export async function readUserMoney(deps: Pick<Deps, 'db'>, input: UserMoneyInput): Promise<UserMoneyView> {
  const user = await getUserMoney(deps.db, input.userId);
  if (!user) throw new AppError('not_found', 'There is no such user.');
  const [balance, rows] = await Promise.all([
    readCredits(deps, input.userId),
    listLedger(deps.db, { ...input, limit: input.limit + 1 }),
  ]);
  const items = rows
    .slice(0, input.limit)
    .map((row) => ({ ...toLedgerEntryView(row), actor: row.actor, key: row.key }));
  return {
    user,
    balance,
    ledger: { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.id ?? null) : null },
  };
}
