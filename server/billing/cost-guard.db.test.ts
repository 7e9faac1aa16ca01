import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cancelTask } from '#server/generation/cancel-task.ts';
import { createUser, type TestUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import type { Context } from '#server/trpc/context.ts';
import { createCallerFactory, router } from '#server/trpc/init.ts';
import { adminBillingRouter } from './admin-router.ts';
import { readCostGuardView, setCostGuard } from './cost-guard.ts';
import { runRefundBatch } from './run-refund-batch.ts';
import type { CostGuardLimits } from './schemas.ts';

/** One image costs 3 credits in this rig, a second of video 5. */

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const limit = (limits: Partial<CostGuardLimits>) =>
  setCostGuard(rig.deps, {
    taskCredits: null,
    userDayCredits: null,
    dayCredits: null,
    ...limits,
    actorId: rig.user.id,
  });

/** Each test counts on days of its own. */
afterEach(async () => {
  await limit({});
  await rig.t.sql`update credit_holds set spent_on = spent_on - 1000 where spent_on is not null`;
  await rig.t.sql`update credit_day_spending set day = day - 1000`;
});

const spentBy = async (user: { id: string }, daysAgo = 0) => {
  const [row] = await rig.t.sql<{ spent: string }[]>`
    select spent_credits::text as spent from credit_day_spending
    where user_id = ${user.id} and day = (clock_timestamp() at time zone 'UTC')::date - ${daysAgo}::int`;
  return row ? Number(row.spent) : undefined;
};

/** Moves what a user spent, and its holds, to yesterday. */
const letDayPass = async (user: { id: string }) => {
  await rig.t.sql`update credit_day_spending set day = day - 1 where user_id = ${user.id}`;
  await rig.t.sql`update credit_holds set spent_on = spent_on - 1 where user_id = ${user.id}`;
};

const tasksOf = async (user: { id: string }) =>
  Number((await rig.t.sql`select count(*) from generation_tasks where user_id = ${user.id}`)[0]?.count);

const utcTomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

/** Submits all at once and tells the refusals from what was accepted. */
async function submitAll(users: readonly TestUser[]) {
  const results = await Promise.allSettled(users.map(({ id }) => rig.submit('image', { userId: id })));
  return {
    accepted: results.filter((result) => result.status === 'fulfilled').length,
    refused: results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
  };
}

describe('the limit per task', () => {
  it('takes a task that costs just as much and refuses a dearer one before any charge', async () => {
    const user = await createUser(rig.db);
    await limit({ taskCredits: 9 });
    await rig.submit('image', { userId: user.id, params: { n: 3 } });
    await expect(rig.submit('image', { userId: user.id, params: { n: 4 } })).rejects.toMatchObject({
      code: 'forbidden',
      message:
        'A task may cost at most 9 credits, and this one costs 12. Order less, or choose a cheaper setting.',
    });
    expect(await rig.balance(user.id)).toMatchObject({ balanceCredits: 991, heldCredits: 9 });
    expect(await tasksOf(user)).toBe(1);
  });
});

describe('a limit of one person', () => {
  it('goes before the general one of a day, higher or lower, also where there is no general one', async () => {
    const [generous, strict, none, other] = [
      await createUser(rig.db, { dayCreditsLimit: 9 }),
      await createUser(rig.db, { dayCreditsLimit: 3 }),
      await createUser(rig.db, { dayCreditsLimit: 0 }),
      await createUser(rig.db),
    ];
    const accepts = async (user: TestUser) => (await submitAll([user, user, user, user])).accepted;
    await limit({ userDayCredits: 6 });
    expect([await accepts(generous), await accepts(strict), await accepts(other)]).toEqual([3, 1, 2]);
    await limit({});
    await letDayPass(strict);
    expect(await accepts(strict)).toBe(1);
    await expect(rig.submit('image', { userId: none.id })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('You may spend at most 0 credits a day.'),
    });
  });
});

