import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generationTasks } from '#server/db/schema/index.ts';
import { newId } from '#server/lib/ids.ts';
import type { ClaimedTask } from '../claim-queries.ts';
import { loadComposite } from './load-composite.ts';
import { insertStep, updateStep } from './queries.ts';
import { CompositeLost, startChild, underLease } from './start-child.ts';
import type { CompositeStep } from './step.ts';
import { type CompositeRig, createCompositeRig } from './testing/composite-rig.ts';

let rig: CompositeRig;
beforeAll(async () => {
  rig = await createCompositeRig();
});
afterAll(() => rig.close());

/** A composite with one planned step, in the hands of a holder. */
async function held(budgetCredits = 100): Promise<CompositeStep> {
  const taskId = await rig.submitComposite({ parts: [], budgetCredits });
  await rig.db.transaction((tx) => insertStep(tx, { taskId, key: 'a', kind: 'image', input: {} }));
  const executorId = newId();
  await rig.t.sql`update generation_tasks set lease_token = lease_token + 1, leased_by = ${executorId},
    lease_until = now() + interval '1 hour', next_poll_at = now() + interval '1 hour' where id = ${taskId}`;
  const [task] = await rig.db.select().from(generationTasks).where(eq(generationTasks.id, taskId));
  if (!task) throw new Error('The task is gone');
  return loadComposite({
    deps: rig.deps,
    claimed: { task } as ClaimedTask,
    lease: { taskId, token: task.leaseToken, executorId, workerId: null, wakeSeq: task.wakeSeq },
    signal: new AbortController().signal,
    setCreating: () => undefined,
    savePoll: async () => true,
  });
}

const start = (step: CompositeStep, more: { prompt?: string; model?: string; references?: string[] } = {}) =>
  startChild(step, {
    stepKey: 'a',
    order: {
      kind: 'image',
      model: rig.models.image.slug,
      prompt: 'a lamp',
      params: {},
      references: [],
      ...more,
    },
    paidBy: 'parent',
  });

const loseLease = (step: CompositeStep) =>
  rig.t.sql`update generation_tasks set lease_token = lease_token + 1 where id = ${step.lease.taskId}`;

describe('startChild', () => {
  it('starts one child for a step, however many try at once', async () => {
    const step = await held();
    const starts = await Promise.all(Array.from({ length: 5 }, () => start(step)));
    expect(starts.map(({ type }) => type).sort()).toEqual([...Array(4).fill('not_planned'), 'started']);
    const [child, ...more] = await rig.children(step.lease.taskId);
    expect(more).toEqual([]);
    expect(await rig.steps(step.lease.taskId)).toEqual([
      { key: 'a', status: 'running', childTaskId: child?.id },
    ]);
    expect(await rig.holdOf(child?.id ?? '')).toMatchObject({ status: 'held', source: 'parent', amount: 3 });
    expect(await rig.audit()).toEqual([]);
  });

  it.each([
    ['a model that is not there', { model: 'nothing' }, 'refused'],
    ['a reference of somebody else', { references: [newId()] }, 'refused'],
  ])('%s: nothing is charged and the step stays planned', async (_, more, type) => {
    const step = await held();
    expect(await start(step, more)).toMatchObject({ type });
    expect(await rig.children(step.lease.taskId)).toEqual([]);
    expect(await rig.steps(step.lease.taskId)).toMatchObject([{ status: 'planned' }]);
  });

  it('more than is left of the budget: nothing is charged and the step stays planned', async () => {
    const step = await held(2);
    expect(await start(step)).toEqual({ type: 'over_budget', neededCredits: 3 });
    expect(await rig.children(step.lease.taskId)).toEqual([]);
    expect(await rig.steps(step.lease.taskId)).toMatchObject([{ status: 'planned' }]);
    expect(await rig.audit()).toEqual([]);
  });

  it('without the lease writes nothing, and neither does any other write of the step', async () => {
    const step = await held();
    await loseLease(step);
    expect(await start(step)).toEqual({ type: 'lost' });
    const { taskId } = step.lease;
    const write = underLease(step, (tx) =>
      updateStep(tx, { taskId, key: 'a', from: ['planned'], to: 'failed' }),
    );
    await expect(write).rejects.toThrow(CompositeLost);
    expect(await rig.steps(taskId)).toMatchObject([{ status: 'planned', childTaskId: null }]);
    expect(await rig.children(taskId)).toEqual([]);
  });
});
