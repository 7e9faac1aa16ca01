import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUsers } from '#server/billing/find-users.ts';
import { readRefunds, runRefundDeeds } from '#server/billing/manage-refunds.ts';
import { createBatch, revokeBatches } from '#server/billing/redeem/manage-batches.ts';
import { readBatches } from '#server/billing/redeem/read-batches.ts';
import { batchesInput } from '#server/billing/redeem/schemas.ts';
import { findUsersInput, refundsInput } from '#server/billing/schemas.ts';
import { readInvites } from '#server/invites/read-invites.ts';
import { adminInvitesInput } from '#server/invites/schemas.ts';
import { voidInvites } from '#server/invites/void-invites.ts';
import { newId } from '#server/lib/ids.ts';
import { closeOrders } from '#server/orders/cancel-order.ts';
import { readAdminOrderPage } from '#server/orders/read-admin-orders.ts';
import { adminOrdersInput } from '#server/orders/schemas.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';

/** The lists of money in the back office, and what is done to many of their rows. */

let rig: Rig;
let actorId: string;
beforeAll(async () => {
  rig = await createRig();
  actorId = (await createUser(rig.db, { role: 'admin' })).id;
});
afterAll(() => rig.close());

const reason = 'Asked for by letter.';
const auditOf = async (id: string) =>
  (await rig.t.sql`select action, reason from audit_log where subject_id = ${id}`).map((row) => ({ ...row }));

/** Every row of a list, two by two. */
async function walk<Item>(
  readPage: (page: { limit: number; cursor: string | undefined }) => Promise<{
    items: Item[];
    nextCursor: string | null;
  }>,
): Promise<Item[]> {
  const seen: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage({ limit: 2, cursor });
    expect(page.items.length).toBeLessThanOrEqual(2);
    seen.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return seen;
}

describe('orders', () => {
  async function order(userId: string, status: 'pending' | 'paid', amountMinor = 500): Promise<string> {
    const id = newId();
    const paid = status === 'paid';
    await rig.t
      .sql`insert into orders (id, user_id, title, credits, amount_minor, currency, status, request_key,
        provider, expires_at, paid_at, payment_id)
      values (${id}, ${userId}, 'Pack', 100, ${amountMinor}, 'EUR', ${status}, ${id}, 'sandbox',
        now() + interval '1 hour', ${paid ? new Date().toISOString() : null}, ${paid ? `pay-${id}` : null})`;
    return id;
  }

  it('are closed though one of them was paid; the report names it', async () => {
    const { id: userId, email } = await createUser(rig.db);
    const [first, paid, last] = [
      await order(userId, 'pending'),
      await order(userId, 'paid'),
      await order(userId, 'pending'),
    ];
    const { results } = await closeOrders(rig.deps, { orderIds: [first, paid, last], reason, actorId });
    expect(results).toEqual([
      { id: first, ok: true, message: null },
      { id: paid, ok: false, message: 'This order was paid: it can be refunded, not cancelled.' },
      { id: last, ok: true, message: null },
    ]);
    expect([await auditOf(first), await auditOf(paid), await auditOf(last)]).toEqual([
      [{ action: 'order.close', reason }],
      [],
      [{ action: 'order.close', reason }],
    ]);
    const find = (input: object) =>
      walk((page) => readAdminOrderPage(rig.deps, adminOrdersInput.parse({ ...input, ...page })));
    const idsOf = async (input: object) => (await find(input)).map(({ id }) => id);
    expect(await idsOf({ who: email.toUpperCase() })).toEqual([last, paid, first]);
    expect(await idsOf({ who: userId, sort: 'amount', order: 'asc' })).toEqual([first, paid, last]);
    expect(await idsOf({ who: `pay-${paid}` })).toEqual([paid]);
    expect(await idsOf({ who: userId, sort: 'paid' })).toEqual([paid]);
    expect(await idsOf({ who: userId, status: 'cancelled', to: '2020-01-01' })).toEqual([]);
  });
});

describe('refunds of tasks', () => {
  it('are voided though one of them waits for nobody', async () => {
    const { id: userId } = await createUser(rig.db);
    const taskIds: string[] = [];
    for (let n = 0; n < 3; n += 1) taskIds.push((await createTask(rig.db, { userId, status: 'failed' })).id);
    await rig.t.sql`update credit_refunds set status = 'manual', next_attempt_at = null
      where task_id = any(${[taskIds[0] ?? '', taskIds[2] ?? '']})`;
    const find = (input: object) =>
      walk((page) => readRefunds(rig.deps, refundsInput.parse({ who: userId, ...input, ...page })));
    const refunds = await find({ sort: 'amount', order: 'asc' });
    expect(refunds.map(({ taskId }) => taskId)).toEqual(taskIds);
    const { results } = await runRefundDeeds(rig.deps, {
      deed: 'void',
      refundIds: refunds.map(({ id }) => id),
      reason,
      operatorId: actorId,
    });
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect((await find({ order: 'asc' })).map(({ status }) => status)).toEqual([
      'voided',
      'pending',
      'voided',
    ]);
    expect(await auditOf(refunds[0]?.id ?? '')).toEqual([{ action: 'refund.void', reason }]);
  });
});

