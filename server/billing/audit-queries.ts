import { sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { BUDGET_CHECKS } from './audit-budget-queries.ts';
import { HOLD_CHECKS } from './audit-hold-queries.ts';
import { INCOME_CHECKS } from './audit-income-queries.ts';
import { LEDGER_CHECKS } from './audit-ledger-queries.ts';

export type Mismatch = { check: string; id: string; detail: string };

const CHECKS = [...LEDGER_CHECKS, ...HOLD_CHECKS, ...BUDGET_CHECKS, ...INCOME_CHECKS];

/** In the order in which they run. */
export const CHECK_NAMES: string[] = CHECKS.map(({ name }) => name);

/** Runs all checks in the caller's transaction, which is its snapshot; at most 100 mismatches each. */
export async function findMismatches(db: DbOrTx): Promise<Mismatch[]> {
  // A large ledger takes its time, and nothing waits for these statements.
  await db.execute(sql`set local statement_timeout = '30min'`);
  const mismatches: Mismatch[] = [];
  for (const { name, query } of CHECKS) {
    const rows = (await db.execute(sql`${query} limit 100`)) as unknown as { id: string; detail: string }[];
    mismatches.push(...rows.map((row) => ({ check: name, id: row.id, detail: row.detail })));
  }
  return mismatches;
}
