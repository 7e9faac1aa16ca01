import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  compositeTasks,
  creditPacks,
  invites,
  orders,
  paymentRefunds,
  redeemBatches,
  redeemCodes,
} from '#server/db/schema/index.ts';
import { systemClock } from '#server/lib/clock.ts';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { TEST_CONFIG } from '#server/testing/rig.ts';
import { auditLedger, readAudit } from './audit.ts';
import { CHECK_NAMES, findMismatches } from './audit-queries.ts';
import { placeHold } from './holds.ts';
import { clawBack, expireCredits, postEntry } from './ledger.ts';
import { voidRefund } from './manage-refunds.ts';
import { runRefundBatch } from './run-refund-batch.ts';
import { createBudgetRig } from './testing/budget-rig.ts';
import { moneyOf } from './testing/money-rig.ts';

let t: TestDatabase;
const id = {
  user: newId(),
  inviter: newId(),
  debtor: newId(),
  order: newId(),
  unpaid: newId(),
  code: newId(),
  invite: newId(),
  running: '',
  refunded: '',
  agent: '',
  drawn: '',
  givenBack: '',
  settledAgent: '',
  charged: '',
  drama: '',
  recut: '',
};
beforeAll(async () => {
  t = await createTestDatabase();
  await fillBooks();
});
afterAll(() => t.close());

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };

/** One of everything that the audit looks at, as the product writes it. */
async function fillBooks() {
  const money = moneyOf(t);
  const entry = { actor: 'test', reason: 'Test' };
  for (const userId of [id.user, id.inviter, id.debtor])
    await createUser(t.db, { id: userId, balanceCredits: 0 });
  await money.give(id.user, 100, 30);
  await money.endBucket(await money.give(id.user, 5, 1));
  await t.db.transaction((tx) => expireCredits(tx, id.user));

  const running = await createTask(t.db, { userId: id.user, status: 'running', holdCredits: 0 });
  id.running = running.id;
  await t.sql`delete from credit_holds where task_id = ${running.id}`;
  await t.db.transaction((tx) =>
    placeHold(tx, { userId: id.user, taskId: running.id, credits: 10, reason: 'Held' }),
  );
  for (const end of ['refunded', 'voided']) {
    const task = await createTask(t.db, { userId: id.user, status: 'failed', holdCredits: 10 });
    if (end === 'refunded') {
      id.refunded = task.id;
      await runRefundBatch(
        { db: t.db, renewalDb: t.db, config: TEST_CONFIG, logger, random: () => 0, newId },
        { limit: 1, workerId: null, taskIds: [task.id] },
      );
    } else {
      const [refund] = await t.sql`update credit_refunds set status = 'manual', next_attempt_at = null
        where task_id = ${task.id} returning id`;
      await voidRefund(t, {
        refundId: refund?.id,
        reason: 'It was delivered by mail',
        operatorId: id.inviter,
      });
    }
  }

  await fillBudgets();

  await money.give(id.debtor, 3);
  await t.db.transaction((tx) => clawBack(tx, { ...entry, userId: id.debtor, credits: 10, key: newId() }));
  await money.give(id.debtor, 2);

  await fillOrders(entry);
  await fillIncome(entry);
}

/** A composite that runs, one that failed after it was charged for a child, one refunded, and dramas without a budget. */
async function fillBudgets() {
  const rig = await createBudgetRig(t);
  id.agent = await rig.composite(id.user, 20);
  id.drawn = await rig.child(id.user, id.agent, 6);
  id.givenBack = await rig.child(id.user, id.agent, 5);
  await rig.fail(id.givenBack);
  await rig.deliver(await rig.child(id.user, id.agent, 4), 3);

  id.settledAgent = await rig.composite(id.user, 10);
  id.charged = await rig.child(id.user, id.settledAgent, 4);
  await rig.deliver(id.charged, 2);
  await rig.settle(id.settledAgent, 'failed');
  await rig.settle(await rig.composite(id.user, 5), 'cancelled');

  id.drama = await rig.bareComposite(id.user, 'drama');
  const cancelled = await rig.bareComposite(id.user, 'drama');
  for (const taskId of [id.drama, cancelled])
    await t.db.insert(compositeTasks).values({ taskId, phase: 'review', settings: {}, rootId: taskId });
  await rig.settle(cancelled, 'cancelled');

  // Of which only the film is put together again, free.
  id.recut = await rig.bareComposite(id.user, 'drama');
  await t.db.insert(compositeTasks).values({
    taskId: id.recut,
    phase: 'shots',
    settings: {},
    rootId: id.drama,
    revisionOf: id.drama,
  });
  await rig.settle(id.recut, 'succeeded');
}

