import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '#server/lib/app-error.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createUser } from '#server/testing/factories.ts';
import { cancelTask } from '../cancel-task.ts';
import { wakeTask } from '../lease-queries.ts';
import { readTaskViews } from '../read-tasks.ts';
import { pauseComposite, resumeComposite, stopComposite } from './control-composite.ts';
import { insertStep } from './queries.ts';
import { readCompositeView } from './read-composite.ts';
import { type CompositeRig, createCompositeRig } from './testing/composite-rig.ts';

/** A person's word on a composite, the ends of its time, and the places that it may take. */

let rig: CompositeRig;

beforeAll(async () => {
  rig = await createCompositeRig({ config: { composites: oneOfEach() } });
});
afterAll(() => rig.close());
afterEach(() => setCrashHandler(undefined));

function oneOfEach() {
  return {
    agentsPerUser: 1,
    dramasPerUser: 1,
    childrenAtOnce: { image: 4, video: 3, audio: 4, text: 1 },
  };
}

const IMAGE = { key: 'a', kind: 'image' as const };
/** Goes on upstream until somebody ends it; this upstream cannot cancel. */
const ENDLESS = { key: 'endless', kind: 'video' as const, prompt: 'a lamp [[stuck]]' };

/** A composite of a user of its own, so that no other takes its place. */
async function ofNewUser(settings: Parameters<CompositeRig['submitComposite']>[0]) {
  const { id: userId } = await createUser(rig.db, { balanceCredits: 500 });
  const taskId = await rig.submitComposite({ ...settings, userId });
  const read = () => readCompositeView(rig.deps, { userId, taskId });
  const until = async (done: (reading: Awaited<ReturnType<typeof read>>) => boolean) => {
    for (let knocks = 0; knocks < 400; knocks += 1) {
      const reading = await read();
      if (done(reading)) return reading;
      await rig.knock();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`It is still ${JSON.stringify((await read()).task)}`);
  };
  return { userId, taskId, control: { userId, taskId }, read, until };
}

const isRunning = ({ children }: { children: ReadonlyMap<string, { task: { status: string } }> }) =>
  [...children.values()].some(({ task }) => task.status === 'running');

async function endChildren(taskId: string): Promise<void> {
  await rig.t.sql`update generation_tasks set status = 'uncertain', uncertain_reason = 'overdue',
      uncertain_until = now(), next_poll_at = now(), lease_until = null, leased_by = null
    where parent_id = ${taskId} and status = 'running'`;
}

describe('a word in the last moment', () => {
  /** Its time is over, and nobody has looked at it yet. */
  const letTimePass = (taskId: string) =>
    rig.t.sql`update generation_tasks set waiting_until = now(), next_poll_at = now() + interval '1 hour'
      where id = ${taskId}`;

  it('to go on is heard', async () => {
    const { control, taskId, until } = await ofNewUser({ parts: [IMAGE] });
    await pauseComposite(rig.deps, control);
    await until(({ view }) => view.waitingFor === 'resume');
    await letTimePass(taskId);
    await resumeComposite(rig.deps, control);
    expect((await until(({ task }) => task.finishedAt !== null)).task.status).toBe('succeeded');
    expect(await rig.types(taskId)).not.toContain('time_up');
  });

  it('to stop leaves time to end with what is there', async () => {
    const { control, taskId, until } = await ofNewUser({ parts: [IMAGE, ENDLESS] });
    await until(({ children }) => [...children.values()].some(({ task }) => task.status === 'succeeded'));
    await until(isRunning);
    await pauseComposite(rig.deps, control);
    await until(({ view }) => view.waitingFor === 'resume');
    await endChildren(taskId);
    await until(({ children }) => [...children.values()].every(({ task }) => task.finishedAt !== null));
    await until(({ task }) => task.leaseUntil === null && (task.nextPollAt?.getTime() ?? 0) > Date.now());
    await letTimePass(taskId);
    await stopComposite(rig.deps, control);
    expect((await until(({ task }) => task.finishedAt !== null)).task.status).toBe('succeeded');
    expect(await rig.audit()).toEqual([]);
  });
});