describe('the limit per user and day', () => {
  it('20 parallel submits with budget for 7: 7 accepted, 13 a refusal that says what is left', async () => {
    const user = await createUser(rig.db);
    await limit({ userDayCredits: 22 });
    const { accepted, refused } = await submitAll(Array.from({ length: 20 }, () => user));
    expect(accepted).toBe(7);
    expect(refused).toHaveLength(13);
    for (const reason of refused) {
      expect(reason).toMatchObject({
        code: 'forbidden',
        message: `You may spend at most 22 credits a day. What is left until ${utcTomorrow()} 00:00 UTC is 1, and this costs 3. Order less, or come back then.`,
      });
    }
    expect(await spentBy(user)).toBe(21);
    expect(await tasksOf(user)).toBe(7);
    expect(await rig.balance(user.id)).toMatchObject({ balanceCredits: 979, heldCredits: 21 });
    expect(await rig.audit()).toEqual([]);
  });

  it('refuses the first task of a day too, leaves others alone, and begins anew the next day', async () => {
    const [user, other] = [await createUser(rig.db), await createUser(rig.db)];
    await limit({ userDayCredits: 2 });
    await expect(rig.submit('image', { userId: user.id })).rejects.toMatchObject({ code: 'forbidden' });
    await limit({ userDayCredits: 3 });
    await rig.submit('image', { userId: user.id });
    await expect(rig.submit('image', { userId: user.id })).rejects.toMatchObject({ code: 'forbidden' });
    await rig.submit('image', { userId: other.id });
    await letDayPass(user);
    await rig.submit('image', { userId: user.id });
    expect([await spentBy(user), await spentBy(user, 1)]).toEqual([3, 3]);
  });

  it('counts also while there is no limit, and what is free does not count', async () => {
    const user = await createUser(rig.db);
    await rig.submit('image', { userId: user.id });
    await limit({ userDayCredits: 3, taskCredits: 3 });
    await expect(rig.submit('text', { userId: user.id })).rejects.toMatchObject({
      message: expect.stringContaining('00:00 UTC is 0,'),
    });
    await rig.t
      .sql`update models set price = jsonb_set(price, '{credits}', '0') where id = ${rig.models.text.id}`;
    try {
      await rig.submit('text', { userId: user.id });
    } finally {
      await rig.t
        .sql`update models set price = jsonb_set(price, '{credits}', '1') where id = ${rig.models.text.id}`;
    }
    expect(await spentBy(user)).toBe(3);
  });

  it('the same request asked again is the same task and counts once', async () => {
    const user = await createUser(rig.db);
    await limit({ userDayCredits: 3 });
    const requestKey = 'guarded-once';
    const asked = Array.from({ length: 6 }, () => rig.submit('image', { userId: user.id, requestKey }));
    expect(new Set(await Promise.all(asked)).size).toBe(1);
    expect(await spentBy(user)).toBe(3);
  });
});

describe('the limit per day in total', () => {
  it('20 users at once with budget for 7: 7 accepted, 13 refused', async () => {
    const users = await Promise.all(Array.from({ length: 20 }, () => createUser(rig.db)));
    await limit({ dayCredits: 23 });
    const { accepted, refused } = await submitAll(users);
    expect(accepted).toBe(7);
    expect(refused).toHaveLength(13);
    for (const reason of refused) {
      expect(reason).toMatchObject({
        code: 'forbidden',
        message: `Everybody together may spend at most 23 credits a day. What is left until ${utcTomorrow()} 00:00 UTC is 2, and this costs 3. Order less, or come back then.`,
      });
    }
    expect((await readCostGuardView(rig.deps)).spentTodayCredits).toBe(21);
    expect(await rig.audit()).toEqual([]);
  });

  it('many tasks of few users at once, under all three limits', async () => {
    const users = await Promise.all(Array.from({ length: 4 }, () => createUser(rig.db)));
    await limit({ taskCredits: 3, userDayCredits: 9, dayCredits: 30 });
    const { accepted } = await submitAll(
      Array.from({ length: 24 }, (_, index) => users[index % 4] as TestUser),
    );
    expect(accepted).toBe(10);
    for (const user of users) expect(await spentBy(user)).toBeLessThanOrEqual(9);
    expect((await readCostGuardView(rig.deps)).spentTodayCredits).toBe(30);
  });
});

