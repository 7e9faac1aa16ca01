import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { listUsersWithExpired } from './bucket-queries.ts';
import { captureHold, holdKey, placeHold } from './holds.ts';
import { clawBack, expireCredits, postEntry } from './ledger.ts';
import { readCredits } from './read-credits.ts';
import { give, moneyOf } from './testing/money-rig.ts';

const DAY_S = 86_400;

let t: TestDatabase;
let money: ReturnType<typeof moneyOf>;
beforeAll(async () => {
  t = await createTestDatabase({ max: 25 });
  money = moneyOf(t);
});
afterAll(() => t.close());

const newUser = async () => (await createUser(t.db, { balanceCredits: 0 })).id;
/** A live task without hold of its own, for {@link hold}. */
async function newTask(userId: string): Promise<string> {
  const { id } = await createTask(t.db, { userId, holdCredits: 0, status: 'running' });
  await t.sql`delete from credit_holds where task_id = ${id}`;
  return id;
}
const hold = (userId: string, taskId: string, credits: number) =>
  t.db.transaction((tx) => placeHold(tx, { userId, taskId, credits, reason: 'Held' }));
const capture = (taskId: string, capturedCredits: number) =>
  t.db.transaction(async (tx) => {
    await captureHold(tx, { taskId, capturedCredits });
    await tx.execute(
      `update generation_tasks set status = 'succeeded', next_poll_at = null, finished_at = now(), has_outputs = true
       where id = '${taskId}'`,
    );
  });
const take = (userId: string, credits: number) =>
  t.db.transaction((tx) =>
    postEntry(tx, {
      userId,
      kind: 'adjustment',
      deltaCredits: -credits,
      key: newId(),
      actor: 'cli',
      reason: 'Test',
    }),
  );
const claw = (userId: string, credits: number, key = newId(), orderId?: string) =>
  t.db.transaction((tx) =>
    clawBack(tx, {
      userId,
      credits,
      key,
      ...(orderId ? { orderId } : {}),
      actor: 'test',
      reason: 'Chargeback',
    }),
  );
const left = async (userId: string) => (await money.buckets(userId)).map((bucket) => bucket.left);
const booksAreRight = async (userId: string) => expect(await money.mismatches(userId)).toEqual([]);

describe('spending', () => {
  it('B56 takes the soonest expiry first, and an entry of two buckets records both parts', async () => {
    const userId = await newUser();
    await money.give(userId, 10);
    await money.give(userId, 10, 30);
    await money.give(userId, 10, 5);
    await take(userId, 14);
    expect(await left(userId)).toEqual([10, 6, 0]);
    await take(userId, 7);
    expect(await left(userId)).toEqual([9, 0, 0]);
    await booksAreRight(userId);
  });

  it('B56 refuses expired credits one second after their end, though no sweep was by', async () => {
    const userId = await newUser();
    const bucket = await money.give(userId, 10, 5);
    await money.give(userId, 3);
    await money.endBucket(bucket, 1);
    expect(await money.balance(userId)).toBe(13);
    const stranger = await newUser();
    await money.endBucket(await money.give(stranger, 7, 5), 1);
    expect(await readCredits(t, userId)).toMatchObject({
      balanceCredits: 3,
      buckets: [{ remainingCredits: 3 }],
    });
    await expect(take(userId, 4)).rejects.toMatchObject({
      code: 'insufficient_credits',
      message: expect.stringContaining('you have 3.'),
    });
    // The refusal took nothing, not even what expired.
    expect(await money.balance(userId)).toBe(13);
    await take(userId, 3);
    expect(await money.entries(userId)).toEqual(['grant 10', 'grant 3', 'expire -10', 'adjustment -3']);
    expect(await money.balance(userId)).toBe(0);
    await booksAreRight(userId);
  });

  it('B48 of 20 parallel submits on a balance of 10 one is accepted', async () => {
    for (let round = 0; round < 3; round += 1) {
      const userId = await newUser();
      await money.give(userId, 4, 1);
      await money.give(userId, 6);
      const tasks = await Promise.all(Array.from({ length: 20 }, () => newTask(userId)));
      const results = await Promise.allSettled(tasks.map((taskId) => hold(userId, taskId, 10)));
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(19);
      for (const { reason } of refused) expect(reason).toMatchObject({ code: 'insufficient_credits' });
      expect(await money.balance(userId)).toBe(0);
      expect(await left(userId)).toEqual([0, 0]);
      const holds =
        await t.sql`select sum(amount_credits)::int as held from credit_holds where user_id = ${userId}`;
      expect(holds[0]?.held).toBe(10);
    }
  });

  it('B50 B51 refuses amounts that are no whole credits or out of range, before anything is written', async () => {
    const userId = await newUser();
    await money.give(userId, 5);
    for (const credits of [0.1 + 0.2, 950 * 2.11, Number.NaN, 9e15, 2 ** 63, Number.NEGATIVE_INFINITY]) {
      await expect(take(userId, credits)).rejects.toThrow('Not a credit amount');
      await expect(claw(userId, credits)).rejects.toThrow('Not a credit amount');
      await expect(money.give(userId, credits)).rejects.toThrow('Not a credit amount');
    }
    expect(await money.entries(userId)).toEqual(['grant 5']);
  });

  it('B51 keeps sums beyond 2^32 exact, and a balance within its bounds', async () => {
    const userId = await newUser();
    for (let time = 0; time < 4; time += 1) await money.give(userId, 1_000_000_000_000);
    await take(userId, 999_999_999_999);
    expect(await money.balance(userId)).toBe(3_000_000_000_001);
    await t.sql`update credit_accounts set balance_credits = 9000000000000000 where user_id = ${userId}`;
    await expect(
      t.sql`update credit_accounts set balance_credits = balance_credits + 1 where user_id = ${userId}`,
    ).rejects.toThrow('credit_accounts_balance_range');
    await t.sql`update credit_accounts set balance_credits = 3000000000001 where user_id = ${userId}`;
    await booksAreRight(userId);
  });
});

