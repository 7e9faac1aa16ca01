import { asc, eq, inArray } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiToken } from '#server/auth/api-tokens.ts';
import { hashPassword } from '#server/auth/password.ts';
import { signIn } from '#server/auth/sign-in.ts';
import { signUp } from '#server/auth/sign-up.ts';
import {
  apiTokens,
  creditLedger,
  creditRefunds,
  dispatches,
  generationTaskDetails,
  generationTaskEvents,
  generationTasks,
  orders,
  outputs,
  sessions,
  uploads,
  users,
} from '#server/db/schema/index.ts';
import { savePreset } from '#server/generation/prompts/manage-presets.ts';
import { saveTemplate } from '#server/generation/prompts/manage-templates.ts';
import { isTerminal } from '#server/generation/status.ts';
import { newId } from '#server/lib/ids.ts';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { createUser, type TestUser } from '#server/testing/factories.ts';
import { createStubRig, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import { closeAccount } from './close-account.ts';
import { runRetentionBatch } from './run-retention-batch.ts';
import { makeOldTask, OVER, putFile, STATES, type State } from './testing/old-tasks.ts';

const PASSWORD = 'a long enough password';
let rig: StubRig;
let passwordHash: string;
beforeAll(async () => {
  rig = await createStubRig();
  passwordHash = await hashPassword(PASSWORD);
});
afterAll(() => rig.close());
afterEach(() => setCrashHandler(undefined));

let user: TestUser;
beforeEach(async () => {
  user = await createUser(rig.db, { passwordHash, displayName: 'Ada Example', balanceCredits: 500 });
});

const close = (userId = user.id, password = PASSWORD) =>
  closeAccount(rig.deps, { userId, password, limits: undefined });
const retain = () => runRetentionBatch(rig.deps, { limit: 500, workerId: 'test-worker' });
const rowOf = async (id = user.id) => (await rig.db.select().from(users).where(eq(users.id, id)))[0];
const taskOf = async (id: string) =>
  (await rig.db.select().from(generationTasks).where(eq(generationTasks.id, id)))[0];
const detailsOf = async (id: string) =>
  (await rig.db.select().from(generationTaskDetails).where(eq(generationTaskDetails.taskId, id)))[0];
const ledgerOf = (id = user.id) =>
  rig.db.select().from(creditLedger).where(eq(creditLedger.userId, id)).orderBy(asc(creditLedger.id));
const balance = async (id = user.id) => (await rig.balance(id)).balanceCredits;

/** Crashes at this point, whenever it is reached. */
const crashAt = (point: CrashPointName) =>
  setCrashHandler((name) => {
    if (name === point) throw new Error(`crashed at ${point}`);
  });

async function insertOrder(set: Partial<typeof orders.$inferInsert> = {}) {
  const [order] = await rig.db
    .insert(orders)
    .values({
      userId: user.id,
      title: '100 credits',
      credits: 100,
      amountMinor: 500,
      currency: 'EUR',
      requestKey: newId(),
      provider: 'stripe',
      expiresAt: new Date(Date.now() + 60_000),
      ...set,
    })
    .returning();
  if (!order) throw new Error('No order was made.');
  return order;
}

/** Knocks until the task has ended and its refund, if any, is posted. */
async function endOf(taskId: string): Promise<void> {
  await rig.eventually(async () => {
    await rig.hurry(taskId);
    await rig.knock();
    const task = await taskOf(taskId);
    const open = await rig.t.sql`select 1 from credit_holds where task_id = ${taskId} and closed_at is null`;
    return task !== undefined && isTerminal(task.status) && open.length === 0;
  });
}

describe('closing', () => {
  it('takes name and address, ends sessions, tokens and unpaid orders, and keeps the money with its history', async () => {
    await rig.db
      .insert(sessions)
      .values({ id: 'e'.repeat(64), userId: user.id, expiresAt: new Date(Date.now() + 60_000) });
    await createApiToken(rig.deps, { userId: user.id, name: "Ada's farm", scopes: ['read'] });
    const pending = await insertOrder();
    const ended = await insertOrder({ status: 'expired', endedAt: new Date() });
    await rig.t.sql`update users set language = 'zh-CN', time_zone = 'Asia/Tokyo' where id = ${user.id}`;
    const history = await ledgerOf();

    await close();
    expect(await rowOf()).toMatchObject({
      email: `deleted-${user.id}@deleted.invalid`,
      displayName: 'Deleted user',
      language: null,
      timeZone: null,
      disabledAt: expect.any(Date),
      deletedAt: expect.any(Date),
    });
    expect(await rig.db.select().from(sessions).where(eq(sessions.userId, user.id))).toEqual([]);
    expect(await rig.db.select().from(apiTokens).where(eq(apiTokens.userId, user.id))).toEqual([]);
    const after = await rig.db
      .select()
      .from(orders)
      .where(inArray(orders.id, [pending.id, ended.id]));
    expect(after.find((order) => order.id === pending.id)).toMatchObject({
      status: 'cancelled',
      cancelledBy: 'user',
      version: pending.version + 1,
    });
    expect(after.find((order) => order.id === ended.id)).toEqual(ended);
    expect(await ledgerOf()).toEqual(history);
    expect(await balance()).toBe(500);
    const found = await rig.t.sql`
      select 1 from users where id = ${user.id} and (users::text ~* '\\mada\\M' or users::text ilike ${`%${user.email}%`})`;
    expect(found).toEqual([]);
  });

  it('lets nobody sign in to it any more, and its address sign up again', async () => {
    await close();
    for (const email of [user.email, `deleted-${user.id}@deleted.invalid`]) {
      await expect(
        signIn(rig.deps, { email, password: PASSWORD, clientAddress: '127.0.0.1', limits: undefined }),
      ).rejects.toMatchObject({ code: 'unauthorized' });
    }
    const nobodyInvites = { requireInviter: async () => undefined, bindNewUser: async () => undefined };
    const again = await signUp(rig.deps, nobodyInvites as never, {
      email: user.email,
      displayName: 'Ada',
      password: PASSWORD,
    });
    expect(again.id).not.toBe(user.id);
    expect(await balance(again.id)).toBe(rig.deps.config.signUpCredits);
  });

  it('refuses a wrong password beside the field, and changes nothing', async () => {
    await expect(close(user.id, 'another password')).rejects.toMatchObject({
      code: 'bad_request',
      field: 'password',
    });
    expect(await rowOf()).toMatchObject({ email: user.email, deletedAt: null });
  });

  it('closes once when it is asked several times at once', async () => {
    const order = await insertOrder();
    const answers = await Promise.allSettled([close(), close(), close(), close()]);
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
    const [after] = await rig.db.select().from(orders).where(eq(orders.id, order.id));
    expect(after).toMatchObject({ status: 'cancelled', version: order.version + 1 });
  });

  it('keeps the last administrator, also when the last two leave at once', async () => {
    await rig.t.sql`update users set role = 'user' where role = 'admin'`;
    const admins = [
      await createUser(rig.db, { passwordHash, role: 'admin' }),
      await createUser(rig.db, { passwordHash, role: 'admin' }),
      await createUser(rig.db, { passwordHash, role: 'admin', disabledAt: new Date() }),
    ];
    const answers = await Promise.allSettled(admins.slice(0, 2).map((admin) => close(admin.id)));
    expect(answers.map((answer) => answer.status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = answers.find((answer) => answer.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'conflict' });
    const left = await rig.db.select().from(users).where(eq(users.role, 'admin'));
    expect(left.filter((admin) => admin.disabledAt === null)).toHaveLength(1);
  });

  it('does all or nothing when the process ends in its transaction', async () => {
    await createApiToken(rig.deps, { userId: user.id, name: 'ci', scopes: ['read'] });
    const order = await insertOrder();
    for (const point of ['close.before-row', 'close.before-commit'] as const) {
      crashAt(point);
      await expect(close()).rejects.toThrow('crashed');
      setCrashHandler(undefined);
      expect(await rowOf()).toMatchObject({ email: user.email, deletedAt: null });
      const [row] = await rig.db.select().from(orders).where(eq(orders.id, order.id));
      expect(row?.status).toBe('pending');
      expect(await rig.db.select().from(apiTokens).where(eq(apiTokens.userId, user.id))).toHaveLength(1);
    }
    await close();
    expect((await rowOf())?.deletedAt).not.toBeNull();
  });
});

describe('B55 tasks of a closed account', () => {
  /** A running Replicate video of the user; upstream can cancel it, or (newapi) it cannot. */
  async function running(vendor: 'replicateVideo' | 'newapiVideo' = 'replicateVideo') {
    const stub = await rig.openChannel(vendor);
    if (vendor === 'replicateVideo') {
      stub.create = [taken()];
      stub.poll = ['hold'];
    } else {
      stub.create = [{ json: { task_id: 'n1', status: 'queued' } }];
      stub.poll = ['hold'];
    }
    const taskId = await rig.submitTo(stub, { userId: user.id, prompt: 'what Ada asked for' });
    await rig.eventually(async () => {
      await rig.hurry(taskId);
      await rig.knock();
      return (await taskOf(taskId))?.status === 'running' && stub.count('poll') > 0;
    });
    return { stub, taskId };
  }

  it('B55 ends a queued task at once, free', async () => {
    const taskId = await rig.submit('image', { userId: user.id });
    expect(await balance()).toBeLessThan(500);
    await close();
    expect(await taskOf(taskId)).toMatchObject({ status: 'cancelled' });
    expect(await balance()).toBe(500);
  });

  it('B55 a running task that fails refunds the closed account once, and then nothing of it is left to read', async () => {
    const { stub, taskId } = await running();
    await close();
    expect((await taskOf(taskId))?.cancelRequestedAt).not.toBeNull();
    expect(await retain()).toMatchObject({ failed: 0 });
    expect((await detailsOf(taskId))?.prompt).toBe('what Ada asked for');

    const failure = said('failed', { error: 'The prompt "what Ada asked for" is not allowed.' });
    stub.poll = [failure];
    stub.answerHeld(failure);
    await endOf(taskId);
    await Promise.all([retain(), retain()]);
    expect(await taskOf(taskId)).toMatchObject({ status: 'failed' });
    expect(await balance()).toBe(500);
    const refunds = (await ledgerOf()).filter((entry) => entry.kind === 'refund');
    expect(refunds).toMatchObject([{ taskId, deltaCredits: 5 }]);
    expect(await rig.db.select().from(creditRefunds).where(eq(creditRefunds.taskId, taskId))).toMatchObject([
      { status: 'settled' },
    ]);
    expect(await detailsOf(taskId)).toMatchObject({ prompt: '', params: {}, failureMessage: null });
    const words = await rig.t.sql`
      select 1 from generation_task_details d where d::text like '%Ada%' and task_id = ${taskId}
      union all select 1 from dispatches x where x::text like '%Ada%' and task_id = ${taskId}
      union all select 1 from generation_task_events e where e::text like '%Ada%' and task_id = ${taskId}`;
    expect(words).toEqual([]);
    expect(await rig.audit()).toEqual([]);
  });

  it('B55 a running task that succeeds is settled, and its output is removed without being seen', async () => {
    const { stub, taskId } = await running('newapiVideo');
    await close();
    // Upstream cannot cancel it: it runs to its end.
    expect((await taskOf(taskId))?.cancelRequestedAt).toBeNull();
    const success = { json: { task_id: 'n1', status: 'completed', url: stub.fileUrl() } };
    stub.poll = [success];
    stub.answerHeld(success);
    await endOf(taskId);
    expect(await taskOf(taskId)).toMatchObject({ status: 'succeeded' });
    expect(await balance()).toBe(495);
    const [output] = await rig.db.select().from(outputs).where(eq(outputs.taskId, taskId));
    expect(await rig.deps.storage.stat(output?.storageKey ?? '')).toBeDefined();

    // A preview that is made at that moment holds the task back for a turn.
    await rig.eventually(async () => {
      const turn = await retain();
      expect(turn.failed).toBe(0);
      return turn.counts.closedContent === 1;
    });
    const [after] = await rig.db.select().from(outputs).where(eq(outputs.taskId, taskId));
    expect(after).toMatchObject({ removedAt: expect.any(Date), previewKey: null, bytes: output?.bytes });
    expect(await rig.deps.storage.stat(output?.storageKey ?? '')).toBeUndefined();
    expect((await detailsOf(taskId))?.prompt).toBe('');
    expect(await balance()).toBe(495);
    expect((await retain()).counts).toEqual({});
    expect(await rig.audit()).toEqual([]);
  });

  it.each(['close.after-commit', 'close.after-cancel'] as const)(
    'B55 asks every task to end though the process ended at %s',
    async (point) => {
      const first = await running();
      const second = await running();
      crashAt(point);
      await close().catch(() => undefined);
      setCrashHandler(undefined);
      expect((await rowOf())?.deletedAt).not.toBeNull();
      await retain();
      for (const { stub, taskId } of [first, second]) {
        expect((await taskOf(taskId))?.cancelRequestedAt).not.toBeNull();
        stub.poll = [said('canceled')];
        stub.answerHeld(said('canceled'));
        await endOf(taskId);
      }
      expect(await balance()).toBe(500);
      expect((await retain()).counts).toMatchObject({ closedContent: 2 });
    },
  );

  it('B55 ends what a request that was under way has added after the closing', async () => {
    await close();
    const taskId = await rig.submit('image', { userId: user.id });
    const order = await insertOrder();
    await rig.db
      .insert(sessions)
      .values({ id: 'f'.repeat(64), userId: user.id, expiresAt: new Date(Date.now() + 60_000) });
    await saveTemplate(rig.deps, { userId: user.id, kind: 'image', name: 'Dusk', prompt: 'A personal word' });
    await savePreset(rig.deps, { userId: user.id, model: 'any', name: 'Mine', params: { n: 1 } });
    expect((await retain()).counts).toMatchObject({
      closedAccess: 1,
      closedOrders: 1,
      closedTasks: 1,
      closedPrompts: 2,
    });
    expect(await taskOf(taskId)).toMatchObject({ status: 'cancelled' });
    const [after] = await rig.db.select().from(orders).where(eq(orders.id, order.id));
    expect(after).toMatchObject({ status: 'cancelled' });
    expect(await rig.db.select().from(sessions).where(eq(sessions.userId, user.id))).toEqual([]);
    expect(await balance()).toBe(500);
  });
});

describe('erasing', () => {
  it('touches only tasks that are over, in every state of task and money', async () => {
    const tasks = new Map<State, string>();
    for (const state of STATES) {
      const task = await makeOldTask(rig.deps, {
        state,
        days: 0,
        userId: user.id,
        params: { style: 'hers' },
      });
      tasks.set(state, task.id);
    }
    await close();
    const live = [...tasks].filter(([state]) => !OVER.includes(state)).map(([, id]) => id);
    const statuses = async () =>
      rig.db
        .select({ id: generationTasks.id, status: generationTasks.status })
        .from(generationTasks)
        .where(inArray(generationTasks.id, live))
        .orderBy(asc(generationTasks.id));
    const before = await statuses();
    expect(await retain()).toMatchObject({ failed: 0 });
    for (const [state, id] of tasks) {
      const details = await detailsOf(id);
      const [output] = await rig.db.select().from(outputs).where(eq(outputs.taskId, id));
      const events = await rig.db
        .select()
        .from(generationTaskEvents)
        .where(eq(generationTaskEvents.taskId, id));
      // A queued task ended with the account; it is over, and so erased.
      const erased = OVER.includes(state) || state === 'queued';
      expect([
        state,
        details?.prompt,
        details?.params,
        output?.removedAt !== null,
        events.length > 0,
      ]).toEqual(
        erased ? [state, '', {}, true, false] : [state, 'a lighthouse', { style: 'hers' }, false, true],
      );
    }
    expect(await statuses()).toEqual(before);
  });

  it('removes uploads with the last task, and files before words when the process ends in between', async () => {
    const id = newId();
    const storageKey = `uploads/${user.id}/${id}`;
    await putFile(rig.deps.storage, storageKey);
    await rig.db.insert(uploads).values({
      id,
      userId: user.id,
      storageKey,
      fileName: 'ada.png',
      mime: 'image/png',
      bytes: 4,
      sha256: '0'.repeat(64),
      usedAt: new Date(),
    });
    const waiting = await makeOldTask(rig.deps, {
      state: 'failed, refund with an operator',
      days: 0,
      userId: user.id,
    });
    const over = await makeOldTask(rig.deps, {
      state: 'succeeded, settled',
      days: 0,
      userId: user.id,
      details: { referenceIds: [id] },
    });
    await close();
    crashAt('erase.after-files');
    expect(await retain()).toMatchObject({ failed: 1 });
    setCrashHandler(undefined);
    expect(await rig.deps.storage.stat(`outputs/${over.id}/0`)).toBeUndefined();
    expect((await detailsOf(over.id))?.prompt).toBe('a lighthouse');
    expect((await retain()).counts).toEqual({ closedContent: 1 });
    expect((await detailsOf(over.id))?.referenceIds).toEqual([]);
    // An operator still has the refund of the other one: nothing of that one, and no file it may name, is touched.
    expect(await rig.deps.storage.stat(storageKey)).toBeDefined();
    await rig.t.sql`
      update credit_refunds set status = 'settled', settled_at = now(), next_attempt_at = null
      where task_id = ${waiting.id}`;
    await rig.t.sql`
      update credit_holds set status = 'refunded', returned_credits = amount_credits, closed_at = now()
      where task_id = ${waiting.id}`;
    expect((await retain()).counts).toEqual({ closedContent: 1, uploads: 1 });
    expect(await rig.deps.storage.stat(storageKey)).toBeUndefined();
    expect(await rig.db.select().from(uploads).where(eq(uploads.userId, user.id))).toEqual([]);
    expect(await rig.db.select().from(dispatches).where(eq(dispatches.taskId, over.id))).toMatchObject([
      { rawResult: null, evidence: null, artefacts: null },
    ]);
  });

  it('looks at an account no more when all of it is erased and no request of it can be under way', async () => {
    await close();
    await retain();
    expect((await rowOf())?.erasedAt).toBeNull();
    await rig.t.sql`update users set deleted_at = now() - interval '2 hours' where id = ${user.id}`;
    expect((await retain()).counts).toMatchObject({ closedAccounts: 1 });
    expect((await rowOf())?.erasedAt).toBeInstanceOf(Date);
    expect((await retain()).counts).toEqual({});
  });
});