async function fillOrders(entry: { actor: string; reason: string }) {
  const [pack] = await t.db
    .insert(creditPacks)
    .values({ title: 'Pack', credits: 100, amountMinor: 1_000, currency: 'EUR' })
    .returning();
  const order = {
    userId: id.user,
    packId: pack?.id,
    title: 'Pack',
    credits: 100,
    amountMinor: 1_000,
    currency: 'EUR',
    provider: 'sandbox',
    expiresAt: new Date('2090-01-01T00:00:00Z'),
  };
  await t.db.insert(orders).values([
    { ...order, id: id.unpaid, requestKey: newId() },
    {
      ...order,
      id: id.order,
      requestKey: newId(),
      status: 'paid',
      paidAt: new Date(),
      paymentId: 'payment-1',
      refundedMinor: 400,
      clawedBackCredits: 40,
    },
  ]);
  await t.db.transaction(async (tx) => {
    const about = { ...entry, userId: id.user, orderId: id.order };
    await postEntry(tx, { ...about, kind: 'purchase', deltaCredits: 100, key: newId() });
    await clawBack(tx, { ...about, credits: 50, key: newId() });
    await postEntry(tx, { ...about, kind: 'reinstate', deltaCredits: 10, key: newId() });
    await tx.insert(paymentRefunds).values({
      key: newId(),
      orderId: id.order,
      userId: id.user,
      provider: 'sandbox',
      paymentId: 'payment-1',
      amountMinor: 400,
      currency: 'EUR',
      origin: 'admin',
      status: 'settled',
      settledAt: new Date(),
      clawedBackCredits: 40,
      reason: 'Test',
      actor: 'test',
    });
  });
}

async function fillIncome(entry: { actor: string; reason: string }) {
  const [batch] = await t.db
    .insert(redeemBatches)
    .values({ title: 'Batch', credits: 20, codeCount: 2, createdBy: id.inviter })
    .returning();
  const batchId = batch?.id ?? '';
  await t.db.insert(redeemCodes).values([
    { batchId, code: 'UNUSED' },
    { batchId, code: 'USED', id: id.code, redeemedBy: id.user, redeemedAt: new Date() },
  ]);
  await t.db.insert(invites).values({
    id: id.invite,
    inviterId: id.inviter,
    inviteeId: id.user,
    status: 'clawed_back',
    orderId: id.order,
    inviterCredits: 5,
    inviteeCredits: 3,
    rewardedAt: new Date(),
    endedAt: new Date(),
  });
  await t.db.transaction(async (tx) => {
    const code = { ...entry, userId: id.user, kind: 'redeem' as const, deltaCredits: 20 };
    await postEntry(tx, { ...code, key: `redeem:code:${id.code}` });
    for (const [side, userId, credits] of [
      ['inviter', id.inviter, 5],
      ['invitee', id.user, 3],
    ] as const) {
      const key = `${id.invite}:${side}`;
      await postEntry(tx, { ...entry, userId, kind: 'reward', deltaCredits: credits, key: `invite:${key}` });
      // The inviter has spent it: that much is owed.
      if (side === 'inviter')
        await postEntry(tx, { ...entry, userId, kind: 'adjustment', deltaCredits: -credits, key: newId() });
      await clawBack(tx, { ...entry, userId, credits, key: `invite-clawback:${key}` });
    }
  });
}