describe('expiry', () => {
  it('takes what expired out of the balance once, however many look at it, and beside a hold', async () => {
    for (let round = 0; round < 5; round += 1) {
      const userId = await newUser();
      const bucket = await money.give(userId, 10, 5);
      await money.give(userId, 10);
      const taskId = await newTask(userId);
      await money.endBucket(bucket);
      await Promise.all([
        ...Array.from({ length: 6 }, () => t.db.transaction((tx) => expireCredits(tx, userId))),
        hold(userId, taskId, 10),
      ]);
      expect((await money.entries(userId)).slice(2).sort()).toEqual(['expire -10', 'hold -10']);
      expect(await money.balance(userId)).toBe(0);
      await booksAreRight(userId);
    }
  });

  it('lists who has something expired in the balance, the oldest expiry first', async () => {
    const [early, late, never] = [await newUser(), await newUser(), await newUser()];
    await money.endBucket(await money.give(late, 1, 1), 2 * DAY_S);
    const [first, second] = [await money.give(early, 1, 1), await money.give(early, 1, 1)];
    await money.endBucket(first, 90 * DAY_S);
    await money.endBucket(second, DAY_S);
    await money.give(never, 1, 1);
    const users = await listUsersWithExpired(t.db, 100);
    expect(users.filter((id) => [early, late, never].includes(id))).toEqual([early, late]);
    expect(await listUsersWithExpired(t.db, 1)).toEqual([early]);
    for (const userId of users) await t.db.transaction((tx) => expireCredits(tx, userId));
    expect(await listUsersWithExpired(t.db, 100)).toEqual([]);
  });
});

