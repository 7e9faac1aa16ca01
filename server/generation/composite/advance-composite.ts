import { tellOfTask } from '#server/notifications/tell-owner.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { advanceAgent, finishAgent } from '../agent/advance-agent.ts';
import { advanceDrama, finishDrama } from '../drama/advance-drama.ts';
import { inMs, releaseLease, type TaskPatch } from '../lease-queries.ts';
import { moveLeased } from '../move-queries.ts';
import { type CompositeKind, isComposite, type WaitingFor } from '../status.ts';
import { LOST, type Step, type StepResult, same } from '../step.ts';
import { cancelChildren } from './cancel-children.ts';
import { mayRun, wakeNextInLine } from './caps.ts';
import { hasLiveChildren, loadComposite } from './load-composite.ts';
import { listLiveChildren } from './queries.ts';
import { endComposite } from './settle-composite.ts';
import { CompositeHalted, CompositeLost } from './start-child.ts';
import type { CompositeAction, CompositeKindSteps, CompositeStep } from './step.ts';
import { stopForTime } from './stop-for-time.ts';
import { CHILDREN_WAIT_MS } from './submit-composite.ts';

type CompositeKinds = Readonly<Record<CompositeKind, CompositeKindSteps>>;

const KINDS: CompositeKinds = {
  agent: { advance: advanceAgent, finish: finishAgent },
  drama: { advance: advanceDrama, finish: finishDrama },
};

/** How long a person has to answer before a composite ends with what is there. */
const USER_WAIT_MS = 7 * 24 * 3_600_000;
/** A child's end wakes its composite; this look is for the hint that never came. */
const LOOK_MS = 60_000;
/** Nothing of a composition expires: it is tried this long while our own storage is away. */
const COMPOSE_MS = 7 * 24 * 3_600_000;

/**
 * One step of a composite: reads what is there under the lease, lets its kind decide, and writes the decision, fenced.
 * Every paid call is a child; a composite itself is never sent upstream.
 */
export async function advanceComposite(step: Step, kinds = KINDS): Promise<StepResult> {
  try {
    const loaded = await loadComposite(step);
    const decision = await decide(loaded, kinds);
    const result = await apply(loaded, decision);
    if (decision.type === 'end' || (decision.type === 'wait' && decision.for !== 'children')) {
      await wakeNextInLine(step);
    }
    return result;
  } catch (error) {
    if (error instanceof CompositeLost) return LOST;
    // The user's word came in the middle of the step: the next one begins with it.
    if (error instanceof CompositeHalted) {
      return (await releaseLease(step.deps.db, { lease: step.lease, nextDelayMs: 0 })) ? same(0) : LOST;
    }
    throw error;
  }
}

type Wait = { type: 'wait'; for: WaitingFor; dueInMs?: number; progress?: number };
type Decision = Exclude<CompositeAction, { type: 'wait' }> | Wait;

const FOR_CHILDREN: Wait = { type: 'wait', for: 'children' };

async function apply(step: CompositeStep, decision: Decision): Promise<StepResult> {
  await crashPoint('composite.after-action');
  switch (decision.type) {
    case 'again':
      return release(step, { ...FOR_CHILDREN, dueInMs: 0, progress: decision.progress });
    case 'wait':
      return release(step, decision);
    case 'compose':
      if ((await listLiveChildren(step.deps.db, step.lease.taskId)).length > 0) {
        return release(step, FOR_CHILDREN);
      }
      return startComposing(step);
    case 'end':
      if (hasLiveChildren(step)) return release(step, FOR_CHILDREN);
      return endComposite(step, 'waiting', decision);
  }
}

async function decide(step: CompositeStep, kinds: CompositeKinds): Promise<Decision> {
  const { task } = step.claimed;
  if (!isComposite(task.kind)) throw new Error(`A ${task.kind} task waits for nothing`);
  const kind = kinds[task.kind];
  if (task.cancelRequestedAt) {
    await cancelChildren(step);
    return hasLiveChildren(step)
      ? FOR_CHILDREN
      : { type: 'end', to: 'cancelled', reason: 'Cancelled. What was delivered before is kept and charged.' };
  }
  const isTimeUp = task.waitingUntil !== null && task.waitingUntil <= step.deps.clock.now();
  if (step.composite.stopRequestedAt) {
    await cancelChildren(step);
    if (hasLiveChildren(step)) return FOR_CHILDREN;
    // It was to end long ago and its kind has found no end.
    return isTimeUp ? { type: 'end', to: 'failed', code: 'step_failed' } : kind.finish(step);
  }
  if (isTimeUp) {
    await stopForTime(step);
    return { type: 'again' };
  }
  if (step.composite.pausedAt) return { type: 'wait', for: 'resume' };
  // Whoever answers a question is not made to wait for the look at it; what follows waits its turn.
  if (task.waitingFor !== 'user' && !(await mayRun(step))) {
    return { ...FOR_CHILDREN, dueInMs: LOOK_MS / 4 };
  }
  await crashPoint('composite.before-step');
  return kind.advance(step);
}

async function release(step: CompositeStep, wait: Omit<Wait, 'type'>): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  const { task } = claimed;
  const isSame = task.waitingFor === wait.for;
  const waitMs = wait.for === 'children' ? CHILDREN_WAIT_MS : USER_WAIT_MS;
  // A deadline counts from when the waiting began, whatever has come in between.
  const leftMs =
    isSame && task.waitingUntil ? task.waitingUntil.getTime() - deps.clock.now().getTime() : waitMs;
  const lookMs = wait.dueInMs ?? (wait.for === 'children' ? LOOK_MS : USER_WAIT_MS);
  const nextDelayMs = Math.max(0, Math.min(lookMs, leftMs));
  const set: TaskPatch = {
    waitingFor: wait.for,
    ...(isSame ? {} : { waitingUntil: inMs(waitMs) as never }),
    ...(wait.progress === undefined ? {} : { progress: wait.progress }),
    errorCount: 0,
    lastErrorClass: null,
  };
  const kept = await deps.db.transaction(async (tx) => {
    const released = await releaseLease(tx, {
      lease,
      nextDelayMs,
      set,
      visible: true,
      event: isSame ? undefined : { type: 'waiting', actor: 'executor', data: { for: wait.for } },
    });
    if (released && !isSame && wait.for === 'user') {
      await tellOfTask(tx, { taskId: lease.taskId, type: 'task.needs_you', charged: 'open' });
    }
    return released;
  });
  return kept ? same(nextDelayMs) : LOST;
}

async function startComposing(step: CompositeStep): Promise<StepResult> {
  const { deps, lease } = step;
  const moved = await deps.db.transaction((tx) =>
    moveLeased(tx, {
      lease,
      from: 'waiting',
      to: 'archiving',
      set: {
        waitingFor: null,
        waitingUntil: null,
        archiveUntil: inMs(COMPOSE_MS) as never,
        progress: 0,
        errorCount: 0,
        lastErrorClass: null,
      },
      event: { type: 'composing', actor: 'executor' },
    }),
  );
  return moved ? { to: 'archiving', dueInMs: 0 } : LOST;
}
