import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createChannel, createModel, createTask, createUser } from '#server/testing/factories.ts';
import { claimDueSteps, claimQueued, claimTasks, dueTaskIdsOfUser, type TaskRow } from './claim-queries.ts';
import { nextTaskDueAt } from './due-queries.ts';
import type { Lease } from './event-queries.ts';
import { releaseLease, renewLeases, savePolls, wakeTask } from './lease-queries.ts';
import { moveLeased } from './move-queries.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase({ max: 20 });
});
afterAll(() => t.close());

const FIRST_USER = '00000000-0000-0000-0000-000000000000';
const claimBase = (executorId = newId()) => ({ executorId, leaseSeconds: 30, workerId: null });

async function fresh(): Promise<void> {
  await t.sql`update generation_tasks set status = 'cancelled', finished_at = now(), next_poll_at = null,
    lease_until = null, leased_by = null, failure_code = null where finished_at is null`;
}

describe('N claimers over M rows', () => {
  it('each row is claimed once, and no claim takes more than its limit', async () => {
    await fresh();
    const channelId = (await createChannel(t.db)).id;
    const modelId = (await createModel(t.db, { channelId })).id;
    const userId = (await createUser(t.db, { balanceCredits: 10_000 })).id;
    for (let i = 0; i < 120; i += 1) {
      await createTask(t.db, { userId, channelId, modelId, status: i % 3 === 0 ? 'archiving' : 'running' });
    }
    const claims: TaskRow[][] = [];
    const claimer = async () => {
      for (;;) {
        const rows = await claimDueSteps(t.db, { ...claimBase(), polls: 7, transfers: 3, composes: 0 });
        if (rows.length === 0) return;
        claims.push(rows);
      }
    };
    await Promise.all(Array.from({ length: 12 }, claimer));
    const ids = claims.flat().map((row) => row.id);
    expect(ids).toHaveLength(120);
    expect(new Set(ids).size).toBe(120);
    for (const claim of claims) {
      expect(claim.filter((row) => row.status === 'running').length).toBeLessThanOrEqual(7);
      expect(claim.filter((row) => row.status === 'archiving').length).toBeLessThanOrEqual(3);
      for (const row of claim) expect(row.leaseToken).toBe(1);
    }
  });

  it('queued rows too, by any mixture of walks and kicks', async () => {
    await fresh();
    const channelId = (await createChannel(t.db, { maxInFlight: 1_000 })).id;
    const modelId = (await createModel(t.db, { channelId })).id;
    const ids: string[] = [];
    for (let u = 0; u < 6; u += 1) {
      const userId = (await createUser(t.db, { balanceCredits: 10_000 })).id;
      for (let i = 0; i < 8; i += 1) ids.push((await createTask(t.db, { userId, channelId, modelId })).id);
    }
    const seen: string[] = [];
    const walk = async () => {
      for (let i = 0; i < 30; i += 1) {
        const rows = await claimQueued(t.db, {
          ...claimBase(),
          limit: 5,
          after: FIRST_USER,
          userInFlight: 100,
        });
        expect(rows.length).toBeLessThanOrEqual(5);
        seen.push(...rows.map((row) => row.id));
      }
    };
    const kick = async () => {
      for (const id of ids) {
        const rows = await claimTasks(t.db, {
          ...claimBase(),
          taskIds: [id],
          limits: { create: 1, poll: 1, transfer: 1, compose: 0 },
          userInFlight: 100,
        });
        seen.push(...rows.map((row) => row.id));
      }
    };
    await Promise.all([walk(), walk(), walk(), kick(), kick()]);
    expect(new Set(seen).size).toBe(48);
    expect(seen).toHaveLength(48);
  });
});

