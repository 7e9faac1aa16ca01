import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { compositeTasks } from '#server/db/schema/index.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { captureHold, requestRefund, settleBudget } from './holds.ts';
import { readCredits } from './read-credits.ts';
import { readDailySummary } from './read-daily-summary.ts';
import { type BudgetRig, createBudgetRig, endsOf, throwOnceAt } from './testing/budget-rig.ts';
import { moneyOf } from './testing/money-rig.ts';

/** What a composite holds is settled once, when all its children are. */

let t: TestDatabase;
let money: ReturnType<typeof moneyOf>;
let rig: BudgetRig;
const users: string[] = [];
beforeAll(async () => {
  t = await createTestDatabase();
  money = moneyOf(t);
  rig = await createBudgetRig(t);
});
afterEach(async () => {
  setCrashHandler(undefined);
  expect(await money.mismatches(...users)).toEqual([]);
});
afterAll(() => t.close());

async function person(credits = 100): Promise<string> {
  const { id } = await createUser(t.db, { balanceCredits: 0 });
  if (credits > 0) await money.give(id, credits);
  users.push(id);
  return id;
}

describe('a budget', () => {
  it('cannot be settled in any way while a child holds a part of it', async () => {
    const userId = await person();
    const parent = await rig.composite(userId, 10);
    const child = await rig.child(userId, parent, 4);
    const tries = [
      () => rig.settle(parent, 'succeeded'),
      () => rig.settle(parent, 'cancelled'),
      () => t.db.transaction((tx) => captureHold(tx, { taskId: parent, capturedCredits: 0 })),
      () => t.db.transaction((tx) => requestRefund(tx, { taskId: parent, reason: 'Failed' })),
    ];
    for (const settle of tries) await expect(settle()).rejects.toThrow(/still hold|drawn on it/);
    await rig.deliver(child, 3);
    // And then only as what was spent.
    await expect(tries[2]?.()).rejects.toThrow('drawn on it');
    await expect(tries[3]?.()).rejects.toThrow('drawn on it');
    expect(await rig.budget(parent)).toMatchObject({ status: 'held', free: 7, spent: 3 });
    expect(await rig.refundsOf(parent)).toEqual([]);
    await rig.settle(parent, 'succeeded');
  });

  it.each(['succeeded', 'failed'] as const)(
    'that is settled (%s) while a child draws: one of them gives way',
    async (to) => {
      for (let round = 0; round < 8; round += 1) {
        const userId = await person();
        const parent = await rig.composite(userId, 10);
        const child = await rig.bareChild(userId, parent);
        const [settled, drawn] = await Promise.allSettled([
          rig.settle(parent, to),
          rig.draw({ taskId: child, parentTaskId: parent, userId, credits: 10 }),
        ]);
        const isDrawn = drawn.status === 'fulfilled' && drawn.value;
        expect(isDrawn).toBe(settled.status === 'rejected');
        const { status } = await rig.budget(parent);
        expect(status).toBe(isDrawn ? 'held' : to === 'failed' ? 'refunding' : 'captured');
      }
    },
  );

  it('is not settled on what a draw left that was rolled back, and not on one that comes in between', async () => {
    const userId = await person();
    const parent = await rig.composite(userId, 10);
    const child = await rig.bareChild(userId, parent);
    // The draw is written and not yet committed when the settlement has read that nothing is drawn.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reached = () => {};
    const atDraw = new Promise<void>((resolve) => {
      reached = resolve;
    });
    setCrashHandler(async (name) => {
      if (name !== 'draw.after-budget') return;
      reached();
      await held;
    });
    const draw = rig.draw({ taskId: child, parentTaskId: parent, userId, credits: 6 });
    await atDraw;
    const settled = rig.settle(parent, 'cancelled').then(
      () => 'settled',
      (error: unknown) => String(error),
    );
    await untilWaiting();
    release();
    expect(await draw).toBe(true);
    expect(await settled).toContain('drawn on it');
    expect(await rig.budget(parent)).toMatchObject({ status: 'held', free: 4 });
  });

  it('is settled once, whoever tries at the same moment', async () => {
    for (const to of ['succeeded', 'failed'] as const) {
      const userId = await person();
      const parent = await rig.composite(userId, 10);
      const { done, reasons } = await endsOf([1, 2, 3, 4].map(() => rig.settle(parent, to)));
      expect(done).toBe(1);
      for (const reason of reasons) expect(reason).toContain('was settled before');
      expect(await rig.refundsOf(parent)).toEqual(to === 'failed' ? ['pending'] : []);
      await rig.payRefund(parent);
      expect(await money.balance(userId)).toBe(100);
    }
  });

  it.each(['succeeded', 'failed', 'cancelled'] as const)(
    'partly spent and %s: what was spent is captured, the rest is back in its buckets and off the day',
    async (to) => {
      const userId = await person(0);
      const soon = await money.give(userId, 6, 5);
      await money.give(userId, 10);
      const parent = await rig.composite(userId, 12);
      expect((await money.buckets(userId)).map((bucket) => bucket.left)).toEqual([0, 4]);
      await rig.deliver(await rig.child(userId, parent, 9), 5);
      await rig.fail(await rig.child(userId, parent, 7));
      expect(await rig.settle(parent, to)).toBe('captured');
      expect(await rig.budget(parent)).toEqual({
        status: 'captured',
        amount: 12,
        free: 7,
        spent: 5,
        captured: 5,
        back: 7,
      });
      expect(await rig.entriesOf(parent)).toEqual(['hold -12', 'return 7']);
      expect(await rig.refundsOf(parent)).toEqual([]);
      // As a hold of 12 of which 5 were used: the credits that expire first were spent first.
      expect((await money.buckets(userId)).map((bucket) => [bucket.id === soon, bucket.left])).toEqual([
        [true, 1],
        [false, 10],
      ]);
      expect(await rig.spentToday(userId)).toBe(5);
      expect(await readCredits(t, userId)).toMatchObject({ balanceCredits: 11, heldCredits: 0 });
    },
  );

  it('with nothing spent goes through the refund lane, as any other hold', async () => {
    const userId = await person(0);
    await money.give(userId, 8, 5);
    const parent = await rig.composite(userId, 8);
    await rig.fail(await rig.child(userId, parent, 8));
    expect(await rig.settle(parent, 'failed')).toBe('refunding');
    expect(await rig.refundsOf(parent)).toEqual(['pending']);
    expect(await readCredits(t, userId)).toMatchObject({ balanceCredits: 0, heldCredits: 8 });
    expect(await rig.payRefund(parent)).toMatchObject({ settled: 1 });
    expect(await money.entries(userId)).toEqual(['grant 8', 'hold -8', 'refund 8']);
    expect(await money.buckets(userId)).toHaveLength(1);
    expect(await rig.spentToday(userId)).toBe(0);
  });

  it('with nothing spent that delivered something free is given back at once', async () => {
    const userId = await person();
    const parent = await rig.composite(userId, 8);
    await rig.deliver(await rig.child(userId, parent, 5), 0);
    expect(await rig.settle(parent, 'succeeded')).toBe('captured');
    expect(await rig.entriesOf(parent)).toEqual(['hold -8', 'return 8']);
    expect(await rig.spentToday(userId)).toBe(0);
  });

  it('whose refund an administrator voids is captured in full', async () => {
    const [userId, operatorId] = [await person(), await person()];
    const parent = await rig.composite(userId, 8);
    await rig.settle(parent, 'failed');
    await rig.voidRefundOf(parent, operatorId);
    expect(await rig.budget(parent)).toMatchObject({ status: 'captured', captured: 8, spent: 0 });
    expect(await rig.spentToday(userId)).toBe(8);
  });

  it('that never was held is settled by nothing', async () => {
    const userId = await person();
    const drama = await rig.bareComposite(userId, 'drama');
    const settled = await t.db.transaction((tx) =>
      settleBudget(tx, { taskId: drama, delivered: false, reason: 'Nothing' }),
    );
    expect(settled).toBe('none');
    await rig.hold(t.db, { taskId: drama, userId, credits: 5 });
  });

  it('counts once in the summary of the day', async () => {
    const charged = async () => (await readDailySummary(t, { days: 1 }))[0]?.chargedCredits ?? 0;
    const userId = await person();
    const before = await charged();
    const parent = await rig.composite(userId, 20);
    await rig.deliver(await rig.child(userId, parent, 9), 6);
    await rig.deliver(await rig.child(userId, parent, 5), 5);
    expect(await charged()).toBe(before);
    await rig.settle(parent, 'succeeded');
    expect(await charged()).toBe(before + 11);

    // One that people kept waiting for years, and one of that age whose refund was voided.
    for (const [id, spent] of [
      ['00900000-0000-7000-8000-000000000001', 7],
      ['00900000-0000-7000-8000-000000000002', 0],
    ] as const) {
      const taskId = await rig.bareComposite(userId, 'agent', id);
      await t.db.insert(compositeTasks).values({ taskId, phase: 'running', settings: {}, rootId: taskId });
      await rig.hold(t.db, { taskId, userId, credits: 9 });
      if (spent > 0) await rig.deliver(await rig.child(userId, taskId, 8), spent);
      await rig.settle(taskId, 'failed');
    }
    expect(await charged()).toBe(before + 18);
    await rig.voidRefundOf('00900000-0000-7000-8000-000000000002', userId);
    expect(await charged()).toBe(before + 27);
  });
});

describe('a stop at', () => {
  it.each(['capture.after-close', 'capture.after-entry', 'refund.after-hold'] as const)(
    '%s leaves the budget held, and it settles once',
    async (point) => {
      const userId = await person();
      const parent = await rig.composite(userId, 10);
      const isRefund = point === 'refund.after-hold';
      if (!isRefund) await rig.deliver(await rig.child(userId, parent, 6), 6);
      throwOnceAt(point);
      await expect(rig.settle(parent, 'failed')).rejects.toThrow('stopped');
      expect(await rig.budget(parent)).toMatchObject({ status: 'held' });
      expect(await money.balance(userId)).toBe(90);
      expect(await rig.refundsOf(parent)).toEqual([]);
      await rig.settle(parent, 'failed');
      if (isRefund) await rig.payRefund(parent);
      expect(await money.balance(userId)).toBe(isRefund ? 100 : 94);
    },
  );
});

/** Until some statement of this database waits for a row that another transaction holds. */
async function untilWaiting(): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) {
    const rows = await t.sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('Nothing waits');
}