describe('pause', () => {
  it('starts nothing more, lets what runs end, and goes on when resumed', async () => {
    const { control, taskId, until, read } = await ofNewUser({ parts: [IMAGE], asks: true });
    await until(({ view }) => view.waitingFor === 'user');
    await pauseComposite(rig.deps, control);
    await pauseComposite(rig.deps, control);
    await rig.t.db.transaction((tx) =>
      insertStep(tx, { taskId, key: 'answer', kind: 'answer', status: 'done', input: {} }),
    );
    const paused = await until(({ view }) => view.waitingFor === 'resume');
    expect(paused.view.can).toEqual({ pause: false, resume: true, stop: true, cancel: true });
    await wakeTask(rig.db, taskId);
    for (let knocks = 0; knocks < 5; knocks += 1) await rig.knock();
    expect(await rig.children(taskId)).toEqual([]);
    await resumeComposite(rig.deps, control);
    expect((await until(({ task }) => task.finishedAt !== null)).task.status).toBe('succeeded');
    expect((await read()).view.can).toEqual({ pause: false, resume: false, stop: false, cancel: false });
    expect(await rig.types(taskId)).toEqual(
      expect.arrayContaining(['submitted', 'paused', 'resumed', 'succeeded']),
    );
  });

  it('in the middle of a step starts no child that the step was about to start', async () => {
    const { control, taskId, until } = await ofNewUser({ parts: [IMAGE] });
    let asked = 0;
    setCrashHandler(async (name) => {
      if (name !== 'composite.before-step' || asked > 0) return;
      // The first step records; the second starts.
      if ((await rig.steps(taskId)).length === 0) return;
      asked += 1;
      await pauseComposite(rig.deps, control);
    });
    await until(({ view }) => view.waitingFor === 'resume');
    expect(asked).toBe(1);
    expect(await rig.children(taskId)).toEqual([]);
    await cancelTask(rig.deps, control);
    expect((await until(({ task }) => task.finishedAt !== null)).task.status).toBe('cancelled');
  });

  it('that nobody ends is a stop after a week, also when a child’s end came in between', async () => {
    const { control, taskId, until } = await ofNewUser({ parts: [IMAGE] });
    await pauseComposite(rig.deps, control);
    await until(({ view }) => view.waitingFor === 'resume');
    await rig.t
      .sql`update generation_tasks set waiting_until = now() + interval '1 hour', next_poll_at = now()
      where id = ${taskId}`;
    await until(
      ({ task }) => task.leaseUntil === null && (task.nextPollAt?.getTime() ?? 0) > Date.now() + 60_000,
    );
    const [row] = await rig.t.sql`select next_poll_at <= waiting_until + interval '5 seconds' as is_in_time
      from generation_tasks where id = ${taskId}`;
    expect(row?.is_in_time).toBe(true);
    await rig.t
      .sql`update generation_tasks set waiting_until = now(), next_poll_at = now() where id = ${taskId}`;
    const end = await until(({ task }) => task.finishedAt !== null);
    expect(end.task.status).toBe('failed');
    expect(await rig.types(taskId)).toContain('time_up');
  });
});