describe('a row that another transaction holds', () => {
  it('is passed over when locked, and the claim waits for nobody', async () => {
    await fresh();
    const common = { channelId: (await createChannel(t.db)).id };
    const modelId = (await createModel(t.db, common)).id;
    const [running, archiving, queued] = [
      await createTask(t.db, { ...common, modelId, status: 'running' }),
      await createTask(t.db, { ...common, modelId, status: 'archiving' }),
      await createTask(t.db, { ...common, modelId }),
    ];
    const locked = [running.id, archiving.id, queued.id];
    const free = await createTask(t.db, { ...common, modelId, status: 'running' });
    await t.sql.begin(async (tx) => {
      await tx`select 1 from generation_tasks where id = any(${locked}) for update`;
      const limits = { create: 9, poll: 9, transfer: 9, compose: 0 };
      expect(await claimTasks(t.db, { ...claimBase(), taskIds: locked, limits, userInFlight: 9 })).toEqual(
        [],
      );
      expect(
        await claimQueued(t.db, { ...claimBase(), limit: 9, after: FIRST_USER, userInFlight: 9 }),
      ).toEqual([]);
      const rows = await claimDueSteps(t.db, { ...claimBase(), polls: 9, transfers: 9, composes: 0 });
      expect(rows.map((row) => row.id)).toEqual([free.id]);
    });
  });

  it('is claimed all the same when only a row that refers to it is being inserted', async () => {
    await fresh();
    const task = await createTask(t.db, { status: 'running' });
    await t.sql.begin(async (tx) => {
      await tx`insert into generation_task_events (task_id, seq, type, actor) values (${task.id}, 90, 'x', 'test')`;
      const rows = await claimDueSteps(t.db, { ...claimBase(), polls: 9, transfers: 9, composes: 0 });
      expect(rows.map((row) => row.id)).toEqual([task.id]);
    });
  });
});

describe('a renewed lease', () => {
  it.each(['queued', 'running', 'archiving'] as const)(
    'keeps a %s row from everybody, although its due time has passed',
    async (status) => {
      await fresh();
      const lease = { leaseToken: 3, leasedBy: newId(), leaseUntil: new Date(Date.now() + 60_000) };
      const task = await createTask(t.db, {
        status,
        nextPollAt: new Date(0),
        giveUpAt: new Date(0),
        ...lease,
      });
      const claimAll = async () => [
        ...(await claimDueSteps(t.db, { ...claimBase(), polls: 9, transfers: 9, composes: 0 })),
        ...(await claimQueued(t.db, { ...claimBase(), limit: 9, after: FIRST_USER, userInFlight: 9 })),
        ...(await claimTasks(t.db, {
          ...claimBase(),
          taskIds: [task.id],
          limits: { create: 9, poll: 9, transfer: 9, compose: 0 },
          userInFlight: 9,
        })),
      ];
      expect(await claimAll()).toEqual([]);
      expect(await dueTaskIdsOfUser(t.db, task.userId, 9)).toEqual([]);
      await t.sql`update generation_tasks set lease_until = now() - interval '1 second' where id = ${task.id}`;
      expect(await claimAll()).toHaveLength(1);
    },
  );
});

