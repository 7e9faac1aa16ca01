import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { createModel, createTask, createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { cancelTask } from './cancel-task.ts';
import { dueTaskIdsOfUser } from './claim-queries.ts';
import { storeArtefacts } from './store-artefacts.ts';

/** Interleavings and corners in which a promise of the task life is easily broken. */

let rig: Rig;
beforeAll(async () => {
  // Pauses so long that a step which is due at once is told from one that waits.
  rig = await createRig({
    config: { pollFirstMs: 60_000, pollCapMs: 60_000, retryBaseMs: 60_000, retryCapMs: 60_000 },
  });
});
afterAll(() => rig.close());
afterEach(async () => {
  setCrashHandler(undefined);
  await rig.t.sql`update provider_channels set paused_until = null, cool_down_until = null`;
});

const rowOf = async (taskId: string) => {
  const [row] = await rig.t.sql`
    select status, create_tries, lease_until is not null as leased, uncertain_until, error_count,
      extract(epoch from next_poll_at - now())::float as due_in from generation_tasks where id = ${taskId}`;
  return row;
};
const dueNow = (taskId: string) =>
  rig.t.sql`update generation_tasks set next_poll_at = now() where id = ${taskId} and finished_at is null`;

/** Runs `act` once, when a step reaches this point. */
function onceAt(point: CrashPointName, act: () => unknown): void {
  setCrashHandler(async (name) => {
    if (name !== point) return;
    setCrashHandler(undefined);
    await act();
  });
}

/** Knocks until the executor has no step under way. */
async function knockAndSettle(): Promise<void> {
  await rig.knock();
  while (Object.values(rig.executor.stats().inFlight).some((count) => count > 0)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a broken row', () => {
  it('a row without its details takes no slot for good', async () => {
    const task = await createTask(rig.db, { channelId: rig.channelId, modelId: rig.models.video.id });
    await rig.t.sql`delete from generation_task_details where task_id = ${task.id}`;
    await rig.knock();
    await rig.knock();
    expect(rig.executor.stats().inFlight).toEqual({ poll: 0, create: 0, transfer: 0, compose: 0 });
    await rig.t
      .sql`update generation_tasks set next_poll_at = now() + interval '1 day', lease_until = null, leased_by = null where id = ${task.id}`;
  });
});

describe('a step’s own evidence is no hint to itself', () => {
  it('a create that never reached upstream is tried again after its back-off', async () => {
    const [before] = await rig.t.sql`select base_url from provider_channels`;
    await rig.t.sql`update provider_channels set base_url = 'http://127.0.0.1:1/v1'`;
    const taskId = await rig.submit('video');
    await rig.t.sql`update provider_channels set base_url = ${before?.base_url}`;
    await knockAndSettle();
    const row = await rowOf(taskId);
    expect(row).toMatchObject({ status: 'queued', create_tries: 1, leased: false });
    expect(row?.due_in).toBeGreaterThan(20);
    await cancelTask(rig.deps, { userId: rig.user.id, taskId });
  });

  it('an accepted job is polled for the first time when the pace says', async () => {
    const taskId = await rig.submit('video', { prompt: 'a jetty [[stuck]]' });
    await knockAndSettle();
    const row = await rowOf(taskId);
    expect(row).toMatchObject({ status: 'running', leased: false });
    expect(row?.due_in).toBeGreaterThan(20);
  });

  it('a cancel during the create is a hint all the same', async () => {
    const taskId = await rig.submit('text', { prompt: 'a jetty [[delay:60000]]' });
    onceAt('dispatch.after-create', () => cancelTask(rig.deps, { userId: rig.user.id, taskId }));
    await knockAndSettle();
    expect((await rowOf(taskId))?.due_in ?? 0).toBeLessThan(1);
    await dueNow(taskId);
  });
});

describe('a cancel of what was not sent', () => {
  it('ends the task in the same step when it comes between claim and dispatch', async () => {
    const taskId = await rig.submit('video', { prompt: 'a dock' });
    let answer = '';
    onceAt('claim.after', async () => {
      answer = await cancelTask(rig.deps, { userId: rig.user.id, taskId });
    });
    await knockAndSettle();
    expect(answer).toBe('requested');
    expect(await rowOf(taskId)).toMatchObject({ status: 'cancelled' });
    expect(await rig.creates(taskId)).toEqual([]);
    expect(await rig.audit()).toEqual([]);
  });

  it('ends the task although its channel has just been paused by a 429', async () => {
    const taskId = await rig.submit('text', { prompt: 'a dock [[rate_limit:3000,1]]' });
    onceAt('dispatch.after-create', () => cancelTask(rig.deps, { userId: rig.user.id, taskId }));
    await knockAndSettle();
    expect(await rowOf(taskId)).toMatchObject({ status: 'cancelled' });
    expect(await rig.view(taskId)).toMatchObject({ money: { state: 'refunded' } });
    expect(await rig.audit()).toEqual([]);
  });

  it('is free also for a model that is charged when cancelled', async () => {
    await rig.t.sql`update models set charged_when_cancelled = true where id = ${rig.models.text.id}`;
    try {
      const before = await rig.balance();
      const taskId = await rig.submit('text', { prompt: 'a quay' });
      onceAt('claim.after', () => cancelTask(rig.deps, { userId: rig.user.id, taskId }));
      await knockAndSettle();
      await rig.t
        .sql`update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now() where id = ${taskId} and finished_at is null`;
      await knockAndSettle();
      expect(await rig.view(taskId)).toMatchObject({ status: 'cancelled', money: { state: 'refunded' } });
      expect(await rig.balance()).toEqual(before);
      expect(await rig.creates(taskId)).toEqual([]);
    } finally {
      await rig.t.sql`update models set charged_when_cancelled = false where id = ${rig.models.text.id}`;
    }
  });
});

describe('endings', () => {
  it('a delivery that counts as 0 seconds is stored, costs nothing and leaves the books right', async () => {
    const price = { unit: 'second' as const, credits: 5 };
    const model = await createModel(rig.db, { kind: 'text', channelId: rig.channelId, price });
    const task = await createTask(rig.db, {
      modelId: model.id,
      channelId: rig.channelId,
      userId: rig.user.id,
      status: 'archiving',
      holdCredits: 10,
      snapshot: { price, orderedUnits: 2 },
      details: { reportedUnits: 0 },
    });
    await knockAndSettle();
    expect(await rig.view(task.id)).toMatchObject({
      status: 'succeeded',
      money: { state: 'partly_charged', chargedCredits: 0, returnedCredits: 10 },
    });
    expect(await rig.audit()).toEqual([]);
  });

  it('a download that our own drain stops is no answer of upstream', async () => {
    const taskId = await rig.submit('image');
    const stop = new AbortController();
    const download = async () => {
      stop.abort(new Error('draining'));
      return { type: 'transient', errorClass: 'aborted', message: 'stopped' } as const;
    };
    const stored = storeArtefacts(
      { ...rig.deps, providers: { ...rig.deps.providers, download } },
      {
        taskId,
        kind: 'image',
        artefacts: [{ type: 'url', url: 'http://127.0.0.1:9/file' }],
        access: { protocol: 'openai', baseUrl: 'http://127.0.0.1:9', apiKey: '' },
        keySuffix: '1',
        late: false,
        signal: stop.signal,
      },
    );
    await expect(stored).rejects.toThrow('draining');
    await cancelTask(rig.deps, { userId: rig.user.id, taskId });
  });

  it('a job that comes and goes does not outlive its deadline: the policy’s end is not moved', async () => {
    const taskId = await rig.submit('video', { prompt: 'a mirage [[stuck]]' });
    await knockAndSettle();
    await rig.t.sql`update generation_tasks set status = 'uncertain', uncertain_reason = 'missing',
      uncertain_until = now() + interval '1 hour', deadline_at = now() - interval '1 hour', next_poll_at = now()
      where id = ${taskId}`;
    await knockAndSettle();
    expect(await rowOf(taskId)).toMatchObject({ status: 'uncertain', leased: false });
    await rig.t
      .sql`update generation_tasks set uncertain_until = now(), next_poll_at = now() where id = ${taskId}`;
    await knockAndSettle();
    expect(await rowOf(taskId)).toMatchObject({ status: 'failed' });
  });
});

describe('nobody starves', () => {
  it('a due task is reached behind many users whose tasks wait', async () => {
    const common = { channelId: rig.channelId, modelId: rig.models.image.id, kind: 'image' as const };
    const later = new Date(Date.now() + 600_000);
    const waiting: string[] = [];
    for (let index = 0; index < 40; index += 1) {
      const userId = (await createUser(rig.db)).id;
      waiting.push((await createTask(rig.db, { ...common, userId, nextPollAt: later })).id);
    }
    const userId = (await createUser(rig.db)).id;
    const due = await createTask(rig.db, { ...common, userId });
    for (let knocks = 0; knocks < 6; knocks += 1) {
      await rig.executor.run({ limit: 3, budgetMs: 50, workerId: null });
    }
    const [row] = await rig.t.sql`select create_tries from generation_tasks where id = ${due.id}`;
    expect(row?.create_tries).toBe(1);
    await rig.t
      .sql`update generation_tasks set give_up_at = now() - interval '1 day' where id = any(${waiting})`;
    await knockAndSettle();
  });

  it('the page pushes a running task although more queued ones than the push takes cannot start', async () => {
    const userId = (await createUser(rig.db, { balanceCredits: 10_000 })).id;
    const common = { channelId: rig.channelId, modelId: rig.models.video.id, userId };
    for (let index = 0; index < 5; index += 1)
      await createTask(rig.db, { ...common, nextPollAt: new Date(0) });
    const running = await createTask(rig.db, { ...common, status: 'running' });
    expect(await dueTaskIdsOfUser(rig.db, userId, 3)).toContain(running.id);
    await rig.t
      .sql`update generation_tasks set next_poll_at = now() + interval '1 hour' where user_id = ${userId}`;
  });
});

describe('draining', () => {
  it('starts nothing of a claim that was under way, and gives its rows back at once', async () => {
    const process = rig.anotherProcess();
    const taskId = await rig.submit('image', { prompt: 'a shackle' });
    let reached: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const released = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    onceAt('claim.after', () => {
      reached();
      return released;
    });
    const knock = rig.knock(process.executor);
    await arrived;
    let ended = false;
    const drained = process.executor.drain().then(() => {
      ended = true;
    });
    // A drain that did not wait would be at its end after a few statements of its own.
    for (let statements = 0; statements < 20; statements += 1) await rowOf(taskId);
    expect(ended).toBe(false);
    goOn();
    await drained;
    expect(await rowOf(taskId)).toMatchObject({ status: 'queued', create_tries: 0, leased: false });
    await knock;
    expect((await rowOf(taskId))?.due_in).toBeLessThan(1);
    await dueNow(taskId);
    await knockAndSettle();
    expect(await rig.creates(taskId)).toEqual([expect.objectContaining({ received: 1 })]);
  });

  it('sends nothing that had not been sent yet', async () => {
    const process = rig.anotherProcess();
    const taskId = await rig.submit('image', { prompt: 'a cleat' });
    const drained = new Promise<void>((resolve, reject) => {
      onceAt('dispatch.after-intent', () => {
        process.executor.drain().then(resolve, reject);
      });
    });
    await rig.knock(process.executor);
    await drained;
    expect(await rowOf(taskId)).toMatchObject({ status: 'dispatching', leased: false });
    expect(await rig.creates(taskId)).toEqual([expect.objectContaining({ received: 0 })]);
    await knockAndSettle();
    expect(await rowOf(taskId)).toMatchObject({ status: 'queued', leased: false });
    await cancelTask(rig.deps, { userId: rig.user.id, taskId });
  });
});
