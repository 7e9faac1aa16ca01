import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { auditLedger } from './audit.ts';
import { captureHold, placeHold, requestRefund } from './holds.ts';
import { grantCredits, postEntry } from './ledger.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase({ max: 12 });
});
afterAll(() => t.close());

const balanceOf = async (userId: string) =>
  Number(
    (await t.sql`select balance_credits from credit_accounts where user_id = ${userId}`)[0]?.balance_credits,
  );
const entriesOf = async (userId: string) =>
  (await t.sql`select delta_credits from credit_ledger where user_id = ${userId}`).length;

const entry = (userId: string, deltaCredits: number, key: string) => ({
  userId,
  kind: 'adjustment' as const,
  deltaCredits,
  key,
  actor: 'cli',
  reason: 'Test',
});

describe('postEntry', () => {
  it('moves once per key, however many callers use it at once', async () => {
    // Several rounds: the first one opens the connections and so runs one after the other.
    for (let round = 0; round < 5; round += 1) {
      const { id } = await createUser(t.db, { balanceCredits: 10 });
      const key = newId();
      const moved = await Promise.all(
        Array.from({ length: 10 }, () => t.db.transaction((tx) => postEntry(tx, entry(id, 5, key)))),
      );
      expect(moved.filter(Boolean)).toHaveLength(1);
      expect(await balanceOf(id)).toBe(15);
      expect(await entriesOf(id)).toBe(2);
    }
  });

  it('never takes the balance below zero, whatever comes at once', async () => {
    const { id } = await createUser(t.db, { balanceCredits: 10 });
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, () => t.db.transaction((tx) => postEntry(tx, entry(id, -3, newId())))),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(9);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'insufficient_credits' });
    expect(await balanceOf(id)).toBe(1);
    expect(await auditLedger(t.db)).toEqual([]);
  });

  it('refuses amounts that are no whole credits, and writes nothing for 0', async () => {
    const { id } = await createUser(t.db, { balanceCredits: 10 });
    for (const amount of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await expect(t.db.transaction((tx) => postEntry(tx, entry(id, amount, newId())))).rejects.toThrow(
        'Not a credit amount',
      );
    }
    expect(await t.db.transaction((tx) => postEntry(tx, entry(id, 0, newId())))).toBe(false);
    expect(await entriesOf(id)).toBe(1);
  });

  it('opens an account and grants once per key', async () => {
    const { id } = await createUser(t.db, { balanceCredits: 0 });
    const grant = { userId: id, credits: 100, key: `sign-up:${id}`, actor: 'sign-up', reason: 'Welcome' };
    for (let time = 0; time < 3; time += 1) await t.db.transaction((tx) => grantCredits(tx, grant));
    expect(await balanceOf(id)).toBe(100);
  });
});

describe('a hold', () => {
  it('ends once: the second settlement of any kind throws and its transaction leaves nothing', async () => {
    for (const first of ['capture', 'refund'] as const) {
      const { id } = await createUser(t.db, { balanceCredits: 20 });
      const { id: taskId } = await createTask(t.db, { userId: id, holdCredits: 10 });
      const settle = (how: 'capture' | 'refund') =>
        t.db.transaction(async (tx) => {
          if (how === 'capture') await captureHold(tx, { taskId, capturedCredits: 4 });
          else await requestRefund(tx, { taskId, reason: 'Failed' });
        });
      await settle(first);
      const balance = await balanceOf(id);
      expect(balance).toBe(first === 'capture' ? 16 : 10);
      for (const second of ['capture', 'refund'] as const) {
        await expect(settle(second)).rejects.toThrow('was settled before');
      }
      expect(await balanceOf(id)).toBe(balance);
      const refunds = await t.sql`select 1 from credit_refunds where task_id = ${taskId}`;
      expect(refunds).toHaveLength(first === 'refund' ? 1 : 0);
    }
  });

  it('ends once among ten parallel settlements', async () => {
    const { id } = await createUser(t.db, { balanceCredits: 20 });
    const { id: taskId } = await createTask(t.db, { userId: id, holdCredits: 10 });
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        t.db.transaction((tx) =>
          index % 2
            ? captureHold(tx, { taskId, capturedCredits: 4 })
            : requestRefund(tx, { taskId, reason: 'Failed' }),
        ),
      ),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('cannot capture more than it has', async () => {
    const { id: taskId } = await createTask(t.db, { holdCredits: 10 });
    await expect(
      t.db.transaction((tx) => captureHold(tx, { taskId, capturedCredits: 11 })),
    ).rejects.toThrow();
  });

  it('is not placed without the credits for it', async () => {
    const { id } = await createUser(t.db, { balanceCredits: 3 });
    const { id: taskId } = await createTask(t.db, { userId: id, holdCredits: 0 });
    const hold = { taskId, userId: id, credits: 4, reason: 'Held' };
    await expect(t.db.transaction((tx) => placeHold(tx, hold))).rejects.toMatchObject({
      code: 'insufficient_credits',
      message: 'This costs 4 credits and you have 3. Choose a cheaper setting or add credits.',
    });
    expect(await balanceOf(id)).toBe(3);
  });
});