describe('fairness and caps', () => {
  it('one user with many rows does not come before the first row of another', async () => {
    await fresh();
    const channelId = (await createChannel(t.db, { maxInFlight: 1_000 })).id;
    const modelId = (await createModel(t.db, { channelId })).id;
    const greedy = (await createUser(t.db, { balanceCredits: 10_000 })).id;
    for (let i = 0; i < 50; i += 1) await createTask(t.db, { userId: greedy, channelId, modelId });
    const others: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const userId = (await createUser(t.db)).id;
      others.push(userId);
      await createTask(t.db, { userId, channelId, modelId });
    }
    const rows = await claimQueued(t.db, { ...claimBase(), limit: 6, after: FIRST_USER, userInFlight: 100 });
    expect(new Set(rows.map((row) => row.userId))).toEqual(new Set([greedy, ...others]));
  });

  it('a paused, disabled or full channel holds back its own rows only', async () => {
    await fresh();
    const userId = (await createUser(t.db, { balanceCredits: 10_000 })).id;
    const make = async (channel: Parameters<typeof createChannel>[1]) => {
      const channelId = (await createChannel(t.db, channel)).id;
      const modelId = (await createModel(t.db, { channelId })).id;
      return (await createTask(t.db, { userId, channelId, modelId })).id;
    };
    await make({ pausedUntil: new Date(Date.now() + 60_000) });
    await make({ enabled: false });
    const open = await make({});
    const full = await createChannel(t.db, { maxInFlight: 1 });
    const fullModel = (await createModel(t.db, { channelId: full.id })).id;
    await createTask(t.db, {
      userId,
      channelId: full.id,
      modelId: fullModel,
      status: 'running',
      nextPollAt: new Date(Date.now() + 60_000),
    });
    await createTask(t.db, { userId, channelId: full.id, modelId: fullModel });
    const rows = await claimQueued(t.db, { ...claimBase(), limit: 10, after: FIRST_USER, userInFlight: 100 });
    expect(rows.map((row) => row.id)).toEqual([open]);
  });

  it('counts a user’s cap from live rows', async () => {
    await fresh();
    const channelId = (await createChannel(t.db)).id;
    const modelId = (await createModel(t.db, { channelId })).id;
    const userId = (await createUser(t.db, { balanceCredits: 10_000 })).id;
    const later = new Date(Date.now() + 60_000);
    for (let i = 0; i < 2; i += 1) {
      await createTask(t.db, { userId, channelId, modelId, status: 'running', nextPollAt: later });
    }
    for (let i = 0; i < 5; i += 1) await createTask(t.db, { userId, channelId, modelId });
    const rows = await claimQueued(t.db, { ...claimBase(), limit: 10, after: FIRST_USER, userInFlight: 3 });
    expect(rows).toHaveLength(1);
  });

  it('a kick counts the same caps: of the user, of the channel, and the channel’s pause', async () => {
    await fresh();
    const later = new Date(Date.now() + 60_000);
    const kick = async (
      columns: Parameters<typeof createChannel>[1],
      running: number,
      userInFlight: number,
    ) => {
      const channelId = (await createChannel(t.db, columns)).id;
      const modelId = (await createModel(t.db, { channelId })).id;
      const userId = (await createUser(t.db, { balanceCredits: 10_000 })).id;
      const common = { userId, channelId, modelId };
      for (let i = 0; i < running; i += 1) {
        await createTask(t.db, { ...common, status: 'running', nextPollAt: later });
      }
      const taskIds: string[] = [];
      for (let i = 0; i < 4; i += 1) taskIds.push((await createTask(t.db, common)).id);
      const limits = { create: 4, poll: 4, transfer: 4, compose: 0 };
      return (await claimTasks(t.db, { ...claimBase(), taskIds, limits, userInFlight })).length;
    };
    expect(await kick({}, 2, 3)).toBe(1);
    expect(await kick({ maxInFlight: 4 }, 2, 100)).toBe(2);
    expect(await kick({ pausedUntil: later }, 0, 100)).toBe(0);
    expect(await kick({ enabled: false }, 0, 100)).toBe(0);
    expect(await kick({}, 0, 100)).toBe(4);
  });

  it('a paused channel is not polled, by walk or kick, until the pause ends', async () => {
    await fresh();
    const channelId = (await createChannel(t.db, { pausedUntil: new Date(Date.now() + 60_000) })).id;
    const modelId = (await createModel(t.db, { channelId })).id;
    const task = await createTask(t.db, { channelId, modelId, status: 'running' });
    const limits = { create: 1, poll: 1, transfer: 1, compose: 0 };
    const kick = () => claimTasks(t.db, { ...claimBase(), taskIds: [task.id], limits, userInFlight: 9 });
    expect(await claimDueSteps(t.db, { ...claimBase(), polls: 5, transfers: 5, composes: 0 })).toEqual([]);
    expect(await kick()).toEqual([]);
    await t.sql`update provider_channels set paused_until = now() where id = ${channelId}`;
    expect(await kick()).toHaveLength(1);
  });

  it('a pause holds back nothing that needs no answer of upstream', async () => {
    await fresh();
    const channelId = (await createChannel(t.db, { pausedUntil: new Date(Date.now() + 60_000) })).id;
    const modelId = (await createModel(t.db, { channelId })).id;
    const common = { channelId, modelId };
    const ids = [
      (await createTask(t.db, { ...common, status: 'dispatching' })).id,
      (await createTask(t.db, { ...common, status: 'uncertain', uncertainUntil: new Date(0) })).id,
      (await createTask(t.db, { ...common, status: 'archiving' })).id,
    ];
    await createTask(t.db, { ...common, status: 'uncertain' });
    expect((await nextTaskDueAt(t.db))?.getTime()).toBeLessThan(Date.now() + 1_000);
    const rows = await claimDueSteps(t.db, { ...claimBase(), polls: 9, transfers: 9, composes: 0 });
    expect(rows.map((row) => row.id).sort()).toEqual(ids.sort());
  });

  it('a task that can never be sent is claimed once its time to give up has come', async () => {
    await fresh();
    const channelId = (await createChannel(t.db, { enabled: false })).id;
    const modelId = (await createModel(t.db, { channelId })).id;
    const task = await createTask(t.db, { channelId, modelId, giveUpAt: new Date(Date.now() - 1_000) });
    const rows = await claimDueSteps(t.db, { ...claimBase(), polls: 5, transfers: 5, composes: 0 });
    expect(rows.map((row) => row.id)).toEqual([task.id]);
  });
});

