import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantCredits, postEntry } from '#server/billing/ledger.ts';
import { newId } from '#server/lib/ids.ts';
import { endDispute } from './end-dispute.ts';
import { resolveRefund, retryRefund } from './resolve-refund.ts';
import { createOrderRig, type OrderRig } from './testing/order-rig.ts';

let rig: OrderRig;
beforeAll(async () => {
  rig = await createOrderRig();
});
afterAll(async () => {
  expect(await rig.audit()).toEqual([]);
  await rig.close();
});

type Step = 'dispute_opened' | 'dispute_won' | 'dispute_lost';

/** One step of the order's dispute, reported three times at once, once under an event id of its own. */
async function report(
  orderId: string,
  type: Step,
  about: { disputeId?: string; amountMinor?: number } = {},
): Promise<string[]> {
  const event = rig.news(type, orderId, { disputeId: `dispute-${orderId}`, ...about });
  const outcomes = await Promise.all([event, event, { ...event, eventId: newId() }].map(rig.deliver));
  return outcomes.sort();
}

const spend = (userId: string, credits: number) =>
  rig.deps.db.transaction((tx) =>
    postEntry(tx, {
      userId,
      kind: 'adjustment',
      deltaCredits: -credits,
      key: `spend:${newId()}`,
      actor: 'test',
      reason: 'Spent',
    }),
  );

