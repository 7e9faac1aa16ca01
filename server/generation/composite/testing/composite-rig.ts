import { drizzle } from 'drizzle-orm/postgres-js';
import * as schema from '#server/db/schema/index.ts';
import { createExecutor, type Executor } from '#server/generation/executor.ts';
import { newId } from '#server/lib/ids.ts';
import { createRig, type RigOptions } from '#server/testing/rig.ts';
import { advanceTask } from '../../advance-task.ts';
import { type CompositeKind, isComposite, isTerminal, type Kind } from '../../status.ts';
import type { Step, StepResult } from '../../step.ts';
import { advanceComposite } from '../advance-composite.ts';
import { advanceComposition, type Compose } from '../advance-composition.ts';
import { updateStep } from '../queries.ts';
import { endComposite } from '../settle-composite.ts';
import { recordSteps, startChild, underLease } from '../start-child.ts';
import type { CompositeAction, CompositeStep } from '../step.ts';
import { submitComposite } from '../submit-composite.ts';

/** The rig with composites of a kind that is as plain as can be: its steps are its settings, and it ends when all have. */

type PlannedPart = { key: string; kind: Kind; prompt?: string; paidBy?: 'parent' | 'balance' };
type Settings = {
  parts: PlannedPart[];
  /** Asks its user before it starts anything; any step with the key `answer` is the answer. */
  asks?: boolean;
  composes?: boolean;
  /** Fails whatever its children have made. */
  fails?: boolean;
  /** Its own steps only throw. */
  poisoned?: boolean;
};

const settingsOf = (step: CompositeStep) => step.composite.settings as Settings;

async function advance(step: CompositeStep): Promise<CompositeAction> {
  const { parts, asks, poisoned } = settingsOf(step);
  if (poisoned) throw new Error('poison');
  if (asks && !step.steps.some(({ key }) => key === 'answer')) return { type: 'wait', for: 'user' };
  const known = new Set(step.steps.map(({ key }) => key));
  const missing = parts.filter(({ key }) => !known.has(key));
  if (missing.length > 0) {
    await recordSteps(
      step,
      missing.map(({ key, kind }) => ({ key, kind, input: {} })),
    );
    return { type: 'again' };
  }
  for (const row of step.steps) {
    const part = parts.find(({ key }) => key === row.key);
    if (row.status === 'planned' && part) await startPart(step, part);
    const child =
      row.status === 'running' && row.childTaskId ? step.children.get(row.childTaskId) : undefined;
    if (!child || !isTerminal(child.task.status)) continue;
    const to = child.task.status === 'succeeded' ? 'done' : 'failed';
    await underLease(step, (tx) =>
      updateStep(tx, { taskId: step.lease.taskId, key: row.key, from: ['running'], to }),
    );
  }
  const open = step.steps.filter(({ status }) => status === 'planned' || status === 'running');
  if (open.some(({ childTaskId }) => childTaskId && isOver(step, childTaskId))) return { type: 'again' };
  return open.length > 0 ? { type: 'wait', for: 'children' } : endOf(step);
}

const isOver = (step: CompositeStep, childTaskId: string) =>
  isTerminal(step.children.get(childTaskId)?.task.status ?? 'queued');

async function startPart(step: CompositeStep, { key, kind, prompt, paidBy }: PlannedPart): Promise<void> {
  const { models } = step.composite.settings as { models: Record<Kind, string> };
  const order = { kind, model: models[kind], prompt: prompt ?? 'a lamp', params: {}, references: [] };
  const start = await startChild(step, { stepKey: key, order, paidBy: paidBy ?? 'parent' });
  if (start.type !== 'refused' && start.type !== 'over_budget') return;
  await underLease(step, (tx) =>
    updateStep(tx, { taskId: step.lease.taskId, key, from: ['planned'], to: 'failed', result: { ...start } }),
  );
}

async function endOf(step: CompositeStep): Promise<CompositeAction> {
  const delivered = [...step.children.values()].some(({ task }) => task.status === 'succeeded');
  if (!delivered || settingsOf(step).fails) return { type: 'end', to: 'failed', code: 'step_failed' };
  return settingsOf(step).composes ? { type: 'compose' } : { type: 'end', to: 'succeeded' };
}

async function finish(step: CompositeStep): Promise<CompositeAction> {
  if (settingsOf(step).poisoned) throw new Error('poison');
  return endOf(step);
}

const plain = { advance, finish };
const KINDS = { agent: plain, drama: plain };