/** One fault per check: what somebody would have to do past the code, with triggers and foreign keys switched off. */
const FAULTS: Record<string, () => SQL> = {
  'Σ ledger = balance': () =>
    sql`update credit_accounts set balance_credits = balance_credits + 1 where user_id = ${id.user}`,
  'every ledger entry has an account': () => sql`delete from credit_accounts where user_id = ${id.user}`,
  'the balances after each entry chain up': () =>
    sql`update credit_ledger set balance_after_credits = balance_after_credits + 1 where key = ${`redeem:code:${id.code}`}`,
  'Σ buckets and entries not assigned yet = balance': () =>
    sql`update credit_buckets set remaining_credits = remaining_credits + 1 where order_id = ${id.order}`,
  'every entry falls on buckets in full': () =>
    sql`delete from credit_bucket_moves where entry_id =
      (select id from credit_ledger where key = ${`redeem:code:${id.code}`})`,
  'every bucket holds what its entries left': () =>
    sql`update credit_buckets set remaining_credits = remaining_credits + 1 where order_id = ${id.order}`,
  'an entry moves buckets of its own user': () =>
    sql`update credit_buckets set user_id = ${id.inviter} where order_id = ${id.order}`,
  'an expired bucket is empty and was due': () =>
    sql`update credit_buckets set expires_at = now() + interval '1 day' where expired_at is not null`,
  'a debt is what was owed less what was paid': () =>
    sql`update credit_debts set amount_credits = amount_credits + 1 where user_id = ${id.debtor}`,
  'who owes has nothing to spend': () =>
    sql`update credit_buckets set remaining_credits = 1 where user_id = ${id.debtor}`,
  'a hold took its amount once': () =>
    sql`update credit_holds set amount_credits = amount_credits + 1 where task_id = ${id.running}`,
  'a hold gave back what it says': () =>
    sql`update credit_holds set status = 'captured', captured_credits = 9, returned_credits = 1, closed_at = now()
      where task_id = ${id.running}`,
  'what a hold took and gave back is of its user': () =>
    sql`update credit_holds set user_id = ${id.inviter} where task_id = ${id.running}`,
  'every task has a hold that fits its status': () =>
    sql`update credit_holds set status = 'captured', captured_credits = 10, closed_at = now()
      where task_id = ${id.running}`,
  'refunds and holds agree': () =>
    sql`update credit_refunds set status = 'manual', settled_at = null where task_id = ${id.refunded}`,
  'a settled refund is in the ledger once': () =>
    sql`update credit_ledger set key = 'other' where key = ${`refund:task:${id.refunded}`}`,
  'the cost guard counted what is set aside': () =>
    sql`update credit_day_spending set spent_credits = spent_credits + 1 where user_id = ${id.user}`,
  'at most one dispatch may have started work': () =>
    sql`insert into dispatches (id, task_id, number, channel_id, executor_id, claim_token)
      select gen_random_uuid(), id, 2, channel_id, gen_random_uuid(), 1 from generation_tasks where id = ${id.running}`,
  'a budget is spent, free or drawn': () =>
    sql`update credit_holds set budget_free_credits = budget_free_credits - 1 where task_id = ${id.agent}`,
  'a budget spent and captured what its draws were charged': () =>
    sql`update credit_holds set captured_credits = captured_credits - 1, returned_credits = returned_credits + 1
      where task_id = ${id.charged}`,
  'a draw is a child of the composite that it draws from': () =>
    sql`update generation_tasks set parent_id = ${id.settledAgent} where id = ${id.drawn}`,
  'no draw is open under a settled budget': () => reopenHold(id.charged),
  'a composite that has ended has no child under way': () =>
    sql`update generation_tasks set parent_id = ${id.settledAgent} where id = ${id.running}`,
  'a paid order was credited once, no other was': () =>
    sql`update credit_ledger set order_id = ${id.unpaid} where kind = 'purchase'`,
  'what was taken back for an order is written on it': () =>
    sql`update orders set clawed_back_credits = 41 where id = ${id.order}`,
  'what was paid back for an order is written on it': () =>
    sql`update orders set refunded_minor = 401 where id = ${id.order}`,
  'the status of an order fits its money': () =>
    sql`update orders set status = 'refunding' where id = ${id.order}`,
  'a payment refund is of its order': () =>
    sql`update payment_refunds set user_id = ${id.inviter} where order_id = ${id.order}`,
  'a redeemed code was credited once, no other was': () =>
    sql`update redeem_codes set redeemed_by = null, redeemed_at = null where id = ${id.code}`,
  'an invite paid what it says': () => sql`update invites set inviter_credits = 6 where id = ${id.invite}`,
  'an invite took back what it paid, or nothing': () =>
    sql`update credit_debts set key = 'other' where key = ${`invite-clawback:${id.invite}:inviter`}`,
};