describe('a chargeback', () => {
  it('takes every credit once; what was spent is owed', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 70);
    await report(orderId, 'dispute_opened');
    expect(await rig.see(orderId)).toMatchObject({
      status: 'refunding',
      dispute: 'open',
      clawedBackCredits: 100,
    });
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'adjustment -70', 'clawback -30']);
    expect(await rig.credits(userId)).toMatchObject({ balanceCredits: 0, debts: [{ amountCredits: 70 }] });
  });

  it('that is won gives them back once, and the debt is gone', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 70);
    await report(orderId, 'dispute_opened');
    await report(orderId, 'dispute_won');
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', dispute: 'won', clawedBackCredits: 0 });
    expect(await rig.credits(userId)).toMatchObject({ balanceCredits: 30, debts: [] });
    expect((await rig.entries(userId)).filter((entry) => entry.startsWith('reinstate'))).toEqual([
      'reinstate 100',
    ]);
    // Late news of its opening takes nothing any more.
    expect(await rig.deliver(rig.news('dispute_opened', orderId, { disputeId: `dispute-${orderId}` }))).toBe(
      'ignored',
    );
    expect(await rig.worth(userId)).toBe(30);
  });

  it('that is lost is money paid back, once', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await report(orderId, 'dispute_opened');
    await report(orderId, 'dispute_lost');
    const order = await rig.see(orderId);
    expect(order).toMatchObject({
      status: 'refunded',
      dispute: 'lost',
      refundedMinor: 1_000,
      clawedBackCredits: 100,
      refunds: [{ origin: 'provider', status: 'settled', amountMinor: 1_000 }],
    });
    expect(await rig.worth(userId)).toBe(0);
    await expect(rig.refund(orderId, 'full')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('whose opening was never reported takes the credits when it is lost', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await report(orderId, 'dispute_lost');
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', dispute: 'lost' });
    await report(orderId, 'dispute_opened');
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -100']);
  });

  it('after a part was refunded takes the rest, and gives back the rest', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await rig.deliver(rig.refunded(orderId, { amountMinor: 400 }));
    await report(orderId, 'dispute_opened');
    expect(await rig.entries(userId)).toEqual(['purchase 100', 'clawback -40', 'clawback -60']);
    await report(orderId, 'dispute_won');
    expect(await rig.see(orderId)).toMatchObject({
      status: 'paid',
      refundedMinor: 400,
      clawedBackCredits: 40,
    });
    expect(await rig.worth(userId)).toBe(60);
  });

  it('holds a refund that is on its way, so that the payer is not paid twice', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    await report(orderId, 'dispute_opened');
    expect(await rig.lane()).toMatchObject({ claimed: 0 });
    expect((await rig.see(orderId)).refunds).toMatchObject([{ status: 'manual' }]);
    const actorId = rig.admin.id;
    await expect(retryRefund(rig.deps, { refundId, actorId })).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      resolveRefund(rig.deps, { refundId, verdict: 'give_up', reason: 'Disputed', actorId }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await report(orderId, 'dispute_lost');
    const order = await rig.see(orderId);
    expect(order).toMatchObject({ status: 'refunded', refundedMinor: 1_000 });
    expect(order.refunds.map((refund) => refund.status).sort()).toEqual(['given_up', 'settled']);
    expect(await rig.worth(userId)).toBe(0);
  });

  it('that is won lets the held refund be decided', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const { refundId } = await rig.refund(orderId, 'full');
    await report(orderId, 'dispute_opened');
    await report(orderId, 'dispute_won');
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunding', clawedBackCredits: 100 });
    await resolveRefund(rig.deps, {
      refundId,
      verdict: 'give_up',
      reason: 'Won',
      actorId: rig.admin.id,
    });
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', clawedBackCredits: 0 });
    expect(await rig.worth(userId)).toBe(100);
  });

  it('of a part that is lost costs that part (B67)', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 70);
    await report(orderId, 'dispute_opened', { amountMinor: 300 });
    expect(await rig.worth(userId)).toBe(-70);
    await report(orderId, 'dispute_lost', { amountMinor: 300 });
    expect(await rig.see(orderId)).toMatchObject({
      status: 'paid',
      dispute: 'lost',
      refundedMinor: 300,
      clawedBackCredits: 30,
    });
    expect(await rig.worth(userId)).toBe(0);
    // What is left of the payment can still be refunded, and no more.
    await rig.refund(orderId, 'full');
    await rig.lane();
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', clawedBackCredits: 100 });
  });

  it('that is won and lost after all takes the credits again, once', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await report(orderId, 'dispute_opened');
    await report(orderId, 'dispute_won');
    expect(await rig.worth(userId)).toBe(100);
    await report(orderId, 'dispute_lost');
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', clawedBackCredits: 100 });
    expect(await rig.worth(userId)).toBe(0);
  });

  it('beside another one keeps the credits until both have ended', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const [first, second] = [
      { disputeId: newId(), amountMinor: 500 },
      { disputeId: newId(), amountMinor: 500 },
    ];
    await report(orderId, 'dispute_opened', first);
    await report(orderId, 'dispute_opened', second);
    await report(orderId, 'dispute_won', first);
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunding', dispute: 'open' });
    expect(await rig.worth(userId)).toBe(0);
    await report(orderId, 'dispute_lost', second);
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', refundedMinor: 500 });
    expect(await rig.worth(userId)).toBe(50);
  });

  it('and a refund in the panel at once take the credits once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { orderId, userId } = await rig.paidOrder();
      await rig.deps.db.transaction((tx) =>
        grantCredits(tx, { userId, credits: 500, key: newId(), actor: 'test', reason: 'Other credits' }),
      );
      await Promise.all([
        report(orderId, 'dispute_opened'),
        rig.deliver(rig.refunded(orderId, { amountMinor: 1_000 })),
      ]);
      expect(await rig.worth(userId)).toBe(500);
      expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', clawedBackCredits: 100 });
    }
  });

  it('of a payment that was not credited, or is not known, moves nothing', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const dispute = { disputeId: newId(), paymentId: 'another' };
    expect(await rig.deliver(rig.news('dispute_opened', orderId, dispute))).toBe('mismatch');
    const stranger = { ...dispute, orderId: null, checkoutId: null };
    expect(await rig.deliver(rig.news('dispute_opened', orderId, stranger))).toBe('ignored');
    expect(await rig.worth(userId)).toBe(100);
  });
});