describe('fencing', () => {
  async function claimOne(status: 'running' = 'running') {
    await fresh();
    const task = await createTask(t.db, { status });
    const executorId = newId();
    const [row] = await claimDueSteps(t.db, {
      ...claimBase(executorId),
      polls: 1,
      transfers: 1,
      composes: 0,
    });
    if (!row || row.id !== task.id) throw new Error('not claimed');
    const lease = { taskId: row.id, token: row.leaseToken, executorId, workerId: null, wakeSeq: row.wakeSeq };
    return { task: row, lease };
  }
  const read = async (id: string) => (await t.sql`select * from generation_tasks where id = ${id}`)[0];

  it.each([
    ['another executor', false],
    ['the same executor, which has claimed it again', true],
  ])(
    'a stale token writes nothing beside %s: no move, no release, no bulk save, no renewal (B52)',
    async (_who, same) => {
      const { task, lease } = await claimOne();
      await t.sql`update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now() where id = ${task.id}`;
      const executorId = same ? lease.executorId : newId();
      const [successor] = await claimDueSteps(t.db, {
        ...claimBase(executorId),
        polls: 1,
        transfers: 1,
        composes: 0,
      });
      expect(successor?.leaseToken).toBe(task.leaseToken + 1);
      const before = await read(task.id);
      expect(await writeEverything(lease)).toEqual({ moved: false, released: false, saved: 0, renewed: 0 });
      expect(await read(task.id)).toEqual(before);
    },
  );

  it('the right token in the hands of another executor writes nothing either', async () => {
    const { task, lease } = await claimOne();
    const before = await read(task.id);
    const stranger = { ...lease, executorId: newId() };
    expect(await writeEverything(stranger)).toEqual({ moved: false, released: false, saved: 0, renewed: 0 });
    expect(await read(task.id)).toEqual(before);
  });

  async function writeEverything(lease: Lease) {
    const moved = await t.db.transaction((tx) =>
      moveLeased(tx, {
        lease,
        from: 'running',
        to: 'failed',
        set: { failureCode: 'upstream_failed' },
        event: { type: 'failed', actor: 'executor' },
      }),
    );
    const saved = await savePolls(t.db, [{ lease, nextDelayMs: 0, progress: 5, upstreamStatus: 'x' }]);
    const released = await releaseLease(t.db, { lease, nextDelayMs: 0 });
    const renewed = await renewLeases(t.db, {
      executorId: lease.executorId,
      leaseSeconds: 90,
      leases: [{ id: lease.taskId, token: lease.token }],
    });
    return { moved: moved !== undefined, released, saved: saved.size, renewed: renewed.size };
  }

  it('a lease that has run out is not brought back by a renewal', async () => {
    const { task, lease } = await claimOne();
    const leases = [{ id: task.id, token: lease.token }];
    const renew = () => renewLeases(t.db, { executorId: lease.executorId, leaseSeconds: 90, leases });
    expect([...(await renew())]).toEqual([task.id]);
    await t.sql`update generation_tasks set lease_until = now() - interval '1 second' where id = ${task.id}`;
    expect([...(await renew())]).toEqual([]);
  });

  it('a hint that arrives while the row is leased is not lost', async () => {
    for (const how of ['release', 'savePolls'] as const) {
      const { task, lease } = await claimOne();
      expect(await wakeTask(t.db, task.id)).toBe(true);
      expect((await read(task.id))?.lease_until).not.toBeNull();
      if (how === 'release') await releaseLease(t.db, { lease, nextDelayMs: 600_000 });
      else
        await savePolls(t.db, [{ lease, nextDelayMs: 600_000, progress: null, upstreamStatus: 'running' }]);
      const [again] = await claimDueSteps(t.db, { ...claimBase(), polls: 1, transfers: 1, composes: 0 });
      expect(again?.id).toBe(task.id);
    }
  });

  it('without a hint the row is due when the step said', async () => {
    const { task, lease } = await claimOne();
    await savePolls(t.db, [{ lease, nextDelayMs: 600_000, progress: null, upstreamStatus: 'running' }]);
    expect(await claimDueSteps(t.db, { ...claimBase(), polls: 1, transfers: 1, composes: 0 })).toEqual([]);
    const due = await nextTaskDueAt(t.db);
    expect(due?.getTime()).toBeGreaterThan(Date.now() + 500_000);
    expect(task.status).toBe('running');
  });
});