const reopenHold = (taskId: string): SQL =>
  sql`update credit_holds set status = 'held', captured_credits = 0, returned_credits = 0, closed_at = null
    where task_id = ${taskId}`;
const ledgerEntry = (taskId: string, kind: string, credits: number): SQL =>
  sql`insert into credit_ledger (id, user_id, kind, delta_credits, balance_after_credits, key, task_id, actor, reason)
    values (gen_random_uuid(), ${id.user}, ${kind}, ${credits}, 0, ${newId()}, ${taskId}, 'test', 'Test')`;
const setPhase = (taskId: string, phase: string): SQL =>
  sql`update composite_tasks set phase = ${phase} where task_id = ${taskId}`;

/** What children and composites could do wrong, by the check that says so. */
const COMPOSITE_FAULTS: [string, string, () => SQL][] = [
  ['a hold took its amount once', 'a draw in the ledger', () => ledgerEntry(id.drawn, 'hold', -6)],
  ['a hold gave back what it says', 'a draw that came back', () => ledgerEntry(id.givenBack, 'return', 5)],
  [
    'refunds and holds agree',
    'a refund of a draw',
    () => sql`insert into credit_refunds (id, task_id, user_id, amount_credits, reason)
      values (gen_random_uuid(), ${id.givenBack}, ${id.user}, 5, 'Test')`,
  ],
  [
    'refunds and holds agree',
    'a draw that waits for the refund lane',
    () => sql`update credit_holds set status = 'refunding', returned_credits = 0, closed_at = null
      where task_id = ${id.givenBack}`,
  ],
  [
    'every task has a hold that fits its status',
    'an agent without a budget',
    () => sql`delete from credit_holds where task_id = ${id.agent}`,
  ],
  [
    'every task has a hold that fits its status',
    'a child without a draw',
    () => sql`delete from credit_holds where task_id = ${id.drawn}`,
  ],
  [
    'every task has a hold that fits its status',
    'a child that ended and still holds',
    () => reopenHold(id.givenBack),
  ],
  [
    'every task has a hold that fits its status',
    'a composite that ended and still holds',
    () => reopenHold(id.settledAgent),
  ],
  [
    'every task has a hold that fits its status',
    'a drama that makes shots without a budget',
    () => setPhase(id.drama, 'shots'),
  ],
  [
    'every task has a hold that fits its status',
    'a drama that holds during its review',
    () => sql`insert into credit_holds (task_id, user_id, amount_credits, budget_free_credits, budget_spent_credits)
      values (${id.drama}, ${id.user}, 0, 0, 0)`,
  ],
  [
    'every task has a hold that fits its status',
    'a drama that succeeded without a budget',
    () => sql`update generation_tasks set status = 'succeeded', has_outputs = true, next_poll_at = null,
      finished_at = now(), waiting_for = null, waiting_until = null where id = ${id.drama}`,
  ],
  [
    'every task has a hold that fits its status',
    'a revision that made something and held nothing',
    () => sql`update generation_tasks set parent_id = ${id.recut} where id = ${id.charged}`,
  ],
  [
    'a budget is spent, free or drawn',
    'a draw more than was taken',
    () => sql`update credit_holds set amount_credits = amount_credits + 1 where task_id = ${id.drawn}`,
  ],
  [
    'a draw is a child of the composite that it draws from',
    'a draw of another user',
    () => sql`update credit_holds set user_id = ${id.inviter} where task_id = ${id.drawn}`,
  ],
  [
    'a draw is a child of the composite that it draws from',
    'a draw from what is no budget',
    () => sql`update credit_holds set budget_free_credits = null, budget_spent_credits = null
      where task_id = ${id.agent}`,
  ],
];

