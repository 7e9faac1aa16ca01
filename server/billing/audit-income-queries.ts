import { sql } from 'drizzle-orm';
import type { Check } from './audit-check-queries.ts';

/** What came in, and went back, by orders, codes and invites, against the ledger. */
export const INCOME_CHECKS: readonly Check[] = [
  {
    name: 'a paid order was credited once, no other was',
    query: sql`
      select coalesce(o.id, l.order_id, l.entry_id) as id, coalesce(o.status, 'no order') || ', '
        || case when o.paid_at is null then 'not paid' else 'paid for ' || o.credits end
        || ', credited ' || coalesce(l.entries, 0) || ' times, ' || coalesce(l.total, 0) as detail
      from orders o
      full join (
        select order_id, count(*) as entries, sum(delta_credits) as total, min(user_id::text)::uuid as user_id,
          min(id::text)::uuid as entry_id
        from credit_ledger where kind = 'purchase' group by order_id) l on l.order_id = o.id
      where coalesce(l.entries, 0) <> case when o.paid_at is null then 0 else 1 end
        or l.total <> o.credits or l.user_id <> o.user_id`,
  },
  {
    name: 'what was taken back for an order is written on it',
    query: sql`
      select o.id, 'written ' || o.clawed_back_credits || ', taken ' || coalesce(t.total, 0) as detail
      from orders o
      left join (
        select order_id, sum(credits) as total
        from (
          select order_id, -delta_credits as credits, key from credit_ledger where kind in ('clawback', 'reinstate')
          union all select order_id, amount_credits, key from credit_debts
        ) parts
        where key not like 'invite-clawback:%' group by order_id) t on t.order_id = o.id
      where o.clawed_back_credits <> coalesce(t.total, 0)`,
  },
  {
    name: 'what was paid back for an order is written on it',
    query: sql`
      select o.id, 'written ' || o.refunded_minor || ', settled refunds ' || coalesce(r.total, 0) as detail
      from orders o
      left join (
        select order_id, payment_id, sum(amount_minor) as total from payment_refunds
        where status = 'settled' group by order_id, payment_id) r
        on r.order_id = o.id and r.payment_id = o.payment_id
      where o.refunded_minor <> coalesce(r.total, 0)`,
  },
  {
    name: 'the status of an order fits its money',
    query: sql`
      select o.id, o.status || ', paid ' || coalesce(o.paid_at::text, 'never') || ', back ' || o.refunded_minor || ' of '
        || o.amount_minor || ', dispute ' || coalesce(o.dispute, 'none')
        || case when r.payment_id is null then '' else ', a refund is open' end as detail
      from orders o
      left join (
        select distinct order_id, payment_id from payment_refunds where status in ('pending', 'manual')) r
        on r.order_id = o.id and r.payment_id = o.payment_id
      where case
        when o.paid_at is null then o.status not in ('pending', 'expired', 'cancelled')
        when o.refunded_minor >= o.amount_minor then o.status <> 'refunded'
        when r.payment_id is not null or o.dispute = 'open' then o.status <> 'refunding'
        else o.status <> 'paid' end`,
  },
  {
    name: 'a payment refund is of its order',
    query: sql`
      select r.id, r.amount_minor || ' ' || r.currency || ' of order ' || o.id || ' about ' || o.amount_minor || ' '
        || o.currency as detail
      from payment_refunds r join orders o on o.id = r.order_id
      where r.user_id <> o.user_id or r.provider <> o.provider
        or (r.payment_id = o.payment_id and (r.currency <> o.currency or r.amount_minor > o.amount_minor))`,
  },
  {
    name: 'a redeemed code was credited once, no other was',
    query: sql`
      select coalesce(c.id, l.id) as id, 'redeemed by ' || coalesce(c.redeemed_by::text, 'nobody')
        || ', credited ' || coalesce(l.delta_credits, 0) || ' of ' || coalesce(b.credits, 0) as detail
      from redeem_codes c
      join redeem_batches b on b.id = c.batch_id
      full join (select id, key, user_id, delta_credits from credit_ledger where kind = 'redeem') l
        on l.key = 'redeem:code:' || c.id
      where case
        when c.redeemed_by is null then l.key is not null
        else l.user_id is distinct from c.redeemed_by or l.delta_credits is distinct from b.credits end`,
  },
  {
    name: 'an invite paid what it says',
    query: sql`
      select coalesce(i.id, l.id) as id, coalesce(i.status, 'no invite') || ', '
        || coalesce(i.side, '?') || ' ' || coalesce(i.credits, 0) || ', ledger ' || coalesce(l.delta_credits, 0) as detail
      from (
        select id, status, 'inviter' as side, inviter_id as user_id, inviter_credits as credits from invites
        union all select id, status, 'invitee', invitee_id, invitee_credits from invites
      ) i
      full join (select id, key, user_id, delta_credits from credit_ledger where kind = 'reward') l
        on l.key = 'invite:' || i.id || ':' || i.side
      where coalesce(l.delta_credits, 0) <> coalesce(i.credits, 0) or l.user_id <> i.user_id
        or (i.credits > 0 and i.status not in ('rewarded', 'clawed_back'))`,
  },
  {
    name: 'an invite took back what it paid, or nothing',
    query: sql`
      select i.id, i.status || ', ' || i.side || ' was paid ' || i.credits || ', taken back ' || coalesce(t.total, 0)
        as detail
      from (
        select id, status, 'inviter' as side, inviter_credits as credits from invites
        union all select id, status, 'invitee', invitee_credits from invites
      ) i
      left join (
        select key, sum(credits) as total
        from (
          select key, -delta_credits as credits from credit_ledger where kind = 'clawback'
          union all select key, amount_credits from credit_debts
        ) parts
        where key like 'invite-clawback:%' group by key) t on t.key = 'invite-clawback:' || i.id || ':' || i.side
      where coalesce(t.total, 0) <> case i.status when 'clawed_back' then i.credits else 0 end`,
  },
];
