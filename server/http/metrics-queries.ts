import { sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';

type MoneyCounts = {
  /** Money on its way back that is not settled, by status. */
  paymentRefunds: Record<string, number>;
  openDebts: number;
  openDebtCredits: number;
  /** Payments that fit no order and that nobody has looked at. */
  paymentMismatches: number;
};

/** What of the money waits; each part walks an index of what is open. */
export async function readMoneyCounts(db: Db): Promise<MoneyCounts> {
  const rows = await db.execute<{ part: string; name: string; total: number }>(sql`
    select 'refunds' as part, status as name, count(*)::float8 as total from payment_refunds
      where status in ('pending', 'manual') group by status
    union all
    select 'debts', '', count(*)::float8 from credit_debts where remaining_credits > 0
    union all
    select 'owed', '', coalesce(sum(remaining_credits), 0)::float8 from credit_debts where remaining_credits > 0
    union all
    select 'mismatches', '', count(*)::float8 from payment_events
      where outcome = 'mismatch' and resolved_at is null`);
  const counts: MoneyCounts = { paymentRefunds: {}, openDebts: 0, openDebtCredits: 0, paymentMismatches: 0 };
  for (const { part, name, total } of rows) {
    if (part === 'refunds') counts.paymentRefunds[name] = total;
    else if (part === 'debts') counts.openDebts = total;
    else if (part === 'owed') counts.openDebtCredits = total;
    else counts.paymentMismatches = total;
  }
  return counts;
}
