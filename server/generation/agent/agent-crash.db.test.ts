import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { type AgentRig, createAgentRig } from './testing/agent-rig.ts';

/**
 * A run is stopped at every boundary of its steps, or its holder loses the lease there: nothing is made or charged
 * twice, and it ends as if nothing had happened.
 */

let rig: AgentRig;
beforeAll(async () => {
  rig = await createAgentRig();
});
afterAll(() => rig.close());
afterEach(() => setCrashHandler(undefined));

const POINTS = [
  'composite.before-step',
  'composite.after-record',
  'composite.after-action',
  'composite.after-settle',
  'composite.after-commit',
  'child.after-task',
  'child.after-step',
  'draw.after-budget',
  'child.before-commit',
  'child.after-commit',
  'draw.after-return',
  'child.after-wake',
  'settle.before-commit',
  'capture.after-close',
  'archive.after-record',
] as const satisfies readonly CrashPointName[];

/** The whole of a usual run, whatever happened to it on its way. */
async function expectUsualEnd(taskId: string): Promise<void> {
  const task = await rig.runToEnd(taskId);
  setCrashHandler(undefined);
  expect(task.status).toBe('succeeded');
  const view = await rig.agent(taskId);
  expect(view.transcript.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'turn done',
    'make done',
    'make done',
    'turn done',
    'finish done',
  ]);
  expect((await rig.children(taskId)).map(({ kind }) => kind)).toEqual(['text', 'image', 'audio', 'text']);
  expect(await rig.createsOfChildren(taskId)).toEqual([1, 1, 1, 1]);
  expect(await rig.hold(taskId)).toMatchObject({ status: 'captured', captured: 7, returned: 53 });
  expect(task.outputs).toHaveLength(1);
  expect(await rig.summary(taskId)).toBe('Done: 2 outputs are ready.');
  expect(await rig.audit()).toEqual([]);
}

/** A linear congruential generator: the same crashes in every run. */
function randomOf(start: number): () => number {
  let seed = start;
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}

describe('exceptions, the first time and every other time that a step gets to', () => {
  it.each(POINTS)('%s', async (point) => {
    const random = randomOf(20_261_129);
    let thrown = 0;
    setCrashHandler((name) => {
      if (name !== point || (thrown > 0 && random() < 0.5)) return;
      thrown += 1;
      throw new Error(`crash at ${name}`);
    });
    await expectUsualEnd(await rig.start('Two postcards'));
    expect(thrown).toBeGreaterThan(0);
  });
});

it('exceptions at random, many per run', async () => {
  const random = randomOf(20_261_130);
  let crashes = 0;
  for (let run = 0; run < 2; run += 1) {
    const taskId = await rig.start('Two postcards');
    setCrashHandler((name) => {
      if (!(POINTS as readonly string[]).includes(name) || random() > 0.2) return;
      crashes += 1;
      throw new Error(`crash at ${name}`);
    });
    await expectUsualEnd(taskId);
  }
  expect(crashes).toBeGreaterThan(5);
});

describe('a holder that loses its lease, while another one goes on, writes nothing more', () => {
  it.each([
    ['composite.before-step', 1],
    ['composite.before-step', 4],
    ['composite.after-action', 4],
    ['child.after-commit', 1],
    ['child.after-commit', 2],
  ] as const)('%s, time %i', async (point, time) => {
    const other = rig.anotherProcess();
    const taskId = await rig.start('Two postcards');
    let passed = 0;
    let wasTaken = false;
    setCrashHandler(async (name) => {
      if (name !== point) return;
      passed += 1;
      if (passed !== time) return;
      const [before] = await rig.t.sql<{ token: number }[]>`
        update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now()
        where id = ${taskId} and lease_until is not null returning lease_token::int as token`;
      await other.executor.run({ taskIds: [taskId], limit: 1, budgetMs: 500, workerId: null });
      // The first process may have been quicker to claim it anew; either way somebody else holds or held it.
      const [after] = await rig.t.sql<{ token: number }[]>`
        select lease_token::int as token from generation_tasks where id = ${taskId}`;
      wasTaken = before !== undefined && (after?.token ?? 0) > before.token;
    });
    await expectUsualEnd(taskId);
    expect(wasTaken).toBe(true);
  });
});

it('two processes at once make one run', async () => {
  const other = rig.anotherProcess();
  const ids = await Promise.all(['one', 'two', 'three'].map((name) => rig.start(`Two postcards ${name}`)));
  for (let knocks = 0; knocks < 40; knocks += 1) {
    await Promise.all([rig.knock(), rig.knock(other.executor)]);
  }
  for (const taskId of ids) await expectUsualEnd(taskId);
});