const composeNothing: Compose = (step) => endComposite(step, 'archiving', { type: 'end', to: 'succeeded' });

export type CompositeRig = Awaited<ReturnType<typeof createCompositeRig>>;

export async function createCompositeRig(options: RigOptions = {}) {
  const rig = await createRig(options);
  const executors: Executor[] = [];
  /** What a composition does; a test may put its own here. */
  const composition = { compose: composeNothing };

  const advanceStep = (step: Step): Promise<StepResult> => {
    const { status, kind } = step.claimed.task;
    if (!isComposite(kind)) return advanceTask(step);
    return status === 'archiving'
      ? advanceComposition(step, (inner) => composition.compose(inner))
      : advanceComposite(step, KINDS);
  };

  function newProcess(config: Parameters<typeof rig.anotherProcess>[0] = {}) {
    const { deps } = rig.anotherProcess(config);
    const executor = createExecutor(deps, { advance: advanceStep });
    executors.push(executor);
    return { deps, executor };
  }
  /** A web process that can end in the middle of anything: from then on it writes nothing, not even that it has failed. */
  function mortalProcess() {
    const { deps } = rig.anotherProcess();
    let isGone = false;
    const logger = {
      logQuery() {
        if (isGone) throw new Error('This process has ended');
      },
    };
    const { sql } = rig.t.open({ max: 10, applicationName: 'sidelane-mortal' });
    const executor = createExecutor(
      { ...deps, db: drizzle(sql, { schema, logger }) },
      { advance: advanceStep },
    );
    executors.push(executor);
    const end = () => {
      isGone = true;
    };
    return { executor, isGone: () => isGone, end };
  }
  const { deps, executor } = newProcess();
  const models = Object.fromEntries(Object.entries(rig.models).map(([kind, { slug }]) => [kind, slug]));

  return {
    ...rig,
    deps,
    executor,
    composition,
    newProcess,
    mortalProcess,
    knock: (by: Executor = executor) => rig.knock(by),
    async submitComposite(
      settings: Settings & { kind?: CompositeKind; budgetCredits?: number | null; userId?: string },
    ): Promise<string> {
      const { kind = 'agent', budgetCredits = 100, userId = rig.user.id, ...rest } = settings;
      const { taskId } = await submitComposite(deps, {
        kind,
        userId,
        requestKey: newId(),
        body: rest,
        model: rig.models.text.slug,
        prompt: 'three pictures',
        references: [],
        phase: budgetCredits === null ? 'storyboard' : 'run',
        settings: { ...rest, models },
        budgetCredits,
        estimateCredits: 10,
      });
      return taskId;
    },
    /** Ids of what a composite has started, in order. */
    async children(taskId: string): Promise<{ id: string; status: string; kind: string }[]> {
      return rig.t.sql<{ id: string; status: string; kind: string }[]>`
        select id, status, kind from generation_tasks where parent_id = ${taskId} order by id`;
    },
    async steps(taskId: string): Promise<{ key: string; status: string; childTaskId: string | null }[]> {
      return rig.t.sql<{ key: string; status: string; childTaskId: string | null }[]>`
        select key, status, child_task_id as "childTaskId" from composite_steps where task_id = ${taskId} order by seq`;
    },
    async holdOf(taskId: string) {
      const [hold] = await rig.t.sql`select status, source, amount_credits::int as amount,
        captured_credits::int as captured, returned_credits::int as returned from credit_holds where task_id = ${taskId}`;
      return hold ? { ...hold } : null;
    },
    async types(taskId: string): Promise<string[]> {
      const rows = await rig.t.sql<{ type: string }[]>`
        select type from generation_task_events where task_id = ${taskId} order by seq`;
      return rows.map(({ type }) => type);
    },
    /** Makes a task due now, and its leases run out. */
    async hurry(taskId: string) {
      await rig.t.sql`update generation_tasks set next_poll_at = now(), lease_until = null, leased_by = null
        where id = ${taskId} and finished_at is null`;
    },
    async runUntil(taskId: string, done: Parameters<typeof rig.runUntil>[1], by: Executor = executor) {
      return rig.runUntil.call(this, taskId, done, by);
    },
    async runToEnd(taskId: string, by: Executor = executor) {
      return rig.runToEnd.call(this, taskId, by);
    },
    async close() {
      await Promise.all(executors.map((one) => one.drain()));
      await rig.close();
    },
  };
}
