import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { cancelTask } from './cancel-task.ts';
import type { WatchMessage } from './schemas.ts';
import { watchTasks } from './watch-tasks.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());
afterEach(() => setCrashHandler(undefined));

/** The dispatch of a task, once its create has reached upstream. */
async function createArrived(taskId: string): Promise<string> {
  for (;;) {
    const [row] = await rig.t.sql<
      { id: string }[]
    >`select id from dispatches where task_id = ${taskId} and phase = 'sent'`;
    if (row) {
      await rig.sandbox.control.waitForRequests({ clientRef: row.id, call: 'create' });
      return row.id;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const expireLease = (taskId: string) =>
  rig.t
    .sql`update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now() where id = ${taskId}`;

describe('a lease lost during a create', () => {
  it('the answer is evidence all the same, and the task goes on from it with one create', async () => {
    const taskId = await rig.submit('video', { prompt: 'an anchor [[hang]]' });
    const lost = rig.anotherProcess();
    const first = rig.knock(lost.executor);
    const dispatchId = await createArrived(taskId);
    await first;
    await expireLease(taskId);
    await rig.runUntil(taskId, (view) => view.status === 'uncertain');

    await rig.sandbox.control.release({ clientRef: dispatchId });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(await rig.creates(taskId)).toEqual([expect.objectContaining({ received: 1, recorded: 1 })]);
    const [row] = await rig.t.sql`select evidence_from, upstream_id from dispatches where id = ${dispatchId}`;
    expect(row).toMatchObject({ evidence_from: 'call', upstream_id: expect.stringMatching(/./) });
  });

  it('a holder that wakes up after its successor sends nothing (the gate is fenced)', async () => {
    const taskId = await rig.submit('image', { prompt: 'a windlass' });
    let reached: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const released = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const zombie = rig.anotherProcess();
    setCrashHandler(async (name: CrashPointName) => {
      if (name !== 'dispatch.before-sent') return;
      setCrashHandler(undefined);
      reached();
      await released;
    });
    const stuck = rig.knock(zombie.executor);
    await arrived;
    await expireLease(taskId);
    const task = await rig.runToEnd(taskId);
    goOn();
    await stuck;
    await zombie.executor.drain();
    expect(task.status).toBe('succeeded');
    const creates = await rig.creates(taskId);
    expect(creates.map((create) => create.received)).toEqual([0, 1]);
  });
});

describe('draining', () => {
  it('releases polls and waits for a create; nothing is created twice', async () => {
    const process = rig.anotherProcess();
    const polled = await rig.submit('video', { prompt: 'a capstan [[hang:poll]]' });
    await rig.runUntil(polled, (view) => view.status === 'running', process.executor);
    const created = await rig.submit('image', { prompt: 'a winch [[delay:60000]]' });
    void rig.knock(process.executor);
    const dispatchId = await createArrived(created);
    await rig.sandbox.control.waitForRequests({ call: 'poll', jobId: await jobOf(polled) });

    let drained = false;
    const draining = process.executor.drain().then(() => {
      drained = true;
    });
    for (;;) {
      const [row] = await rig.t.sql`select lease_until from generation_tasks where id = ${polled}`;
      if (row?.lease_until === null) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(drained).toBe(false);
    await rig.sandbox.control.release({ clientRef: dispatchId });
    await draining;
    await rig.sandbox.control.release();
    expect(await rig.runToEnd(created)).toMatchObject({ status: 'succeeded' });
    expect(await rig.runToEnd(polled)).toMatchObject({ status: 'succeeded' });
    for (const id of [created, polled]) {
      expect(await rig.creates(id)).toEqual([expect.objectContaining({ received: 1 })]);
    }
  });

  it('a create that outlasts the drain is said to be uncertain', async () => {
    const process = rig.anotherProcess({ drainSeconds: 0.2 });
    const taskId = await rig.submit('image', { prompt: 'a fender [[hang]]' });
    void rig.knock(process.executor);
    const dispatchId = await createArrived(taskId);
    await process.executor.drain();
    expect(await rig.view(taskId)).toMatchObject({ status: 'uncertain', uncertain: { reason: 'no_answer' } });
    await rig.sandbox.control.release({ clientRef: dispatchId });
    await cancelTask(rig.deps, { userId: rig.user.id, taskId });
  });

  async function jobOf(taskId: string): Promise<string> {
    const [row] = await rig.t.sql<
      { upstream_id: string }[]
    >`select upstream_id from dispatches where task_id = ${taskId}`;
    return row?.upstream_id ?? '';
  }
});

describe('watch', () => {
  it('sends a snapshot, then grown versions, and takes the task to its end without a daemon', async () => {
    const taskId = await rig.submit('video', { prompt: 'a dinghy' });
    const stop = new AbortController();
    const messages: WatchMessage[] = [];
    for await (const message of watchTasks(rig.deps, rig.executor, {
      userId: rig.user.id,
      taskIds: [taskId],
      signal: stop.signal,
    })) {
      messages.push(message);
      if (message.tasks.some((task) => task.finishedAt)) break;
    }
    expect(messages[0]?.type).toBe('snapshot');
    const versions = messages.flatMap((message) => message.tasks.map((task) => task.version));
    expect([...versions].sort((a, b) => a - b)).toEqual(versions);
    expect(new Set(versions).size).toBe(versions.length);
    expect(messages.at(-1)?.tasks[0]).toMatchObject({ status: 'succeeded' });
  });

  it('tells a watching page when the refund has reached the ledger, later than the failure', async () => {
    const taskId = await rig.submit('video', { prompt: 'a wreck [[fail]]' });
    let broken = 0;
    setCrashHandler((name) => {
      if (name === 'refund.before-commit' && broken === 0) {
        broken += 1;
        throw new Error('the refund is put off');
      }
    });
    const states: string[] = [];
    for await (const { tasks } of watchTasks(rig.deps, rig.executor, {
      userId: rig.user.id,
      taskIds: [taskId],
      signal: undefined,
    })) {
      const state = tasks[0]?.money.state;
      if (state) states.push(state);
      if (state === 'refund_pending') {
        await rig.t.sql`update credit_refunds set next_attempt_at = now() where task_id = ${taskId}`;
        await runRefundBatch(rig.deps, { limit: 10, workerId: null });
      }
      if (state === 'refunded') break;
    }
    expect(states.slice(-2)).toEqual(['refund_pending', 'refunded']);
  });

  it('with nobody watching and no daemon the task stays after its first step', async () => {
    const taskId = await rig.submit('video', { prompt: 'a skiff' });
    rig.executor.kick([taskId]);
    for (;;) {
      if (
        (
          await rig.t
            .sql`select 1 from generation_tasks where id = ${taskId} and status = 'running' and lease_until is null`
        ).length
      )
        break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const [before] = await rig.t.sql`select version, status from generation_tasks where id = ${taskId}`;
    const [job] = await rig.sandbox.control.jobs({
      clientRef: (await rig.creates(taskId))[0]?.dispatchId ?? '',
    });
    expect(job).toBeDefined();
    await rig.t.sql`update generation_tasks set next_poll_at = now() where id = ${taskId}`;
    expect((await rig.t.sql`select version, status from generation_tasks where id = ${taskId}`)[0]).toEqual(
      before,
    );
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'succeeded' });
  });

  it('a foreign task is not there', async () => {
    const taskId = await rig.submit('audio');
    const foreign = watchTasks(rig.deps, rig.executor, {
      userId: '00000000-0000-7000-8000-000000000000',
      taskIds: [taskId],
      signal: undefined,
    });
    await expect(foreign.next()).rejects.toMatchObject({ code: 'not_found' });
    await rig.runToEnd(taskId);
  });
});

describe('two web processes', () => {
  it('share the work of many tasks; each is created once and the books are right', async () => {
    const other = rig.anotherProcess();
    const ids: string[] = [];
    for (let index = 0; index < 24; index += 1) {
      ids.push(await rig.submit(index % 2 ? 'image' : 'text', { prompt: `a wave, number ${index}` }));
    }
    const end = async (executor: typeof rig.executor) => {
      for (;;) {
        const [left] = await rig.t.sql<{ n: number }[]>`
          select count(*)::int as n from generation_tasks where id = any(${ids}) and finished_at is null`;
        if (left?.n === 0) return;
        await rig.knock(executor);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await Promise.all([end(rig.executor), end(other.executor), end(rig.executor), end(other.executor)]);
    for (const id of ids) {
      expect(await rig.creates(id)).toEqual([expect.objectContaining({ received: 1, recorded: 1 })]);
      expect(await rig.view(id)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    }
    expect(await rig.audit()).toEqual([]);
  });
});

describe('a poisoned row', () => {
  it('is put off by a growing delay and stops nothing else (B54)', async () => {
    const poisoned = await rig.submit('video', { prompt: 'a reef [[delay:60000]]' });
    await rig.runUntil(poisoned, (view) => view.status === 'running');
    await rig.t
      .sql`update generation_task_details set snapshot = snapshot || '{"protocol": 7}' where task_id = ${poisoned}`;
    await rig.t.sql`update dispatches set poll_ref = null where task_id = ${poisoned}`;
    const healthy = await rig.submit('audio', { prompt: 'a foghorn' });
    for (let knocks = 0; knocks < 8; knocks += 1) {
      await rig.t
        .sql`update generation_tasks set next_poll_at = now() where id = ${poisoned} and lease_until is null`;
      await rig.knock();
    }
    expect(await rig.runToEnd(healthy)).toMatchObject({ status: 'succeeded' });
    const [row] = await rig.t
      .sql`select status, error_count, last_error_class from generation_tasks where id = ${poisoned}`;
    expect(row).toMatchObject({ status: 'running', last_error_class: 'internal' });
    expect(row?.error_count).toBeGreaterThanOrEqual(5);
    expect(rig.logs).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'A task keeps failing on our side' }),
    );

    // It ends all the same: overdue, then by the policy.
    await rig.t
      .sql`update generation_tasks set deadline_at = now() - interval '2 days' where id = ${poisoned}`;
    await rig.runUntil(poisoned, (view) => view.status === 'uncertain');
    await rig.t
      .sql`update generation_tasks set uncertain_until = now(), next_poll_at = now() where id = ${poisoned}`;
    expect(await rig.runToEnd(poisoned)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
  });
});
