import { sql } from 'drizzle-orm';
import type { Check } from './audit-check-queries.ts';

/** What balances, buckets and debts are, against the ledger. */
export const LEDGER_CHECKS: readonly Check[] = [
  {
    name: 'Σ ledger = balance',
    query: sql`
      select a.user_id as id, 'balance ' || a.balance_credits || ', ledger ' || coalesce(l.total, 0) as detail
      from credit_accounts a
      left join (select user_id, sum(delta_credits) as total from credit_ledger group by user_id) l using (user_id)
      where a.balance_credits <> coalesce(l.total, 0)`,
  },
  {
    name: 'every ledger entry has an account',
    query: sql`
      select distinct l.user_id as id, 'no account' as detail from credit_ledger l
      where not exists (select 1 from credit_accounts a where a.user_id = l.user_id)`,
  },
  {
    // Entries of one user have no order that a clock could tell: two may share a moment, and ids come from several
    // processes. So it is checked that they chain at all: each leads from one balance to another, and every balance is
    // left as often as it is reached, but for 0 where a history begins and the balance where it ends.
    name: 'the balances after each entry chain up',
    query: sql`
      select user_id as id, 'balance ' || balance || ' is reached and left a different number of times' as detail
      from (
        select user_id, balance_after_credits as balance, 1 as visits from credit_ledger
        union all select user_id, balance_after_credits - delta_credits, -1 from credit_ledger
        union all select user_id, 0, 1 from credit_accounts
        union all select user_id, balance_credits, -1 from credit_accounts
      ) steps
      group by user_id, balance having sum(visits) <> 0`,
  },
  {
    name: 'Σ buckets and entries not assigned yet = balance',
    query: sql`
      select a.user_id as id, 'balance ' || a.balance_credits || ', buckets ' || coalesce(b.total, 0)
        || ', not assigned ' || coalesce(u.total, 0) as detail
      from credit_accounts a
      left join (select user_id, sum(remaining_credits) as total from credit_buckets group by user_id) b using (user_id)
      left join (
        select l.user_id, sum(l.delta_credits) as total from credit_ledger l
        where not l.bucketed and not exists (select 1 from credit_bucket_moves m where m.entry_id = l.id)
        group by l.user_id) u using (user_id)
      where a.balance_credits <> coalesce(b.total, 0) + coalesce(u.total, 0)`,
  },
  {
    name: 'every entry falls on buckets in full',
    query: sql`
      select l.id, 'moved ' || l.delta_credits || ', on buckets ' || coalesce(m.total, 0) as detail
      from credit_ledger l
      left join (select entry_id, sum(delta_credits) as total from credit_bucket_moves group by entry_id) m
        on m.entry_id = l.id
      where l.delta_credits <> coalesce(m.total, 0) and (l.bucketed or m.entry_id is not null)`,
  },
  {
    name: 'every bucket holds what its entries left',
    query: sql`
      select b.id, 'holds ' || b.remaining_credits || ', entries left ' || coalesce(m.total, 0) as detail
      from credit_buckets b
      left join (select bucket_id, sum(delta_credits) as total from credit_bucket_moves group by bucket_id) m
        on m.bucket_id = b.id
      where b.remaining_credits <> coalesce(m.total, 0)`,
  },
  {
    name: 'an entry moves buckets of its own user',
    query: sql`
      select m.entry_id as id, 'bucket ' || b.id || ' is of another user' as detail
      from credit_bucket_moves m
      join credit_ledger l on l.id = m.entry_id join credit_buckets b on b.id = m.bucket_id
      where l.user_id <> b.user_id`,
  },
  {
    // A millisecond of grace: the expiry is compared in milliseconds and kept in microseconds.
    name: 'an expired bucket is empty and was due',
    query: sql`
      select id, 'expired at ' || expired_at || ', due ' || coalesce(expires_at::text, 'never')
        || ', holds ' || remaining_credits as detail
      from credit_buckets
      where expired_at is not null
        and (remaining_credits <> 0 or expires_at is null or expires_at > expired_at + interval '1 millisecond')`,
  },
  {
    name: 'a debt is what was owed less what was paid',
    query: sql`
      select coalesce(d.id::text, p.debt_id) as id, 'owed ' || coalesce(d.amount_credits, 0) || ', open '
        || coalesce(d.remaining_credits, 0) || ', paid ' || coalesce(p.paid, 0) as detail
      from credit_debts d
      full join (
        select user_id, split_part(key, ':', 2) as debt_id, -sum(delta_credits) as paid
        from credit_ledger where kind = 'debt_payment' group by user_id, debt_id) p
        on p.debt_id = d.id::text and p.user_id = d.user_id
      where d.id is null or d.amount_credits <> d.remaining_credits + coalesce(p.paid, 0)`,
  },
  {
    name: 'who owes has nothing to spend',
    query: sql`
      select b.user_id as id, 'can spend ' || sum(b.remaining_credits) || ' and owes' as detail
      from credit_buckets b
      where b.remaining_credits > 0 and (b.expires_at is null or b.expires_at > clock_timestamp())
        and exists (select 1 from credit_debts d where d.user_id = b.user_id and d.remaining_credits > 0)
      group by b.user_id`,
  },
];