it('finds nothing in books that are right, and says what it looked at', async () => {
  expect(await auditLedger(t.db)).toEqual([]);
  const view = await readAudit({ db: t.db, clock: systemClock });
  expect(view).toMatchObject({ checks: CHECK_NAMES, mismatches: [] });
  expect(view.checkedAt.getTime()).toBeLessThanOrEqual(Date.now());
});

it('takes a hold that an older release gave back, which knew no cost guard, for what it is', async () => {
  const user = await createUser(t.db, { balanceCredits: 0 });
  await moneyOf(t).give(user.id, 10);
  const task = await createTask(t.db, { userId: user.id, status: 'failed', holdCredits: 0 });
  await t.sql`delete from credit_refunds where task_id = ${task.id}`;
  await t.sql`delete from credit_holds where task_id = ${task.id}`;
  await t.db.transaction((tx) =>
    placeHold(tx, { userId: user.id, taskId: task.id, credits: 10, reason: 'Held' }),
  );
  await t.sql`insert into credit_refunds (id, task_id, user_id, amount_credits, reason, status, settled_at, next_attempt_at)
    values (${newId()}, ${task.id}, ${user.id}, 10, 'Failed', 'settled', now(), null)`;
  await t.sql`update credit_holds set status = 'refunded', returned_credits = 10, closed_at = now()
    where task_id = ${task.id}`;
  await t.sql`update credit_accounts set balance_credits = 10 where user_id = ${user.id}`;
  await t.sql`insert into credit_ledger
      (id, user_id, kind, delta_credits, balance_after_credits, key, task_id, actor, reason)
    values (${newId()}, ${user.id}, 'refund', 10, 10, ${`refund:task:${task.id}`}, ${task.id}, 'refund-lane', 'Failed')`;
  expect(await auditLedger(t.db)).toEqual([]);
});

it('has a planted fault for every check', () => {
  expect(Object.keys(FAULTS)).toEqual(CHECK_NAMES);
});

it.each(Object.entries(FAULTS))('finds a planted fault: %s', async (check, fault) => {
  expect(await checksThatFind(fault)).toContain(check);
});

it.each(COMPOSITE_FAULTS)('%s: finds %s', async (check, _what, fault) => {
  expect(await checksThatFind(fault)).toContain(check);
});

async function checksThatFind(fault: () => SQL): Promise<string[]> {
  let found: string[] = [];
  const undone = t.db.transaction(async (tx) => {
    await tx.execute(sql`alter table dispatches disable trigger all`);
    await tx.execute(sql`drop index dispatches_one_open_key`);
    await tx.execute(sql`alter table credit_holds drop constraint credit_holds_draw`);
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(fault());
    found = (await findMismatches(tx)).map((mismatch) => mismatch.check);
    tx.rollback();
  });
  await expect(undone).rejects.toThrow('Rollback');
  return found;
}

it('sees one moment: movements beside it are no mismatch', async () => {
  const money = moneyOf(t);
  const [audits] = await Promise.all([
    Promise.all(Array.from({ length: 4 }, () => auditLedger(t.db))),
    ...Array.from({ length: 5 }, () => money.give(id.user, 1)),
  ]);
  expect(audits.flat()).toEqual([]);
});
