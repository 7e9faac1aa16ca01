import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createInviteRig } from '#server/testing/invite-rig.ts';
import { createPaidOrder, refundPaidOrder } from '#server/testing/order-factories.ts';

let rig: Awaited<ReturnType<typeof createInviteRig>>;
beforeAll(async () => {
  rig = await createInviteRig();
});
afterAll(() => rig.close());
afterEach(async () => {
  setCrashHandler(undefined);
  expect(await rig.audit()).toEqual([]);
  await rig.clear();
});

describe('a refunded order', () => {
  it('before the reward: nothing is paid, now or later', async () => {
    for (const amountMinor of [1_000, 1]) {
      const { inviter, invitee, orderId } = await rig.bought(10);
      await rig.run();
      await refundPaidOrder(rig.t.db, orderId, { amountMinor });
      expect(await rig.run()).toMatchObject({ claimed: 1, refused: 1, nextDueAt: null });
      expect(await rig.inviteOf(invitee)).toMatchObject({
        status: 'refused',
        due_at: null,
        note: 'The first order was refunded before the reward was due.',
      });
      await createPaidOrder(rig.t.db, { userId: invitee, paidDaysAgo: 1 });
      expect(await rig.run()).toMatchObject({ qualified: 0, rewarded: 0 });
      expect(await rig.balanceOf(inviter)).toBe(0);
    }
  });

  it('before the lane ever saw it, or between the look and the payment: nothing is paid', async () => {
    const unseen = await rig.bought(15);
    await refundPaidOrder(rig.t.db, unseen.orderId);
    expect(await rig.run()).toMatchObject({ refused: 1, qualified: 0 });
    const late = await rig.bought(15);
    setCrashHandler(async (name) => {
      if (name !== 'invite.after-claim') return;
      setCrashHandler(undefined);
      await refundPaidOrder(rig.t.db, late.orderId);
    });
    expect(await rig.run()).toMatchObject({ qualified: 1, refused: 1, rewarded: 0 });
    expect([await rig.balanceOf(late.inviter), await rig.rewardsOf(late.invitee)]).toEqual([0, []]);
    expect(await rig.inviteOf(late.invitee)).toMatchObject({ status: 'refused' });
  });

  it('B68 after the reward: taken back once from both, and what was spent is a debt', async () => {
    const { inviter, invitee, orderId } = await rig.bought(15);
    await rig.run();
    await rig.spend(inviter, 45);
    await refundPaidOrder(rig.t.db, orderId, { amountMinor: 500 });
    const batches = await Promise.all(Array.from({ length: 5 }, () => rig.run()));
    await refundPaidOrder(rig.t.db, orderId, { amountMinor: 500 });
    batches.push(await rig.run(), await rig.run());
    expect(batches.reduce((sum, batch) => sum + batch.clawedBack, 0)).toBe(1);
    const invite = await rig.inviteOf(invitee);
    expect(invite).toMatchObject({ status: 'clawed_back', inviter_credits: 50, invitee_credits: 30 });
    expect([await rig.balanceOf(inviter), await rig.debtOf(inviter)]).toEqual([0, 45]);
    expect([await rig.balanceOf(invitee), await rig.debtOf(invitee)]).toEqual([0, 0]);
    const entries = await rig.t
      .sql`select key, delta_credits::int as delta from credit_ledger where key like ${`invite-clawback:${invite?.id}:%`} order by key`;
    expect([...entries]).toEqual([
      { key: `invite-clawback:${invite?.id}:invitee`, delta: -30 },
      { key: `invite-clawback:${invite?.id}:inviter`, delta: -5 },
    ]);
  });

  it('takes nothing from whoever was paid nothing', async () => {
    const { inviter, invitee, orderId } = await rig.bought(15);
    await rig.run({ monthlyCap: 0 });
    await refundPaidOrder(rig.t.db, orderId);
    expect(await rig.run()).toMatchObject({ clawedBack: 1 });
    expect([await rig.balanceOf(inviter), await rig.debtOf(inviter)]).toEqual([0, 0]);
    expect(await rig.balanceOf(invitee)).toBe(0);
  });

  it('a dispute counts from the day it is opened; one that is won later does not pay again', async () => {
    const before = await rig.bought(10);
    const after = await rig.bought(15);
    await rig.run();
    const dispute = (status: string, state: string) =>
      rig.t
        .sql`update orders set status = ${state}, dispute = ${status}, invites_due = true where id in (${before.orderId}, ${after.orderId})`;
    await dispute('open', 'refunding');
    expect(await rig.run()).toMatchObject({ claimed: 2, refused: 1, clawedBack: 1 });
    await dispute('won', 'paid');
    expect(await rig.run()).toMatchObject({ claimed: 2, qualified: 0, rewarded: 0 });
    await createPaidOrder(rig.t.db, { userId: after.invitee });
    await rig.run();
    expect(await rig.inviteOf(before.invitee)).toMatchObject({ status: 'refused' });
    expect(await rig.inviteOf(after.invitee)).toMatchObject({ status: 'clawed_back' });
    expect([await rig.balanceOf(before.inviter), await rig.balanceOf(after.inviter)]).toEqual([0, 0]);
  });

  it('whose refund is not decided is waited for: given up pays, settled does not', async () => {
    const givenUp = await rig.bought(15);
    const settled = await rig.bought(15);
    await rig.t
      .sql`update orders set status = 'refunding' where id in (${givenUp.orderId}, ${settled.orderId})`;
    const waiting = await rig.run();
    expect(waiting).toMatchObject({ qualified: 2, rewarded: 0, refused: 0, retried: 2 });
    const wait = (waiting.nextDueAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(50 * 60_000);
    expect(await rig.inviteOf(givenUp.invitee)).toMatchObject({
      attempts: 0,
      last_error: null,
      lease_until: null,
    });
    await rig.t.sql`update orders set status = 'paid', invites_due = true where id = ${givenUp.orderId}`;
    await refundPaidOrder(rig.t.db, settled.orderId);
    expect(await rig.run()).toMatchObject({ claimed: 2, refused: 1 });
    await rig.makeDue(givenUp.invitee);
    expect(await rig.run()).toMatchObject({ rewarded: 1 });
    expect([await rig.balanceOf(givenUp.inviter), await rig.balanceOf(settled.inviter)]).toEqual([50, 0]);
  });

  it('cannot slip in between the look at the order and the reward: it waits, and then the reward is taken back', async () => {
    const { inviter, invitee, orderId } = await rig.bought(15);
    let refund: Promise<void> | undefined;
    setCrashHandler(async (name) => {
      if (name !== 'invite.after-look') return;
      setCrashHandler(undefined);
      refund = refundPaidOrder(rig.t.db, orderId);
      await untilSomebodyWaits();
    });
    expect(await rig.run()).toMatchObject({ rewarded: 1 });
    await refund;
    expect(await rig.run()).toMatchObject({ clawedBack: 1 });
    expect(await rig.inviteOf(invitee)).toMatchObject({ status: 'clawed_back' });
    expect([await rig.balanceOf(inviter), await rig.debtOf(inviter)]).toEqual([0, 0]);
  });

  it('in parallel with the reward ends in one of two ways, and in both nobody keeps it', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { inviter, invitee, orderId } = await rig.bought(10);
      await rig.run();
      await rig.makeDue(invitee);
      await Promise.all([rig.run(), refundPaidOrder(rig.t.db, orderId), rig.run()]);
      await rig.run();
      expect(['refused', 'clawed_back']).toContain((await rig.inviteOf(invitee))?.status);
      expect([await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([0, 0]);
      expect([await rig.debtOf(inviter), await rig.debtOf(invitee)]).toEqual([0, 0]);
    }
  });
});

async function untilSomebodyWaits(): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) {
    const waiting = await rig.t
      .sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if (waiting.length > 0) return;
  }
  throw new Error('Nobody waits for a lock');
}