describe('what comes back from a hold', () => {
  it('goes to the buckets it came from, what was taken last first', async () => {
    const userId = await newUser();
    await money.give(userId, 10, 10);
    await money.give(userId, 10, 20);
    await money.give(userId, 10);
    const taskId = await newTask(userId);
    await hold(userId, taskId, 25);
    expect(await left(userId)).toEqual([0, 0, 5]);
    await capture(taskId, 8);
    // 17 come back: 5 of the last bucket, 10 of the second, 2 of the first.
    expect(await left(userId)).toEqual([2, 10, 10]);
    await booksAreRight(userId);
  });

  it('B56 makes a new bucket, with the life that was left, where its own has expired and was swept', async () => {
    const userId = await newUser();
    const bucket = await money.give(userId, 10, 10);
    const taskId = await newTask(userId);
    await hold(userId, taskId, 6);
    // Ten days were left when the hold took them.
    await t.sql`update credit_buckets set expires_at = now() - interval '1 hour',
      created_at = created_at - interval '10 days' where id = ${bucket}`;
    await t.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update credit_ledger set created_at = now() - interval '10 days 1 hour'
        where user_id = ${userId} and kind = 'hold'`;
    });
    await t.db.transaction((tx) => expireCredits(tx, userId));
    await capture(taskId, 1);
    const [old, restored] = await money.buckets(userId);
    expect(old).toMatchObject({ id: bucket, left: 0, expired: true });
    expect(restored).toMatchObject({ left: 5, restoredFrom: bucket, kind: 'granted' });
    expect(await money.lifeOf(restored?.id ?? '')).toBeCloseTo(10 * DAY_S, -2);
    expect(await money.entries(userId)).toEqual(expect.arrayContaining(['expire -4', 'return 5']));
    await booksAreRight(userId);
  });

  it('B56 lives for a day at least the first time, and cannot be kept alive by holding it again', async () => {
    const userId = await newUser();
    const bucket = await money.give(userId, 5, 1);
    const again = async () => {
      const taskId = await newTask(userId);
      await hold(userId, taskId, 5);
      const [from] = await t.sql`
        select m.bucket_id as id from credit_bucket_moves m join credit_ledger l on l.id = m.entry_id
        where l.key = ${holdKey(taskId)}`;
      // It had a minute left when the hold took it.
      await t.sql`update credit_buckets set expires_at = clock_timestamp() where id = ${from?.id}`;
      await t.sql.begin(async (sql) => {
        await sql`set local session_replication_role = replica`;
        await sql`update credit_ledger set created_at = now() - interval '1 minute' where key = ${holdKey(taskId)}`;
      });
      await capture(taskId, 0);
      return (await money.buckets(userId)).at(-1);
    };
    const first = await again();
    expect(first).toMatchObject({ left: 5, restoredFrom: bucket });
    expect(await money.lifeOf(first?.id ?? '')).toBeCloseTo(DAY_S, -2);
    const second = await again();
    expect(second).toMatchObject({ left: 5, restoredFrom: first?.id });
    expect(await money.lifeOf(second?.id ?? '')).toBeLessThanOrEqual(61);
    expect(await money.lifeOf(second?.id ?? '')).toBeGreaterThan(30);
    await booksAreRight(userId);
  });

  it('keeps kind and order of what was bought', async () => {
    const userId = await newUser();
    const orderId = newId();
    await t.db.transaction((tx) =>
      postEntry(tx, {
        userId,
        kind: 'grant',
        deltaCredits: 9,
        key: newId(),
        orderId,
        actor: 'test',
        reason: 'Bought',
        bucket: { kind: 'purchased', validDays: 1 },
      }),
    );
    const taskId = await newTask(userId);
    await hold(userId, taskId, 9);
    await t.sql`update credit_buckets set expires_at = now() where user_id = ${userId}`;
    await capture(taskId, 0);
    const rows = await t.sql`select kind, order_id, remaining_credits::int as credits from credit_buckets
      where user_id = ${userId} and restored_from is not null`;
    expect(rows).toMatchObject([{ kind: 'purchased', order_id: orderId, credits: 9 }]);
  });
});

describe('debts', () => {
  it('B67 takes what can be taken and writes the rest down, once per event, also in parallel and repeated', async () => {
    for (let round = 0; round < 3; round += 1) {
      const userId = await newUser();
      await money.give(userId, 6);
      const key = newId();
      const results = await Promise.all(Array.from({ length: 8 }, () => claw(userId, 10, key)));
      expect(results.filter(({ taken, owed }) => taken === 6 && owed === 4)).toHaveLength(1);
      expect(results.filter(({ taken, owed }) => taken === 0 && owed === 0)).toHaveLength(7);
      expect(await claw(userId, 10, key)).toEqual({ taken: 0, owed: 0 });
      expect(await money.entries(userId)).toEqual(['grant 6', 'clawback -6']);
      expect(await money.owes(userId)).toBe(4);
      await booksAreRight(userId);
    }
  });

  it('happens once where everything is owed and no ledger entry tells of it', async () => {
    const userId = await newUser();
    const key = newId();
    await claw(userId, 10, key);
    await money.give(userId, 30);
    expect(await claw(userId, 10, key)).toEqual({ taken: 0, owed: 0 });
    expect(await money.balance(userId)).toBe(20);
    await booksAreRight(userId);
  });

  it('takes the credits of the order first, and does not count what has expired', async () => {
    const userId = await newUser();
    const orderId = newId();
    await money.give(userId, 5, 1);
    await t.db.transaction((tx) =>
      postEntry(tx, {
        userId,
        kind: 'grant',
        deltaCredits: 5,
        key: newId(),
        orderId,
        actor: 'test',
        reason: 'Bought',
      }),
    );
    expect(await claw(userId, 3, newId(), orderId)).toEqual({ taken: 3, owed: 0 });
    expect(await left(userId)).toEqual([5, 2]);
    await money.endBucket((await money.buckets(userId))[0]?.id ?? '');
    expect(await claw(userId, 3)).toEqual({ taken: 2, owed: 1 });
    await booksAreRight(userId);
  });

  it('are paid off by whatever comes in, oldest first, and refuse submits meanwhile', async () => {
    const userId = await newUser();
    await money.give(userId, 20);
    const taskId = await newTask(userId);
    await hold(userId, taskId, 20);
    await claw(userId, 10);
    await claw(userId, 5);
    expect(await money.owes(userId)).toBe(15);
    const refusal = { code: 'insufficient_credits', message: expect.stringContaining('You owe 15 credits') };
    await expect(hold(userId, await newTask(userId), 0)).rejects.toMatchObject(refusal);
    expect((await readCredits(t, userId)).debts.map((debt) => debt.remainingCredits)).toEqual([10, 5]);

    // Less than the first debt, then a hold that comes back: both debts and a rest.
    await money.give(userId, 4);
    expect(await money.balance(userId)).toBe(0);
    expect((await readCredits(t, userId)).debts.map((debt) => debt.remainingCredits)).toEqual([6, 5]);
    await expect(hold(userId, await newTask(userId), 1)).rejects.toMatchObject({
      code: 'insufficient_credits',
    });
    await capture(taskId, 2);
    expect(await money.owes(userId)).toBe(0);
    expect(await money.balance(userId)).toBe(7);
    const settled = await t.sql`select settled_at from credit_debts where user_id = ${userId}`;
    expect(settled.every((row) => row.settled_at !== null)).toBe(true);
    await hold(userId, await newTask(userId), 7);
    expect(await money.entries(userId)).toEqual([
      'grant 20',
      'hold -20',
      'grant 4',
      'debt_payment -4',
      'return 18',
      'debt_payment -6',
      'debt_payment -5',
      'hold -7',
    ]);
    await booksAreRight(userId);
  });

  it.each(['purchase', 'redeem', 'reward', 'refund', 'reinstate', 'adjustment'] as const)(
    'are paid off by a %s, once, though its key comes in parallel',
    async (kind) => {
      const userId = await newUser();
      await claw(userId, 10);
      const key = newId();
      const post = () =>
        t.db.transaction((tx) =>
          postEntry(tx, { userId, kind, deltaCredits: 12, key, actor: 'test', reason: 'Test' }),
        );
      const moved = await Promise.all(Array.from({ length: 5 }, post));
      expect(moved.filter(Boolean)).toHaveLength(1);
      expect(await money.balance(userId)).toBe(2);
      expect(await money.owes(userId)).toBe(0);
      expect(await money.entries(userId)).toEqual([`${kind} 12`, 'debt_payment -10']);
    },
  );

  it('a submit and a clawback in parallel: the submit is refused, or what it took is owed', async () => {
    for (let round = 0; round < 6; round += 1) {
      const userId = await newUser();
      await money.give(userId, 10);
      const taskId = await newTask(userId);
      const [submitted] = await Promise.allSettled([hold(userId, taskId, 10), claw(userId, 10)]);
      expect(await money.owes(userId)).toBe(submitted?.status === 'fulfilled' ? 10 : 0);
      expect(await money.balance(userId)).toBe(0);
    }
  });
});

describe('entries of a release that knew no buckets', () => {
  /** As that release wrote: balance and ledger row, nothing else. */
  async function oldEntry(userId: string, kind: string, credits: number, taskId: string | null = null) {
    await t.sql.begin(async (sql) => {
      const [account] = await sql`
        update credit_accounts set balance_credits = balance_credits + ${credits} where user_id = ${userId}
        returning balance_credits`;
      await sql`
        insert into credit_ledger (id, user_id, kind, delta_credits, balance_after_credits, key, task_id, actor, reason)
        values (${newId()}, ${userId}, ${kind}, ${credits}, ${account?.balance_credits},
          ${taskId ? `${kind}:task:${taskId}` : newId()}, ${taskId}, 'cli', 'Old')`;
    });
  }

  it('are assigned by the next movement, as if taken then, and count meanwhile', async () => {
    const userId = await newUser();
    await oldEntry(userId, 'grant', 10);
    await money.give(userId, 10, 5);
    await oldEntry(userId, 'adjustment', -13);
    await booksAreRight(userId);
    expect((await readCredits(t, userId)).balanceCredits).toBe(7);
    await take(userId, 1);
    expect(await left(userId)).toEqual([6, 0]);
    await oldEntry(userId, 'grant', 3);
    await expect(take(userId, 10)).rejects.toMatchObject({ code: 'insufficient_credits' });
    await take(userId, 9);
    expect(await left(userId)).toEqual([0, 0, 0]);
    await booksAreRight(userId);
  });

  it('may have let in what should have paid a debt: the next income pays it, and nobody stays locked out', async () => {
    const userId = await newUser();
    await claw(userId, 10);
    await oldEntry(userId, 'grant', 100);
    await money.give(userId, 1);
    expect(await money.owes(userId)).toBe(0);
    expect(await money.balance(userId)).toBe(91);
    await booksAreRight(userId);
  });

  it('may have spent what had expired: no movement is stopped by that', async () => {
    const userId = await newUser();
    const bucket = await money.give(userId, 10, 5);
    await money.endBucket(bucket);
    await oldEntry(userId, 'adjustment', -4);
    await money.give(userId, 1);
    expect(await money.entries(userId)).toEqual(['grant 10', 'adjustment -4', 'expire -6', 'grant 1']);
    expect(await money.balance(userId)).toBe(1);
    await booksAreRight(userId);
  });

  it('may look out of order by the clock: what took too early waits for what it took', async () => {
    const userId = await newUser();
    await oldEntry(userId, 'grant', 10);
    await oldEntry(userId, 'adjustment', -8);
    await t.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update credit_ledger set created_at = created_at - interval '1 minute'
        where user_id = ${userId} and delta_credits < 0`;
    });
    await money.give(userId, 1);
    expect((await left(userId)).sort()).toEqual([1, 2]);
    await booksAreRight(userId);
  });

  it('a hold of theirs comes back where it was taken, by either release', async () => {
    for (const settledBy of ['old', 'new'] as const) {
      const userId = await newUser();
      const bucket = await money.give(userId, 10, 5);
      const { id: taskId } = await createTask(t.db, { userId, status: 'running', holdCredits: 10 });
      if (settledBy === 'new') await capture(taskId, 3);
      else {
        await t.sql`update credit_holds set status = 'captured', captured_credits = 3, returned_credits = 7,
          closed_at = now() where task_id = ${taskId}`;
        await t.sql`update generation_tasks set status = 'succeeded', next_poll_at = null, finished_at = now(),
          has_outputs = true where id = ${taskId}`;
        await oldEntry(userId, 'return', 7, taskId);
      }
      await money.give(userId, 1);
      expect(await money.buckets(userId)).toMatchObject([{ id: bucket, left: 7 }, { left: 1 }]);
      await booksAreRight(userId);
    }
  });

  it('are assigned once by movements in parallel', async () => {
    for (let round = 0; round < 4; round += 1) {
      const userId = await newUser();
      await oldEntry(userId, 'grant', 10);
      await Promise.all(Array.from({ length: 10 }, () => give(t.db, { userId, credits: 1, key: newId() })));
      expect((await left(userId)).sort((a, b) => b - a)).toEqual([10, ...Array(10).fill(1)]);
      await booksAreRight(userId);
    }
  });

  it('that cancel out are looked for when a hold among them is settled', async () => {
    const userId = await newUser();
    const bucket = await money.give(userId, 10, 5);
    // The sum of the buckets is the balance before and after, though neither entry is assigned.
    const { id: taskId } = await createTask(t.db, { userId, status: 'running', holdCredits: 10 });
    await oldEntry(userId, 'grant', 10);
    await capture(taskId, 0);
    const moves = await t.sql`
      select m.bucket_id from credit_bucket_moves m join credit_ledger l on l.id = m.entry_id
      where l.key = ${`return:task:${taskId}`}`;
    expect(moves).toEqual([{ bucket_id: bucket }]);
    expect(await money.buckets(userId)).toMatchObject([{ left: 10 }, { left: 10 }]);
    await booksAreRight(userId);
  });
});
