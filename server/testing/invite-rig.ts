import { auditLedger } from '#server/billing/audit.ts';
import { postEntry } from '#server/billing/ledger.ts';
import type { Config } from '#server/deps.ts';
import { bindInvite } from '#server/invites/bind-invite.ts';
import { readMyInvites } from '#server/invites/read-invites.ts';
import { type InviteBatchResult, runSettlementBatch } from '#server/invites/run-settlement-batch.ts';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import { createTestDatabase } from './database.ts';
import { createUser } from './factories.ts';
import { createPaidOrder } from './order-factories.ts';
import { TEST_CONFIG } from './rig.ts';

/** A database of its own, people who invite one another, and the lane that pays them. */
export async function createInviteRig() {
  const t = await createTestDatabase({ max: 16 });
  const lines: { level: string; message: string }[] = [];
  const logger = collect(lines);

  function deps(invites: Partial<Config['invites']> = {}, config: Partial<Config> = {}) {
    return {
      db: t.db,
      config: { ...TEST_CONFIG, ...config, invites: { ...TEST_CONFIG.invites, ...invites } },
      logger,
      random: () => 1,
      newId,
    };
  }

  /** People without credits, the second invited by the first. */
  async function pair(inviterId?: string) {
    const inviter = inviterId ?? (await createUser(t.db, { balanceCredits: 0 })).id;
    const invitee = (await createUser(t.db, { balanceCredits: 0 })).id;
    const { code } = await readMyInvites(deps(), inviter);
    await bindInvite(deps(), { userId: invitee, code });
    return { inviter, invitee };
  }

  const sumOf = async (query: Promise<readonly { total?: unknown }[]>) =>
    Number((await query)[0]?.total ?? 0);

  return {
    t,
    lines,
    deps,
    pair,
    run: (invites: Partial<Config['invites']> = {}, limit = 50): Promise<InviteBatchResult> =>
      runSettlementBatch(deps(invites), { limit, workerId: null }),
    /** A pair whose invitee paid an order of 100 credits so many days ago. */
    async bought(paidDaysAgo = 0, inviterId?: string) {
      const people = await pair(inviterId);
      const order = await createPaidOrder(t.db, { userId: people.invitee, paidDaysAgo });
      return { ...people, orderId: order.id };
    },
    balanceOf: (userId: string) =>
      sumOf(t.sql`select balance_credits as total from credit_accounts where user_id = ${userId}`),
    debtOf: (userId: string) =>
      sumOf(t.sql`select sum(remaining_credits) as total from credit_debts where user_id = ${userId}`),
    rewardsOf: async (userId: string) => [
      ...(await t.sql`
        select key, delta_credits::int as delta from credit_ledger where user_id = ${userId} and kind = 'reward'`),
    ],
    async inviteOf(invitee: string) {
      const [row] = await t.sql`
        select id, status, order_id, due_at, attempts, last_error, lease_until, note,
          inviter_credits::int as inviter_credits, invitee_credits::int as invitee_credits
        from invites where invitee_id = ${invitee}`;
      return row;
    },
    /** Ends the cooling-off time, a back-off and a lease. */
    async makeDue(invitee: string) {
      await t.sql`
        update invites set due_at = now(), lease_until = now() - interval '1 second'
        where invitee_id = ${invitee} and status = 'qualified'`;
    },
    spend: (userId: string, credits: number) =>
      t.db.transaction((tx) =>
        postEntry(tx, {
          userId,
          kind: 'adjustment',
          deltaCredits: -credits,
          key: newId(),
          actor: 'test',
          reason: 'Spent',
        }),
      ),
    /** Somebody without a credit account, who can be paid nothing and from whom nothing can be taken. */
    async makeAccountless(): Promise<string> {
      const id = newId();
      await t.sql`
        insert into users (id, email, display_name, password_hash)
        values (${id}, ${`${id}@example.com`}, 'Bare', '!')`;
      return id;
    },
    audit: () => auditLedger(t.db),
    /** Nothing is due any more, so that the next test counts its own. */
    async clear() {
      lines.length = 0;
      await t.sql`update orders set invites_due = false where invites_due`;
      await t.sql`update invites set status = 'refused', due_at = null where status = 'qualified'`;
    },
    close: () => t.close(),
  };
}

function collect(lines: { level: string; message: string }[]): Logger {
  const log = (level: string) => (_fields: object, message: string) => void lines.push({ level, message });
  const logger: Logger = {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: () => logger,
  };
  return logger;
}
