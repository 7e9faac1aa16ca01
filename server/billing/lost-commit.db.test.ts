import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '#server/db/client.ts';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createModel, createTask, createUser } from '#server/testing/factories.ts';
import { TEST_CONFIG } from '#server/testing/rig.ts';
import { adjustCredits } from './adjust-credits.ts';
import { captureHold, placeHold } from './holds.ts';
import { clawBack, postEntry } from './ledger.ts';
import { runRefundBatch } from './run-refund-batch.ts';
import { type BudgetRig, createBudgetRig } from './testing/budget-rig.ts';
import { type CuttingProxy, startCuttingProxy } from './testing/cutting-proxy.ts';
import { moneyOf } from './testing/money-rig.ts';

/**
 * The connection is cut at every statement of each movement in turn, before the server gets it and after it has done
 * it, COMMIT included; then the movement is tried again as its caller would. It must have happened once.
 */

let t: TestDatabase;
let proxy: CuttingProxy;
let money: ReturnType<typeof moneyOf>;
let modelId: string;
let budgets: BudgetRig;
beforeAll(async () => {
  t = await createTestDatabase();
  proxy = await startCuttingProxy(t.url);
  money = moneyOf(t);
  modelId = (await createModel(t.db)).id;
  budgets = await createBudgetRig(t);
});
afterAll(async () => {
  await t.close();
  await proxy.close();
});

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };

type Movement = {
  /** Makes a user and what is there before; returns the movement itself and how to try it again. */
  prepare(): Promise<{
    userId: string;
    run(db: Db): Promise<unknown>;
    again?(): Promise<unknown>;
    /** What a repeated try may be refused with, once it has happened. */
    refusedAgain?: string;
  }>;
  /** Entries of the ledger that it must leave, after what `prepare` made. */
  leaves: string[];
};

const newUser = async () => (await createUser(t.db, { balanceCredits: 0 })).id;
async function heldTask(credits: number) {
  const userId = await newUser();
  await money.give(userId, credits, 5);
  const { id: taskId } = await createTask(t.db, { userId, modelId, holdCredits: 0, status: 'running' });
  await t.sql`delete from credit_holds where task_id = ${taskId}`;
  const hold = (db: Db) => db.transaction((tx) => placeHold(tx, { userId, taskId, credits, reason: 'Held' }));
  return { userId, taskId, hold };
}

async function composite(credits: number) {
  const userId = await newUser();
  await money.give(userId, credits, 5);
  return { userId, parentTaskId: await budgets.composite(userId, credits) };
}

async function debtor(): Promise<string> {
  const userId = await newUser();
  await t.db.transaction((tx) =>
    clawBack(tx, { userId, credits: 3, key: newId(), actor: 'test', reason: 'Chargeback' }),
  );
  return userId;
}
const income = (userId: string, kind: 'grant' | 'purchase') => ({
  userId,
  kind,
  deltaCredits: 10,
  key: newId(),
  actor: 'test',
  reason: 'Test',
});