describe('what comes back', () => {
  const failing = { prompt: 'a boat [[fail]]', params: { seconds: 2 } };

  it('a refund gives the budget back once, however often the lane runs', async () => {
    await limit({ userDayCredits: 10_000 });
    const before = (await spentBy(rig.user)) ?? 0;
    const taskId = await rig.submit('video', failing);
    expect(await spentBy(rig.user)).toBe(before + 10);
    await rig.runToEnd(taskId);
    await Promise.all(
      Array.from({ length: 3 }, () => runRefundBatch(rig.deps, { limit: 10, workerId: null })),
    );
    expect(await spentBy(rig.user)).toBe(before);
  });

  it('a cancel before the send gives it back, so that the same user can order again', async () => {
    const user = await createUser(rig.db);
    await limit({ userDayCredits: 3, dayCredits: 3 });
    const taskId = await rig.submit('image', { userId: user.id });
    await expect(rig.submit('image', { userId: user.id })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await cancelTask(rig.deps, { userId: user.id, taskId })).toBe('cancelled');
    expect(await spentBy(user)).toBe(0);
    await rig.submit('image', { userId: user.id });
    expect(await spentBy(user)).toBe(3);
  });

  it('goes to the day that counted it, not to the day on which it comes back', async () => {
    const taskId = await rig.submit('video', failing);
    const old = (await spentBy(rig.user)) ?? 0;
    await letDayPass(rig.user);
    await rig.submit('image');
    await rig.runToEnd(taskId);
    expect([await spentBy(rig.user), await spentBy(rig.user, 1)]).toEqual([3, old - 10]);
  });

  it('a hold of a release that did not count gives nothing back, and is refunded all the same', async () => {
    const user = await createUser(rig.db);
    const [old] = [
      await rig.submit('image', { userId: user.id }),
      await rig.submit('image', { userId: user.id }),
    ];
    await rig.t.sql`update credit_holds set spent_on = null where task_id = ${old}`;
    await cancelTask(rig.deps, { userId: user.id, taskId: old });
    expect(await spentBy(user)).toBe(6);
    expect((await rig.balance(user.id)).balanceCredits).toBe(997);
  });

  it('a count that is too small or gone never stops a refund', async () => {
    const user = await createUser(rig.db);
    const [one, two] = [
      await rig.submit('image', { userId: user.id }),
      await rig.submit('image', { userId: user.id }),
    ];
    await rig.t.sql`update credit_day_spending set spent_credits = 1 where user_id = ${user.id}`;
    await cancelTask(rig.deps, { userId: user.id, taskId: one });
    expect(await spentBy(user)).toBe(0);
    await rig.t.sql`delete from credit_day_spending where user_id = ${user.id}`;
    await cancelTask(rig.deps, { userId: user.id, taskId: two });
    expect((await rig.balance(user.id)).balanceCredits).toBe(1_000);
  });
});

describe('setting the limits', () => {
  const callerOf = (role: 'user' | 'admin') =>
    createCallerFactory(router({ adminBilling: adminBillingRouter }))({
      deps: rig.deps,
      identity: {
        type: 'session',
        sessionId: 's',
        user: { id: rig.user.id, email: 'someone@example.com', displayName: 'Someone', role },
      },
    } as Context).adminBilling;
  const none = { taskCredits: null, userDayCredits: null, dayCredits: null };

  it('is for administrators, in whole credits that are not below 0 (B50)', async () => {
    await callerOf('admin').setCostGuard({ ...none, taskCredits: 0, dayCredits: 1_000_000_000_000 });
    expect(await callerOf('admin').costGuard()).toMatchObject({
      taskCredits: 0,
      dayCredits: 1_000_000_000_000,
    });
    await expect(callerOf('user').setCostGuard(none)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(callerOf('user').costGuard()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const taskCredits of [-5, 1.5, 9e15, Number.NaN, '10.0' as never]) {
      await expect(callerOf('admin').setCostGuard({ ...none, taskCredits })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
  });

  it('shows what is set and spent, and who changed it from what to what', async () => {
    await limit({ taskCredits: 5 });
    await limit({ taskCredits: 6, dayCredits: 100 });
    expect(await readCostGuardView(rig.deps)).toEqual({
      taskCredits: 6,
      userDayCredits: null,
      dayCredits: 100,
      spentTodayCredits: expect.any(Number),
      updatedAt: expect.any(Date),
    });
    const [last] = await rig.t.sql<{ actor_id: string; data: unknown }[]>`
      select actor_id, data from audit_log where action = 'guard.set' order by id desc limit 1`;
    expect(last).toEqual({
      actor_id: rig.user.id,
      data: {
        from: { taskCredits: 5, userDayCredits: null, dayCredits: null },
        to: { taskCredits: 6, userDayCredits: null, dayCredits: 100 },
      },
    });
  });
});
