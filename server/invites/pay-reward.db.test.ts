import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clawBack } from '#server/billing/ledger.ts';
import { newId } from '#server/lib/ids.ts';
import { createUser } from '#server/testing/factories.ts';
import { createInviteRig } from '#server/testing/invite-rig.ts';
import { createPaidOrder, refundPaidOrder } from '#server/testing/order-factories.ts';
import { countRewards } from './queries.ts';
import { readMyInvites } from './read-invites.ts';

let rig: Awaited<ReturnType<typeof createInviteRig>>;
beforeAll(async () => {
  rig = await createInviteRig();
});
afterAll(() => rig.close());
afterEach(async () => {
  expect(await rig.audit()).toEqual([]);
  await rig.clear();
});

describe('rewards', () => {
  it('B68 wait for the first paid order and the cooling-off time since its payment, then come once to both', async () => {
    const { inviter, invitee } = await rig.pair();
    expect(await rig.run()).toMatchObject({ claimed: 0, nextDueAt: null });

    const order = await createPaidOrder(rig.t.db, { userId: invitee, paidDaysAgo: 10 });
    const first = await rig.run();
    expect(first).toMatchObject({ claimed: 1, qualified: 1, rewarded: 0 });
    const dueAt = new Date((order.paidAt?.getTime() ?? 0) + 14 * 86_400_000);
    expect(first.nextDueAt).toEqual(dueAt);
    expect(await rig.inviteOf(invitee)).toMatchObject({ status: 'qualified', order_id: order.id });
    expect(await rig.run()).toMatchObject({ claimed: 0, nextDueAt: dueAt });
    expect([await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([0, 100]);

    await rig.makeDue(invitee);
    expect(await rig.run()).toMatchObject({ claimed: 1, rewarded: 1, nextDueAt: null });
    expect([await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([50, 130]);
    const invite = await rig.inviteOf(invitee);
    expect(invite).toMatchObject({
      status: 'rewarded',
      inviter_credits: 50,
      invitee_credits: 30,
      due_at: null,
      note: null,
    });
    expect(await rig.rewardsOf(inviter)).toEqual([{ key: `invite:${invite?.id}:inviter`, delta: 50 }]);
    expect(await rig.rewardsOf(invitee)).toEqual([{ key: `invite:${invite?.id}:invitee`, delta: 30 }]);
    const [bucket] = await rig.t.sql`select kind, expires_at from credit_buckets where user_id = ${inviter}`;
    expect(bucket).toEqual({ kind: 'promotional', expires_at: null });
    expect((await readMyInvites(rig.deps(), inviter)).rewardsThisMonth).toBe(1);
  });

  it('B68 are paid once by a batch run twice, and by five at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const pairs = await Promise.all(Array.from({ length: 6 }, () => rig.bought(15)));
      const batches = await Promise.all(Array.from({ length: 5 }, () => rig.run()));
      batches.push(await rig.run(), await rig.run());
      expect(batches.reduce((sum, batch) => sum + batch.qualified, 0)).toBe(6);
      expect(batches.reduce((sum, batch) => sum + batch.rewarded, 0)).toBe(6);
      expect(batches.reduce((sum, batch) => sum + batch.retried, 0)).toBe(0);
      for (const { inviter, invitee } of pairs) {
        expect([await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([50, 130]);
      }
    }
  });

  it('come for the first order only: a second one changes nothing, also when that is refunded', async () => {
    const { inviter, invitee } = await rig.bought(15);
    expect(await rig.run()).toMatchObject({ qualified: 1, rewarded: 1 });
    const second = await createPaidOrder(rig.t.db, { userId: invitee });
    expect(await rig.run()).toMatchObject({ claimed: 1, qualified: 0, rewarded: 0, refused: 0 });
    await refundPaidOrder(rig.t.db, second.id);
    expect(await rig.run()).toMatchObject({ claimed: 1, clawedBack: 0 });
    expect(await rig.inviteOf(invitee)).toMatchObject({ status: 'rewarded' });
    expect(await rig.balanceOf(inviter)).toBe(50);
  });

  it('qualify by the order that was paid first, whichever is looked at first', async () => {
    const { invitee } = await rig.pair();
    const later = await createPaidOrder(rig.t.db, { userId: invitee, paidDaysAgo: 1 });
    const earlier = await createPaidOrder(rig.t.db, { userId: invitee, paidDaysAgo: 2 });
    expect(later.id < earlier.id).toBe(true);
    expect(await rig.run()).toMatchObject({ claimed: 2, qualified: 1 });
    expect(await rig.inviteOf(invitee)).toMatchObject({ order_id: earlier.id });
  });

  it('are what the settings say on the day they are paid, and stay what they were', async () => {
    const { inviter, invitee, orderId } = await rig.bought(15);
    await rig.run({ inviterCredits: 7, inviteeCredits: 0 });
    expect(await rig.inviteOf(invitee)).toMatchObject({
      status: 'rewarded',
      inviter_credits: 7,
      invitee_credits: 0,
    });
    await refundPaidOrder(rig.t.db, orderId);
    await rig.run({ inviterCredits: 500, inviteeCredits: 500 });
    expect([await rig.balanceOf(inviter), await rig.debtOf(inviter)]).toEqual([0, 0]);
    expect([await rig.balanceOf(invitee), await rig.debtOf(invitee)]).toEqual([0, 0]);
  });

  it('pay debts first', async () => {
    const { inviter } = await rig.bought(15);
    await rig.t.db.transaction((tx) =>
      clawBack(tx, { userId: inviter, credits: 20, key: newId(), actor: 'cli', reason: 'Chargeback' }),
    );
    expect(await rig.run()).toMatchObject({ rewarded: 1 });
    expect([await rig.balanceOf(inviter), await rig.debtOf(inviter)]).toEqual([30, 0]);
  });

  it('switched off: what qualified ends without a reward', async () => {
    const { inviter, invitee } = await rig.bought(15);
    expect(await rig.run({ inviterCredits: 0, inviteeCredits: 0 })).toMatchObject({
      qualified: 1,
      refused: 1,
    });
    expect(await rig.inviteOf(invitee)).toMatchObject({
      status: 'refused',
      note: 'Rewards are switched off.',
    });
    await rig.run();
    expect([await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([0, 100]);
  });

  it('of an inviter who was disabled or is gone: only the invited person is paid, with a note', async () => {
    const { inviter, invitee } = await rig.bought(15);
    await rig.t.sql`update users set disabled_at = now(), deleted_at = now() where id = ${inviter}`;
    expect(await rig.run()).toMatchObject({ rewarded: 1 });
    expect(await rig.inviteOf(invitee)).toMatchObject({
      status: 'rewarded',
      inviter_credits: 0,
      invitee_credits: 30,
      note: "The inviter's account was closed: only the invited person is paid.",
    });
    expect([await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([0, 130]);
  });

  it('of an invited person who was disabled or is gone: nobody is paid', async () => {
    const { inviter, invitee } = await rig.bought(15);
    await rig.t.sql`update users set disabled_at = now() where id = ${invitee}`;
    expect(await rig.run()).toMatchObject({ refused: 1 });
    expect(await rig.inviteOf(invitee)).toMatchObject({
      status: 'refused',
      note: 'The invited account was closed before the reward was due.',
    });
    expect([await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([0, 100]);
  });
});

describe('the monthly limit', () => {
  it('holds though five batches pay at once; past it only the invited person is paid', async () => {
    for (let round = 0; round < 3; round += 1) {
      const inviter = (await createUser(rig.t.db, { balanceCredits: 0 })).id;
      const invitees: string[] = [];
      for (let index = 0; index < 8; index += 1) invitees.push((await rig.bought(15, inviter)).invitee);
      // Each takes a few, so that they count side by side.
      const batches = await Promise.all(Array.from({ length: 5 }, () => rig.run({ monthlyCap: 3 }, 2)));
      // What one batch leaves of the limit, the next ones take.
      for (let more = 0; more < 4; more += 1) await rig.run({ monthlyCap: 3 }, 2);
      expect(batches.every((batch) => batch.retried === 0)).toBe(true);
      expect(await rig.balanceOf(inviter)).toBe(150);
      const rows = await Promise.all(invitees.map(rig.inviteOf));
      expect(rows.filter((row) => row?.inviter_credits === 50)).toHaveLength(3);
      const past = rows.filter((row) => row?.inviter_credits === 0);
      expect(past).toHaveLength(5);
      for (const row of past) {
        expect(row).toMatchObject({
          status: 'rewarded',
          invitee_credits: 30,
          note: "The inviter's limit of this month was reached: only the invited person is paid.",
        });
      }
      for (const invitee of invitees) expect(await rig.balanceOf(invitee)).toBe(130);
    }
  });

  it('counts rewards that were taken back, and no reward of another inviter or month', async () => {
    const one = await rig.bought(15);
    await rig.run();
    await refundPaidOrder(rig.t.db, one.orderId);
    await rig.run();
    const two = await rig.bought(15, one.inviter);
    await rig.bought(15);
    expect(await rig.run({ monthlyCap: 1 })).toMatchObject({ rewarded: 2 });
    expect(await rig.inviteOf(two.invitee)).toMatchObject({ inviter_credits: 0 });
    await rig.t
      .sql`update invites set rewarded_at = rewarded_at - interval '32 days' where inviter_id = ${one.inviter}`;
    const three = await rig.bought(15, one.inviter);
    await rig.run({ monthlyCap: 1 });
    expect(await rig.inviteOf(three.invitee)).toMatchObject({ inviter_credits: 50 });
  });

  it('of 0 pays no inviter', async () => {
    const { inviter, invitee } = await rig.bought(15);
    expect(await rig.run({ monthlyCap: 0 })).toMatchObject({ rewarded: 1 });
    expect([await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([0, 130]);
    const alone = await rig.bought(15);
    expect(await rig.run({ monthlyCap: 0, inviteeCredits: 0 })).toMatchObject({ refused: 1 });
    expect(await rig.inviteOf(alone.invitee)).toMatchObject({ status: 'refused' });
  });

  it('B57 starts anew at midnight UTC of the first, wherever the server and the database session are', async () => {
    const { inviter, invitee } = await rig.bought(15);
    await rig.run();
    const rewarded = (at: string) =>
      rig.t.sql`update invites set rewarded_at = ${at}::timestamptz where invitee_id = ${invitee}`;
    const zoneOfServer = process.env.TZ;
    for (const zone of ['UTC', 'Asia/Shanghai', 'America/Los_Angeles', 'Pacific/Kiritimati']) {
      process.env.TZ = zone;
      const session = rig.t.open({ max: 1 });
      await session.sql`select set_config('timezone', ${zone}, false)`;
      const count = (at: string) => countRewards(session.db, { inviterId: inviter, at: new Date(at) });
      await rewarded('2027-01-31T23:59:59.999Z');
      expect([zone, await count('2027-01-01T00:00:00Z'), await count('2027-01-31T23:59:59.999Z')]).toEqual([
        zone,
        1,
        1,
      ]);
      expect([zone, await count('2026-12-31T23:59:59.999Z'), await count('2027-02-01T00:00:00Z')]).toEqual([
        zone,
        0,
        0,
      ]);
      await rewarded('2027-02-01T00:00:00Z');
      expect([zone, await count('2027-01-31T23:59:59.999Z'), await count('2027-02-01T00:00:00Z')]).toEqual([
        zone,
        0,
        1,
      ]);
      expect([zone, await count('2027-02-28T23:59:59.999Z'), await count('2027-03-01T00:00:00Z')]).toEqual([
        zone,
        1,
        0,
      ]);
      await session.close();
    }
    if (zoneOfServer === undefined) delete process.env.TZ;
    else process.env.TZ = zoneOfServer;
  });
});