describe('batches of codes', () => {
  it('are revoked though one of them is not there, and are found by state, title and credits', async () => {
    const batch = async (title: string, credits: number) => {
      const terms = { title, credits, codeCount: 1, expiresAt: null, validDays: null, oncePerUser: true };
      return (await createBatch(rig.deps, { ...terms, key: newId(), adminId: actorId })).batchId;
    };
    const ids = [await batch('Fair one', 5), await batch('Fair two', 5), await batch('Fair 100%', 9)];
    const unknown = newId();
    const { results } = await revokeBatches(rig.deps, {
      batchIds: [ids[0] ?? '', unknown, ids[1] ?? ''],
      reason,
      adminId: actorId,
    });
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true]);
    const find = async (input: object) =>
      (await walk((page) => readBatches(rig.deps, batchesInput.parse({ ...input, ...page })))).map(
        ({ id }) => id,
      );
    expect(await find({ state: 'revoked' })).toEqual([ids[1], ids[0]]);
    expect(await find({ search: '100%' })).toEqual([ids[2]]);
    expect(new Set(await find({ search: 'fair', sort: 'credits' }))).toEqual(new Set(ids));
    expect((await find({ search: 'fair', sort: 'credits' }))[0]).toBe(ids[2]);
  });
});

describe('invites', () => {
  it('are voided while nothing was paid for them, and then never qualify', async () => {
    const inviter = (await createUser(rig.db)).id;
    const invite = async (status: 'bound' | 'rewarded' | 'qualified') => {
      const id = newId();
      const invitee = (await createUser(rig.db)).id;
      await rig.t.sql`insert into invites (id, inviter_id, invitee_id, status, due_at, rewarded_at)
        values (${id}, ${inviter}, ${invitee}, ${status}, ${status === 'qualified' ? new Date().toISOString() : null},
          ${status === 'rewarded' ? new Date().toISOString() : null})`;
      return id;
    };
    const ids = [await invite('bound'), await invite('rewarded'), await invite('qualified')];
    const find = (input: object) =>
      walk((page) => readInvites(rig.deps, adminInvitesInput.parse({ who: inviter, ...input, ...page })));
    expect((await find({ sort: 'due' })).map(({ id }) => id)).toEqual([ids[2]]);
    const { results } = await voidInvites(rig.deps, { inviteIds: ids, reason, actorId });
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect((await find({ order: 'asc' })).map(({ status, note }) => [status, note])).toEqual([
      ['refused', `An administrator voided it: ${reason}`],
      ['rewarded', null],
      ['refused', `An administrator voided it: ${reason}`],
    ]);
    expect(await auditOf(ids[2] ?? '')).toEqual([{ action: 'invite.void', reason }]);
  });
});

it('people are listed by balance and by what they spent, also where many have the same', async () => {
  const mark = `People ${newId()}`;
  const ids: string[] = [];
  for (const balanceCredits of [7, 50, 7, 7]) {
    ids.push((await createUser(rig.db, { displayName: mark, balanceCredits })).id);
  }
  const [a = '', rich = '', b = '', c = ''] = ids;
  await rig.t.sql`insert into credit_day_spending (user_id, day, spent_credits) values
    (${b}, (now() at time zone 'UTC')::date, 3), (${b}, (now() at time zone 'UTC')::date - 1, 4),
    (${a}, (now() at time zone 'UTC')::date - 40, 900)`;
  const find = (input: object) =>
    walk((page) => findUsers(rig.deps, findUsersInput.parse({ search: mark, ...input, ...page })));
  const idsOf = async (input: object) => (await find(input)).map(({ userId }) => userId);
  expect(await idsOf({ sort: 'balance' })).toEqual([rich, c, b, a]);
  expect(await idsOf({ sort: 'balance', order: 'asc' })).toEqual([a, b, c, rich]);
  expect((await find({ sort: 'spent' })).map(({ userId, spentCredits }) => [userId, spentCredits])).toEqual([
    [b, 7],
    [c, 0],
    [rich, 0],
    [a, 0],
  ]);
  expect(await idsOf({ standing: 'disabled' })).toEqual([]);
});
