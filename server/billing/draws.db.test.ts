import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { getUserMoney } from './admin-queries.ts';
import { placeHold } from './holds.ts';
import { readCredits } from './read-credits.ts';
import { type BudgetRig, createBudgetRig, endsOf, throwOnceAt } from './testing/budget-rig.ts';
import { moneyOf } from './testing/money-rig.ts';

/** Children draw from what their composite holds, alone and at the same moment, and each settles once. */

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

describe('a draw', () => {
  it('takes from what is free, and writes neither a ledger entry nor a part of the cost guard', async () => {
    const userId = await person();
    const parent = await rig.composite(userId, 30);
    const child = await rig.child(userId, parent, 12);
    expect(await rig.budget(parent)).toMatchObject({ status: 'held', free: 18, spent: 0 });
    expect([await rig.entriesOf(parent), await rig.entriesOf(child)]).toEqual([['hold -30'], []]);
    expect(await rig.spentToday(userId)).toBe(30);
    expect(await readCredits(t, userId)).toMatchObject({ balanceCredits: 70, heldCredits: 30 });
    expect(await getUserMoney(t.db, userId)).toMatchObject({ balanceCredits: 70, heldCredits: 30 });
  });

  it('of 12 at the same moment with budget for 3: 3 are drawn, 9 are refused and leave nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      const userId = await person();
      const parent = await rig.composite(userId, 17);
      const children = await Promise.all(Array.from({ length: 12 }, () => rig.bareChild(userId, parent)));
      const drawn = await Promise.all(
        children.map((taskId) => rig.draw({ taskId, parentTaskId: parent, userId, credits: 5 })),
      );
      expect(drawn.filter(Boolean)).toHaveLength(3);
      expect(await rig.budget(parent)).toMatchObject({ free: 2, spent: 0 });
      const holds = await t.sql`select task_id from credit_holds where parent_task_id = ${parent}`;
      expect(holds).toHaveLength(3);
    }
  });

  it('is refused by a hold that is no budget, is another user’s, or is settled', async () => {
    const [userId, other] = [await person(), await person()];
    const parent = await rig.composite(userId, 20);
    const leaf = await rig.bareChild(userId, parent);
    await t.db.transaction((tx) => placeHold(tx, { taskId: leaf, userId, credits: 20, reason: 'No budget' }));
    const settled = await rig.composite(userId, 20);
    await rig.settle(settled, 'cancelled');
    const child = await rig.bareChild(userId, parent);
    const draw = { taskId: child, parentTaskId: parent, userId, credits: 1 };
    expect(await rig.draw({ ...draw, parentTaskId: leaf })).toBe(false);
    expect(await rig.draw({ ...draw, userId: other })).toBe(false);
    expect(await rig.draw({ ...draw, parentTaskId: settled })).toBe(false);
    expect(await rig.draw(draw)).toBe(true);
  });

  it('of nothing needs nothing, also from a budget of nothing', async () => {
    const userId = await person(0);
    const parent = await rig.composite(userId, 0);
    const [paid, free] = [await rig.bareChild(userId, parent), await rig.bareChild(userId, parent)];
    expect(await rig.draw({ taskId: paid, parentTaskId: parent, userId, credits: 1 })).toBe(false);
    expect(await rig.draw({ taskId: paid, parentTaskId: parent, userId, credits: 0 })).toBe(true);
    expect(await rig.draw({ taskId: free, parentTaskId: parent, userId, credits: 0 })).toBe(true);
    await rig.deliver(paid, 0);
    await rig.fail(free);
    expect(await rig.settle(parent, 'succeeded')).toBe('captured');
    expect(await rig.budget(parent)).toMatchObject({ status: 'captured', captured: 0, back: 0 });
    expect(await money.entries(userId)).toEqual([]);

    const empty = await rig.composite(userId, 0);
    expect(await rig.settle(empty, 'failed')).toBe('refunding');
    expect(await rig.payRefund(empty)).toMatchObject({ settled: 1 });
    expect(await money.entries(userId)).toEqual([]);
  });
});