it('a question that nobody answers for a week ends it with what is there', async () => {
  const { taskId, until } = await ofNewUser({ parts: [IMAGE], asks: true });
  const { view } = await until((reading) => reading.view.waitingFor === 'user');
  expect((view.waitingUntil?.getTime() ?? 0) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
  await wakeTask(rig.db, taskId);
  await rig.knock();
  const again = await until((reading) => reading.task.leaseUntil === null);
  expect(again.view.waitingUntil).toEqual(view.waitingUntil);
  await rig.t
    .sql`update generation_tasks set waiting_until = now(), next_poll_at = now() where id = ${taskId}`;
  await until(({ task }) => task.finishedAt !== null);
  expect(await rig.children(taskId)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
});

it('stop ends it with what is there, and asks what is under way to end', async () => {
  const { control, taskId, until } = await ofNewUser({ parts: [IMAGE, ENDLESS] });
  await until(({ children }) => [...children.values()].some(({ task }) => task.status === 'succeeded'));
  await until(isRunning);
  await stopComposite(rig.deps, control);
  await stopComposite(rig.deps, control);
  await rig.knock();
  await expect(resumeComposite(rig.deps, control)).rejects.toThrow(AppError);
  await endChildren(taskId);
  const end = await until(({ task }) => task.finishedAt !== null);
  expect(end.task.status).toBe('succeeded');
  expect(end.view.budget).toMatchObject({ spentCredits: 3, openCredits: 0 });
  expect((await rig.types(taskId)).filter((type) => type === 'stop_requested')).toHaveLength(1);
});

describe('cancel', () => {
  it('before its first step is free', async () => {
    const { control, userId, until } = await ofNewUser({ parts: [IMAGE] });
    expect(await cancelTask(rig.deps, control)).toBe('requested');
    expect((await until(({ task }) => task.finishedAt !== null)).task.status).toBe('cancelled');
    await expect.poll(() => rig.balance(userId)).toEqual({ balanceCredits: 500, heldCredits: 0 });
  });

  it('ends unsent children at once, waits for those that upstream cannot cancel, and charges what was delivered', async () => {
    const { control, taskId, userId, until, read } = await ofNewUser({ parts: [IMAGE, ENDLESS] });
    await until(({ children }) => [...children.values()].some(({ task }) => task.status === 'succeeded'));
    await until(isRunning);
    expect(await cancelTask(rig.deps, control)).toBe('requested');
    for (let knocks = 0; knocks < 3; knocks += 1) await rig.knock();
    expect((await read()).task.status).toBe('waiting');
    await endChildren(taskId);
    expect((await until(({ task }) => task.finishedAt !== null)).task.status).toBe('cancelled');
    expect(await rig.holdOf(taskId)).toMatchObject({ status: 'captured', captured: 3, returned: 97 });
    expect(await rig.balance(userId)).toEqual({ balanceCredits: 497, heldCredits: 0 });
    expect(await rig.audit()).toEqual([]);
  });

  it('waits for an uncertain child by its own policy, and says so with its date', async () => {
    const { control, taskId, userId, until } = await ofNewUser({ parts: [ENDLESS] });
    await until(isRunning);
    await rig.t.sql`update generation_tasks set status = 'uncertain', uncertain_reason = 'overdue',
        uncertain_until = '2031-02-03 04:05Z', next_poll_at = now() + interval '1 day', lease_until = null, leased_by = null
      where parent_id = ${taskId}`;
    await cancelTask(rig.deps, control);
    for (let knocks = 0; knocks < 3; knocks += 1) await rig.knock();
    const [view] = await readTaskViews(rig.deps, { userId, taskIds: [taskId] });
    expect(view?.waiting).toContain('It is being cancelled');
    expect(view?.waiting).toContain('2031-02-03 04:05 UTC');
    await rig.t
      .sql`update generation_tasks set uncertain_until = now(), next_poll_at = now() where parent_id = ${taskId}`;
    expect((await until(({ task }) => task.finishedAt !== null)).task.status).toBe('cancelled');
    expect(await rig.audit()).toEqual([]);
  });

  it('of one child leaves the others and the composite to go on', async () => {
    const { userId, taskId, until } = await ofNewUser({ parts: [IMAGE, { key: 'b', kind: 'image' }] });
    setCrashHandler(async (name) => {
      if (name !== 'child.after-commit') return;
      setCrashHandler(undefined);
      const [first] = await rig.children(taskId);
      await cancelTask(rig.deps, { userId, taskId: first?.id ?? '' });
    });
    const end = await until(({ task }) => task.finishedAt !== null);
    expect(end.task.status).toBe('succeeded');
    expect((await rig.steps(taskId)).map(({ status }) => status)).toEqual(['failed', 'done']);
    expect(end.view.budget.spentCredits).toBe(3);
    expect(await rig.audit()).toEqual([]);
  });

  it('while it is put together stops that at once; the parts are kept and charged', async () => {
    const { control, taskId, until } = await ofNewUser({ kind: 'drama', parts: [IMAGE], composes: true });
    let began = 0;
    rig.composition.compose = ({ signal }) => {
      began += 1;
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    };
    await until(() => began > 0);
    expect(rig.executor.stats().inFlight.compose).toBe(1);
    expect(await cancelTask(rig.deps, control)).toBe('requested');
    const end = await until(({ task }) => task.finishedAt !== null);
    expect(end.task.status).toBe('cancelled');
    expect(await rig.holdOf(taskId)).toMatchObject({ status: 'captured', captured: 3 });
    expect(rig.executor.stats().inFlight.compose).toBe(0);
    expect(await rig.audit()).toEqual([]);
  });
});

describe('what cannot go on ends all the same', () => {
  it('steps that only throw: when its time has passed, it fails and is refunded', async () => {
    const { userId, taskId, until } = await ofNewUser({ parts: [IMAGE], poisoned: true });
    await until(({ task }) => task.errorCount >= 5);
    await rig.t
      .sql`update generation_tasks set waiting_until = now(), next_poll_at = now() where id = ${taskId}`;
    const end = await until(({ task }) => task.finishedAt !== null);
    expect(end.task).toMatchObject({ status: 'failed', failureCode: 'step_failed' });
    await expect.poll(() => rig.balance(userId)).toEqual({ balanceCredits: 500, heldCredits: 0 });
    expect(await rig.audit()).toEqual([]);
  });

  it('a row that cannot even be read', async () => {
    const { userId, taskId } = await ofNewUser({ parts: [IMAGE] });
    await rig.t.sql`delete from composite_tasks where task_id = ${taskId}`;
    await rig.t
      .sql`update generation_tasks set waiting_until = now(), next_poll_at = now() where id = ${taskId}`;
    for (let knocks = 0; knocks < 200; knocks += 1) {
      const [row] = await rig.t.sql`select failure_code from generation_tasks where id = ${taskId}`;
      if (row?.failure_code) break;
      await rig.knock();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const [row] = await rig.t.sql`select status, failure_code from generation_tasks where id = ${taskId}`;
    expect({ ...row }).toEqual({ status: 'failed', failure_code: 'step_failed' });
    await expect.poll(() => rig.balance(userId)).toEqual({ balanceCredits: 500, heldCredits: 0 });
  });

  it('a composition that only throws: its parts are charged, and nothing is refunded twice', async () => {
    const { taskId, until } = await ofNewUser({ kind: 'drama', parts: [IMAGE], composes: true });
    rig.composition.compose = () => Promise.reject(new Error('poison'));
    await until(({ task }) => task.status === 'archiving' && task.errorCount >= 5);
    await rig.t
      .sql`update generation_tasks set archive_until = now(), next_poll_at = now() where id = ${taskId}`;
    const end = await until(({ task }) => task.finishedAt !== null);
    expect(end.task).toMatchObject({ status: 'failed', failureCode: 'composition_failed' });
    expect(await rig.holdOf(taskId)).toMatchObject({ status: 'captured', captured: 3, returned: 97 });
    const [row] = await rig.t.sql`select poll_count from generation_tasks where id = ${taskId}`;
    expect(row?.poll_count).toBe(0);
    expect(await rig.audit()).toEqual([]);
  });

  it('a composition that ends its process each time: six times, then the parts are all there is', async () => {
    const { taskId, until } = await ofNewUser({ kind: 'drama', parts: [IMAGE], composes: true });
    rig.composition.compose = () => Promise.reject(new Error('not yet'));
    await until(({ task }) => task.status === 'archiving' && task.errorCount > 0);
    // The process that lives takes no further try.
    const putOff = () => rig.t.sql`
      update generation_tasks set next_poll_at = now() + interval '1 hour' where id = ${taskId} and lease_until is null`;
    await expect.poll(async () => (await putOff()).count).toBe(1);
    let begun = 0;
    let end: () => void = () => {};
    rig.composition.compose = () => {
      begun += 1;
      end();
      return Promise.reject(new Error('The process has ended'));
    };
    await rig.t.sql`update generation_tasks set next_poll_at = now() where id = ${taskId}`;
    for (let lives = 0; lives < 12; lives += 1) {
      const mortal = rig.mortalProcess();
      end = mortal.end;
      await rig.knock(mortal.executor).catch(() => undefined);
      await rig.t
        .sql`update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now()
        where id = ${taskId} and finished_at is null and lease_until is not null`;
    }
    const [row] = await rig.t.sql`select status, failure_code from generation_tasks where id = ${taskId}`;
    expect({ ...row, begun }).toEqual({ status: 'failed', failure_code: 'composition_failed', begun: 6 });
    expect(await rig.holdOf(taskId)).toMatchObject({ status: 'captured', captured: 3, returned: 97 });
  });
});

it('a composite looks at its children though the channel of its model is paused or switched off', async () => {
  const { taskId, until } = await ofNewUser({ parts: [IMAGE], asks: true });
  await rig.t.sql`update provider_channels set paused_until = now() + interval '1 hour', enabled = false
    where id = ${rig.channelId}`;
  try {
    await until(({ view }) => view.waitingFor === 'user');
    expect(await rig.types(taskId)).toContain('waiting');
  } finally {
    await rig.t
      .sql`update provider_channels set paused_until = null, enabled = true where id = ${rig.channelId}`;
  }
});

it('further composites of a user wait their turn, and are told so, while one that waits for him takes no place', async () => {
  const first = await ofNewUser({ parts: [ENDLESS] });
  await first.until(isRunning);
  const { userId } = first;
  const second = await rig.submitComposite({ parts: [IMAGE], userId });
  const readSecond = () => readCompositeView(rig.deps, { userId, taskId: second });
  for (let knocks = 0; knocks < 5; knocks += 1) await rig.knock();
  expect((await readSecond()).children.size).toBe(0);
  const [told] = await readTaskViews(rig.deps, { userId, taskIds: [second] });
  expect(told?.waiting).toContain('You have 1 agent under way');
  await pauseComposite(rig.deps, { userId, taskId: first.taskId });
  for (let knocks = 0; knocks < 200 && !(await readSecond()).task.finishedAt; knocks += 1) {
    await rig.knock();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect((await readSecond()).task.status).toBe('succeeded');
});

it('a foreign, a plain and an ended task are refused', async () => {
  const { userId, taskId, until } = await ofNewUser({ parts: [IMAGE] });
  const stranger = { userId: rig.user.id, taskId };
  await expect(pauseComposite(rig.deps, stranger)).rejects.toMatchObject({ code: 'not_found' });
  await expect(readCompositeView(rig.deps, stranger)).rejects.toMatchObject({ code: 'not_found' });
  const plain = { userId: rig.user.id, taskId: await rig.submit('image') };
  await expect(stopComposite(rig.deps, plain)).rejects.toMatchObject({ code: 'not_found' });
  await until(({ task }) => task.finishedAt !== null);
  await expect(pauseComposite(rig.deps, { userId, taskId })).rejects.toMatchObject({ code: 'conflict' });
});