const MOVEMENTS: Record<string, Movement> = {
  'a grant that pays a debt': {
    async prepare() {
      const userId = await debtor();
      const entry = income(userId, 'grant');
      return { userId, run: (db) => db.transaction((tx) => postEntry(tx, entry)) };
    },
    leaves: ['grant 10', 'debt_payment -3'],
  },
  'a purchase that pays a debt': {
    async prepare() {
      const userId = await debtor();
      const orderId = newId();
      const entry = { ...income(userId, 'purchase'), orderId };
      await t.sql`
        insert into orders (id, user_id, title, credits, amount_minor, currency, request_key, provider, expires_at)
        values (${orderId}, ${userId}, 'Pack', 10, 900, 'EUR', ${orderId}, 'sandbox', now() + interval '1 hour')`;
      const run = (db: Db) =>
        db.transaction(async (tx) => {
          await tx.execute(sql`update orders set status = 'paid', paid_at = now(), payment_id = ${orderId}
            where id = ${orderId} and status = 'pending'`);
          await postEntry(tx, entry);
        });
      return { userId, run };
    },
    leaves: ['purchase 10', 'debt_payment -3'],
  },
  'a hold': {
    async prepare() {
      const { userId, hold } = await heldTask(7);
      return { userId, run: hold, refusedAgain: 'credit_holds_pkey' };
    },
    leaves: ['hold -7'],
  },
  'a capture that returns the rest': {
    async prepare() {
      const { userId, taskId, hold } = await heldTask(7);
      await hold(t.db);
      return {
        userId,
        run: (db) =>
          db.transaction(async (tx) => {
            await captureHold(tx, { taskId, capturedCredits: 2 });
            await tx.execute(sql`update generation_tasks set status = 'succeeded', has_outputs = true,
              next_poll_at = null, finished_at = now() where id = ${taskId}`);
          }),
        refusedAgain: 'was settled before',
      };
    },
    leaves: ['return 5'],
  },
  'a draw on a budget': {
    async prepare() {
      const { userId, parentTaskId } = await composite(9);
      const taskId = await budgets.bareChild(userId, parentTaskId);
      const run = async (db: Db) => {
        if (!(await budgets.draw({ taskId, parentTaskId, userId, credits: 9 }, db)))
          throw new Error('Over the budget');
      };
      return { userId, run, refusedAgain: 'Over the budget' };
    },
    leaves: [],
  },
  'the settlement of a child': {
    async prepare() {
      const { userId, parentTaskId } = await composite(9);
      const child = await budgets.child(userId, parentTaskId, 6);
      return { userId, run: (db) => budgets.deliver(child, 4, db), refusedAgain: 'was settled before' };
    },
    leaves: [],
  },
  'the failure of a child': {
    async prepare() {
      const { userId, parentTaskId } = await composite(9);
      const child = await budgets.child(userId, parentTaskId, 6);
      return { userId, run: (db) => budgets.fail(child, db), refusedAgain: 'was settled before' };
    },
    leaves: [],
  },
  'the settlement of a budget': {
    async prepare() {
      const { userId, parentTaskId } = await composite(9);
      await budgets.deliver(await budgets.child(userId, parentTaskId, 6), 4);
      return {
        userId,
        run: (db) => budgets.settle(parentTaskId, 'failed', db),
        refusedAgain: 'was settled before',
      };
    },
    leaves: ['return 5'],
  },
  'a clawback that leaves a debt': {
    async prepare() {
      const userId = await newUser();
      await money.give(userId, 4);
      const input = { userId, credits: 9, key: newId(), actor: 'test', reason: 'Chargeback' };
      return { userId, run: (db) => db.transaction((tx) => clawBack(tx, input)) };
    },
    leaves: ['clawback -4'],
  },
  'an adjustment by an administrator': {
    async prepare() {
      const [userId, { id: operatorId }] = [await newUser(), await createUser(t.db)];
      const input = { userId, credits: 6, validDays: 3, reason: 'Test data', key: newId(), operatorId };
      return { userId, run: (db) => adjustCredits({ db }, input) };
    },
    leaves: ['adjustment 6'],
  },
  'a refund by its lane': {
    async prepare() {
      const userId = await newUser();
      await money.give(userId, 8, 5);
      const { id } = await createTask(t.db, { userId, modelId, status: 'failed', holdCredits: 8 });
      const run = (db: Db) =>
        runRefundBatch(
          { db, renewalDb: t.db, config: TEST_CONFIG, logger, random: () => 0, newId },
          { limit: 1, workerId: null, taskIds: [id] },
        );
      const again = async () => {
        await t.sql`update credit_refunds set lease_until = null, next_attempt_at = now()
          where task_id = ${id} and status = 'pending'`;
        await run(t.db);
      };
      return { userId, run, again };
    },
    leaves: ['refund 8'],
  },
};

/** Runs a movement with the connection cut at one statement, and again as its caller would. @returns what was cut */
async function cutOnce(movement: Movement, statement: number, side: 'before' | 'after') {
  const { userId, run, again, refusedAgain } = await movement.prepare();
  const before = (await money.entries(userId)).length;
  const handle = t.open({ url: proxy.url, max: 1 });
  // The driver looks up types on its first connection; that is no part of the movement.
  await handle.sql`select 1`;
  proxy.cutAt(statement, side);
  await run(handle.db).catch(() => undefined);
  const cut = proxy.cut();
  await handle.sql.end({ timeout: 0 });
  const committed = side === 'after' && cut === 'COMMIT';
  const tryAgain = again ?? (() => run(t.db));
  if (cut !== undefined && committed && refusedAgain) {
    await expect(tryAgain().catch(explain)).resolves.toContain(refusedAgain);
  } else if (cut !== undefined) await tryAgain();
  expect((await money.entries(userId)).slice(before)).toEqual(movement.leaves);
  return { cut, userId };
}

it.each(Object.entries(MOVEMENTS))('%s happens once, wherever the connection is cut', async (_, movement) => {
  const users: string[] = [];
  let statements = 0;
  for (;;) {
    const { cut, userId } = await cutOnce(movement, statements + 1, 'before');
    users.push(userId);
    if (cut === undefined) break;
    statements += 1;
  }
  // Cut before the answer to a statement, the server is where it is before the next one; but for the COMMIT.
  let lost: string | undefined;
  for (let statement = statements; statement > 0 && lost !== 'COMMIT'; statement -= 1) {
    const { cut, userId } = await cutOnce(movement, statement, 'after');
    users.push(userId);
    lost = cut;
  }
  expect(lost).toBe('COMMIT');
  expect(statements).toBeGreaterThan(3);
  expect(await money.mismatches(...users)).toEqual([]);
});

/** An error's message with those of its causes. */
function explain(error: unknown): string {
  return error instanceof Error ? `${error.message} ${explain(error.cause)}` : '';
}