describe('a child', () => {
  it('gives back what it did not use, and that can be drawn again', async () => {
    const userId = await person();
    const parent = await rig.composite(userId, 10);
    const [part, failed] = [await rig.child(userId, parent, 6), await rig.child(userId, parent, 4)];
    await rig.deliver(part, 2);
    await rig.fail(failed);
    expect(await rig.budget(parent)).toMatchObject({ status: 'held', free: 8, spent: 2 });
    expect(await rig.budget(part)).toMatchObject({ status: 'captured', captured: 2, back: 4 });
    expect(await rig.budget(failed)).toMatchObject({ status: 'refunded', captured: 0, back: 4 });
    expect(await rig.refundsOf(failed)).toEqual([]);
    const again = await rig.child(userId, parent, 8);
    await rig.deliver(again, 8);
    await rig.settle(parent, 'succeeded');
    expect(await money.entries(userId)).toEqual(['grant 100', 'hold -10']);
  });

  it('settles once, whoever tries at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const userId = await person();
      const parent = await rig.composite(userId, 10);
      const child = await rig.child(userId, parent, 7);
      const { done, reasons } = await endsOf([
        rig.deliver(child, 3),
        rig.deliver(child, 3),
        rig.fail(child),
        rig.fail(child),
      ]);
      expect(done).toBe(1);
      for (const reason of reasons) expect(reason).toContain('was settled before');
      const { free, spent } = await rig.budget(parent);
      expect([
        [10, 0],
        [7, 3],
      ]).toContainEqual([free, spent]);
    }
  });

  it('is settled while others draw: nothing is lost and nothing is drawn twice', async () => {
    const userId = await person();
    const parent = await rig.composite(userId, 40);
    const first = await Promise.all(Array.from({ length: 8 }, () => rig.child(userId, parent, 5)));
    const next = await Promise.all(Array.from({ length: 8 }, () => rig.bareChild(userId, parent)));
    const drawn: boolean[] = [];
    await Promise.all([
      ...first.map((id, index) => (index % 2 === 0 ? rig.deliver(id, 2) : rig.fail(id))),
      ...next.map(async (taskId, index) => {
        drawn[index] = await rig.draw({ taskId, parentTaskId: parent, userId, credits: 4 });
      }),
    ]);
    const taken = drawn.filter(Boolean).length;
    expect(await rig.budget(parent)).toMatchObject({ spent: 8, free: 32 - 4 * taken });
    // What was refused then finds room now: 8 × 4 is what is left.
    for (const [index, taskId] of next.entries()) {
      if (!drawn[index]) await rig.draw({ taskId, parentTaskId: parent, userId, credits: 4 });
    }
    expect(await rig.budget(parent)).toMatchObject({ spent: 8, free: 0 });
  });
});

describe('a stop at', () => {
  it('draw.after-budget leaves no draw', async () => {
    const userId = await person();
    const parent = await rig.composite(userId, 10);
    const child = await rig.bareChild(userId, parent);
    const draw = { taskId: child, parentTaskId: parent, userId, credits: 10 };
    throwOnceAt('draw.after-budget');
    await expect(rig.draw(draw)).rejects.toThrow('stopped');
    expect(await rig.budget(parent)).toMatchObject({ free: 10 });
    expect(await rig.draw(draw)).toBe(true);
  });

  it.each(['capture.after-close', 'draw.after-return'] as const)(
    '%s leaves a child’s draw open, and it settles once',
    async (point) => {
      const userId = await person();
      const parent = await rig.composite(userId, 10);
      const [delivered, failed] = [await rig.child(userId, parent, 6), await rig.child(userId, parent, 4)];
      throwOnceAt(point);
      await expect(rig.deliver(delivered, 2)).rejects.toThrow('stopped');
      expect(await rig.budget(parent)).toMatchObject({ free: 0, spent: 0 });
      await rig.deliver(delivered, 2);
      if (point === 'draw.after-return') {
        throwOnceAt(point);
        await expect(rig.fail(failed)).rejects.toThrow('stopped');
        expect(await rig.budget(failed)).toMatchObject({ status: 'held' });
      }
      await rig.fail(failed);
      expect(await rig.budget(parent)).toMatchObject({ free: 8, spent: 2 });
    },
  );
});
