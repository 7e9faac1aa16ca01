import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { createInviteRig } from '#server/testing/invite-rig.ts';
import { refundPaidOrder } from '#server/testing/order-factories.ts';
import { runSettlementBatch } from './run-settlement-batch.ts';
import { claimDueInvites } from './settlement-queries.ts';

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

describe('failures', () => {
  const stopAt = (point: CrashPointName, how: 'once' | 'always' = 'always') => {
    setCrashHandler((name) => {
      if (name !== point) return;
      if (how === 'once') setCrashHandler(undefined);
      throw new Error('crash');
    });
  };

  it('a crash between any two statements of the payment costs time only', async () => {
    for (const point of [
      'invite.order.before-seen',
      'invite.order.before-commit',
      'invite.after-claim',
      'invite.after-look',
      'invite.between-rewards',
      'invite.before-commit',
      'invite.after-commit',
    ] as const) {
      const { inviter, invitee } = await rig.bought(15);
      stopAt(point);
      await rig.run().catch(() => undefined);
      setCrashHandler(undefined);
      const [credits] = await Promise.all([rig.balanceOf(inviter)]);
      expect([point, [0, 50].includes(credits)]).toEqual([point, true]);
      await rig.makeDue(invitee);
      await rig.run();
      await rig.makeDue(invitee);
      await rig.run();
      expect([point, await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([point, 50, 130]);
      expect(await rig.inviteOf(invitee)).toMatchObject({ status: 'rewarded' });
    }
  });

  it('a crash between any two statements of taking back takes nothing, and the next lane takes it once', async () => {
    for (const point of [
      'invite.between-clawbacks',
      'invite.order.before-seen',
      'invite.order.before-commit',
    ] as const) {
      const { inviter, invitee, orderId } = await rig.bought(15);
      await rig.run();
      await refundPaidOrder(rig.t.db, orderId);
      stopAt(point);
      expect(await rig.run()).toMatchObject({ clawedBack: 0, retried: 1 });
      setCrashHandler(undefined);
      expect([point, await rig.balanceOf(inviter)]).toEqual([point, 50]);
      await rig.run();
      await rig.run();
      expect([point, await rig.balanceOf(inviter), await rig.balanceOf(invitee)]).toEqual([point, 0, 0]);
    }
  });

  it('a batch that wakes up after its lease was taken over leaves the invite to its successor', async () => {
    const { inviter, invitee } = await rig.bought(15);
    setCrashHandler(async (name) => {
      if (name !== 'invite.after-claim') return;
      setCrashHandler(undefined);
      await rig.t
        .sql`update invites set lease_until = now() - interval '1 second' where invitee_id = ${invitee}`;
      await claimDueInvites(rig.t.db, { limit: 5, leaseSeconds: 30, executorId: newId() });
    });
    expect(await rig.run()).toMatchObject({ rewarded: 0, retried: 1 });
    expect(await rig.inviteOf(invitee)).toMatchObject({ status: 'qualified', attempts: 0 });
    expect(await rig.balanceOf(inviter)).toBe(0);
    await rig.makeDue(invitee);
    expect(await rig.run()).toMatchObject({ rewarded: 1 });
    expect(await rig.balanceOf(inviter)).toBe(50);
  });

  it('a poisoned invite is put off by a growing delay and stops no other', async () => {
    const poisoned = await rig.bought(15);
    const healthy = [await rig.bought(15), await rig.bought(15)];
    const bare = await rig.makeAccountless();
    await rig.t.sql`update invites set inviter_id = ${bare} where invitee_id = ${poisoned.invitee}`;
    const slow = rig.deps({}, { retryBaseMs: 10_000, retryCapMs: 1_000_000 });
    const batch = await runSettlementBatch(slow, { limit: 50, workerId: null });
    expect(batch).toMatchObject({ qualified: 3, rewarded: 2, retried: 1 });
    for (const { inviter } of healthy) expect(await rig.balanceOf(inviter)).toBe(50);
    const delays: number[] = [];
    for (let tries = 1; tries < 4; tries += 1) {
      const row = await rig.inviteOf(poisoned.invitee);
      expect(row).toMatchObject({ status: 'qualified', attempts: tries, lease_until: null });
      expect(row?.last_error).toContain('has no credit account');
      delays.push(new Date(String(row?.due_at)).getTime() - Date.now());
      await rig.makeDue(poisoned.invitee);
      await runSettlementBatch(slow, { limit: 50, workerId: null });
    }
    expect(delays[1]).toBeGreaterThan((delays[0] ?? 0) + 5_000);
    expect(delays[2]).toBeGreaterThan((delays[1] ?? 0) + 5_000);
    expect(await rig.rewardsOf(poisoned.invitee)).toEqual([]);
    expect(rig.lines).toContainEqual({ level: 'warn', message: 'Invite rewards put off' });
    await rig.t.sql`insert into credit_accounts (user_id) values (${bare})`;
    await rig.makeDue(poisoned.invitee);
    expect(await rig.run()).toMatchObject({ rewarded: 1 });
    expect([await rig.balanceOf(bare), await rig.balanceOf(poisoned.invitee)]).toEqual([50, 130]);
  });

  it('orders that fail again and again are not in the way of those behind them', async () => {
    const poisoned = [await rig.bought(15), await rig.bought(15), await rig.bought(15)];
    await rig.run();
    for (const { invitee, orderId } of poisoned) {
      await refundPaidOrder(rig.t.db, orderId);
      // Nobody to take it from.
      await rig.t
        .sql`update invites set inviter_id = ${await rig.makeAccountless()} where invitee_id = ${invitee}`;
    }
    const healthy = await rig.bought(10);
    const batch = await runSettlementBatch(rig.deps({}, { retryBaseMs: 60_000, retryCapMs: 60_000 }), {
      limit: 2,
      workerId: null,
    });
    expect(batch).toMatchObject({ claimed: 4, retried: 3, qualified: 1 });
    expect(await rig.inviteOf(healthy.invitee)).toMatchObject({ status: 'qualified' });
    const wait = (batch.nextDueAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(50_000);
    for (const { invitee, inviter } of poisoned) {
      expect(await rig.inviteOf(invitee)).toMatchObject({ status: 'rewarded' });
      expect(await rig.balanceOf(inviter)).toBe(50);
    }
    for (const { invitee, inviter } of poisoned) {
      await rig.t.sql`update invites set inviter_id = ${inviter} where invitee_id = ${invitee}`;
    }
    expect(await rig.run()).toMatchObject({ clawedBack: 3 });
  });
});

describe('a batch', () => {
  it('takes no more than its limit of orders and of invites, and says when there is more', async () => {
    for (let index = 0; index < 3; index += 1) await rig.bought(15);
    const first = await rig.run({}, 2);
    expect(first).toMatchObject({ claimed: 4, qualified: 2, rewarded: 2 });
    expect(Math.abs((first.nextDueAt?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await rig.run({}, 2)).toMatchObject({ claimed: 2, qualified: 1, rewarded: 1, nextDueAt: null });
    expect(await rig.run({}, 2)).toMatchObject({ claimed: 0, nextDueAt: null });
  });

  it('passes by an order that somebody is changing, and comes back for it at once', async () => {
    const { orderId, invitee } = await rig.bought(10);
    await rig.t.db.transaction(async (tx) => {
      await tx.execute(`select 1 from orders where id = '${orderId}' for update`);
      const batch = await rig.run();
      expect(batch).toMatchObject({ claimed: 0 });
      expect(Math.abs((batch.nextDueAt?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    });
    expect(await rig.run()).toMatchObject({ qualified: 1 });
    expect(await rig.inviteOf(invitee)).toMatchObject({ status: 'qualified' });
  });

  it('tells when an invite under a lease can be claimed again', async () => {
    const { invitee } = await rig.bought(15);
    await rig.run({ coolingOffMs: 20 * 86_400_000 });
    await rig.t
      .sql`update invites set due_at = now() - interval '1 day', lease_until = '2090-01-01T00:00:00Z' where invitee_id = ${invitee}`;
    expect(await rig.run()).toMatchObject({ claimed: 0, nextDueAt: new Date('2090-01-01T00:00:00Z') });
  });
});