describe('a dispute whose end was never reported', () => {
  const end = (orderId: string, verdict: 'won' | 'lost') =>
    endDispute(rig.deps, { orderId, verdict, reason: 'Seen in the panel', actorId: rig.admin.id });
  /** The provider's own word, as late as it may be. */
  const late = (orderId: string, type: Step, about: { disputeId?: string; amountMinor?: number } = {}) =>
    rig.deliver(rig.news(type, orderId, { disputeId: `dispute-${orderId}`, ...about }));

  it('is ended by an administrator as won, once; the provider’s word moves nothing more', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await spend(userId, 70);
    await report(orderId, 'dispute_opened');
    const both = await Promise.allSettled([end(orderId, 'won'), end(orderId, 'won')]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const order = await rig.see(orderId);
    expect(order).toMatchObject({ status: 'paid', dispute: 'won', clawedBackCredits: 0 });
    expect(order.events[0]).toMatchObject({ type: 'dispute_won', outcome: 'applied' });
    expect(await rig.worth(userId)).toBe(30);
    expect(await rig.t.sql`select action, reason, data from audit_log where subject_id = ${orderId}`).toEqual(
      [
        {
          action: 'order.end_dispute',
          reason: 'Seen in the panel',
          data: { verdict: 'won', disputes: [`dispute-${orderId}`] },
        },
      ],
    );
    const entries = await rig.entries(userId);
    expect(await late(orderId, 'dispute_won')).toBe('ignored');
    expect(await late(orderId, 'dispute_opened')).toBe('ignored');
    expect(await rig.entries(userId)).toEqual(entries);
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', dispute: 'won' });
  });

  it('of a part, ended as lost, costs that part once, whatever the provider says later', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await report(orderId, 'dispute_opened', { amountMinor: 300 });
    await end(orderId, 'lost');
    const lost = { status: 'paid', dispute: 'lost', refundedMinor: 300, clawedBackCredits: 30 };
    expect(await rig.see(orderId)).toMatchObject(lost);
    expect(await late(orderId, 'dispute_lost', { amountMinor: 300 })).toBe('ignored');
    expect(await late(orderId, 'dispute_won', { amountMinor: 300 })).toBe('mismatch');
    const order = await rig.see(orderId);
    expect(order).toMatchObject(lost);
    expect(order.refunds).toHaveLength(1);
    expect(await rig.worth(userId)).toBe(70);
  });

  it('that an administrator took for won is lost when the provider says so, once', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await report(orderId, 'dispute_opened');
    await end(orderId, 'won');
    expect(await late(orderId, 'dispute_lost')).toBe('applied');
    expect(await late(orderId, 'dispute_lost')).toBe('ignored');
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', refundedMinor: 1_000 });
    expect(await rig.worth(userId)).toBe(0);
  });

  it('ends together with the other one of its payment', async () => {
    const { orderId, userId } = await rig.paidOrder();
    const [first, second] = [
      { disputeId: newId(), amountMinor: 300 },
      { disputeId: newId(), amountMinor: 200 },
    ];
    await report(orderId, 'dispute_opened', first);
    await report(orderId, 'dispute_opened', second);
    await end(orderId, 'lost');
    expect(await rig.see(orderId)).toMatchObject({ status: 'paid', dispute: 'lost', refundedMinor: 500 });
    expect(await late(orderId, 'dispute_lost', first)).toBe('ignored');
    expect(await rig.worth(userId)).toBe(50);
  });

  it('is ended though its events cannot be told, and only while it is open', async () => {
    const { orderId, userId } = await rig.paidOrder();
    await expect(end(orderId, 'won')).rejects.toMatchObject({ code: 'conflict' });
    await expect(end(newId(), 'won')).rejects.toMatchObject({ code: 'not_found' });
    await rig.deliver(rig.news('dispute_opened', orderId, { disputeId: newId(), paymentId: null }));
    await end(orderId, 'lost');
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', refundedMinor: 1_000 });
    await late(orderId, 'dispute_lost');
    expect(await rig.see(orderId)).toMatchObject({ status: 'refunded', refundedMinor: 1_000 });
    expect(await rig.worth(userId)).toBe(0);
    await expect(end(orderId, 'lost')).rejects.toMatchObject({ code: 'conflict' });
  });
});