describe('plans', () => {
  it('the claim of due steps walks its partial index, whatever is finished beside it', async () => {
    await fresh();
    const channelId = (await createChannel(t.db)).id;
    const modelId = (await createModel(t.db, { channelId })).id;
    const userId = (await createUser(t.db, { balanceCredits: 1_000_000 })).id;
    await t.sql`
      insert into generation_tasks (id, user_id, kind, status, channel_id, model_id, next_poll_at, give_up_at,
        finished_at, has_outputs, deadline_at)
      select gen_random_uuid(), ${userId}, 'image', case when n <= 300 then 'running' else 'succeeded' end,
        ${channelId}, ${modelId}, case when n <= 300 then now() end, now() + interval '1 day',
        case when n > 300 then now() end, n > 300, now() + interval '1 day'
      from generate_series(1, 30000) n`;
    await t.sql`analyze generation_tasks`;
    const plan = await t.sql`explain (format json)
      select id from generation_tasks
      where status in ('dispatching', 'running', 'uncertain', 'waiting') and next_poll_at <= now()
        and (lease_until is null or lease_until < now())
        and not exists (select 1 from provider_channels c
          where c.id = generation_tasks.channel_id and c.paused_until > now())
      order by next_poll_at, id limit 50 for no key update skip locked`;
    const text = JSON.stringify(plan);
    expect(text).toContain('generation_tasks_due_poll_idx');
    expect(text).not.toMatch(/"Seq Scan"[^}]*"generation_tasks"/);
  });
});

describe('a composition', () => {
  it('goes only into a place of its own class, and takes none of transfers, channels or its user', async () => {
    await fresh();
    const channelId = (await createChannel(t.db, { maxInFlight: 1 })).id;
    const modelId = (await createModel(t.db, { channelId })).id;
    const userId = (await createUser(t.db, { balanceCredits: 1_000 })).id;
    const common = { userId, channelId, modelId };
    const film = await createTask(t.db, { ...common, kind: 'drama', status: 'archiving' });
    const picture = await createTask(t.db, { ...common, status: 'archiving' });
    const claims = (composes: number) =>
      claimDueSteps(t.db, { ...claimBase(), polls: 9, transfers: 9, composes });
    expect((await claims(0)).map(({ id }) => id)).toEqual([picture.id]);
    const limits = { create: 9, poll: 9, transfer: 9, compose: 0 };
    const taskIds = [film.id];
    expect(await claimTasks(t.db, { ...claimBase(), taskIds, limits, userInFlight: 9 })).toEqual([]);
    const due = await nextTaskDueAt(t.db, { canCompose: false });
    expect(due?.getTime()).toBeGreaterThan(Date.now() + 1_000);
    expect((await nextTaskDueAt(t.db))?.getTime()).toBeLessThan(Date.now() + 1_000);
    expect((await claims(1)).map(({ id }) => id)).toEqual([film.id]);

    const queued = await createTask(t.db, common);
    const heads = { ...claimBase(), limit: 9, after: FIRST_USER };
    // The picture alone fills the user's cap.
    expect(await claimQueued(t.db, { ...heads, userInFlight: 1 })).toEqual([]);
    expect((await claimQueued(t.db, { ...heads, userInFlight: 2 })).map(({ id }) => id)).toEqual([queued.id]);
  });
});

it('a user’s own limit of tasks under way goes before the general one, for walks and kicks', async () => {
  await fresh();
  const channelId = (await createChannel(t.db, { maxInFlight: 1_000 })).id;
  const modelId = (await createModel(t.db, { channelId })).id;
  const limits: [number | null, number][] = [
    [0, 0],
    [1, 1],
    [5, 5],
    [null, 2],
  ];
  for (const how of ['walk', 'kick'] as const) {
    for (const [inFlightLimit, most] of limits) {
      await fresh();
      const userId = (await createUser(t.db, { balanceCredits: 10_000, inFlightLimit })).id;
      const ids: string[] = [];
      for (let n = 0; n < 6; n += 1) {
        ids.push((await createTask(t.db, { userId, channelId, modelId })).id);
      }
      let claimed = 0;
      for (let turn = 0; turn < 4; turn += 1) {
        const rows =
          how === 'walk'
            ? await claimQueued(t.db, { ...claimBase(), limit: 6, after: FIRST_USER, userInFlight: 2 })
            : await claimTasks(t.db, {
                ...claimBase(),
                taskIds: ids,
                limits: { create: 6, poll: 0, transfer: 0, compose: 0 },
                userInFlight: 2,
              });
        claimed += rows.length;
        await t.sql`update generation_tasks set status = 'running', deadline_at = now() + interval '1 day',
          lease_until = null, leased_by = null where id = any(${rows.map((row) => row.id)})`;
      }
      expect({ how, inFlightLimit, claimed }).toEqual({ how, inFlightLimit, claimed: most });
    }
  }
});
