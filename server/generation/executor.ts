import type { Deps } from '#server/deps.ts';
import { redactText } from '#server/lib/redact.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { advanceTask } from './advance-task.ts';
import { type ClaimedTask, loadClaimed, type TaskRow } from './claim-queries.ts';
import { classOf, createClaimer } from './claimer.ts';
import { countBacklog, nextTaskDueAt } from './due-queries.ts';
import { enterUncertain } from './enter-uncertain.ts';
import type { Lease } from './event-queries.ts';
import { createLeaseKeeper, type HeldLease } from './lease-keeper.ts';
import { releaseLease } from './lease-queries.ts';
import { createPollWriter } from './poll-writer.ts';
import { createPreviewMaker } from './preview-outputs.ts';
import {
  countStep,
  emptyResult,
  type RecoveryBatchInput,
  type RecoveryBatchResult,
} from './recovery-batch.ts';
import { runLateWatchBatch } from './run-late-watch-batch.ts';
import { runStep } from './run-step.ts';
import { createSlots, type SlotCounts } from './slots.ts';
import type { StepResult } from './step.ts';

/** The one owner of running steps in a web process: slots, leases and their renewal, draining. */
export type Executor = {
  readonly id: string;
  run(input: RecoveryBatchInput): Promise<RecoveryBatchResult>;
  /** Fire and forget: used after a submit, a cancel, a webhook. Never throws. */
  kick(taskIds: readonly string[]): void;
  /** The page's own push: this user's due tasks, at most once a second per user. Never throws. */
  pushUser(userId: string): void;
  /** Steps in flight per slot class. */
  stats(): { inFlight: SlotCounts; draining: boolean };
  /** No more claims; releases polls and transfers; waits for creates up to the drain limit. */
  drain(): Promise<void>;
};

/** How long a call goes on looking for more after its last successful claim. */
const LINGER_MS = 1_000;
/** At saturation, freed slots gather for a moment, so that a claim is worth its round trip. */
const GATHER_MS = 5;
const PUSH_EVERY_MS = 1_000;

/** Steps belong to the executor, not to the request that started them: a client that goes away aborts nothing. */
export function createExecutor(
  deps: Deps,
  /** Tests put steps of their own in place of a kind's. */
  { advance = advanceTask }: { advance?: typeof advanceTask } = {},
): Executor {
  const id = deps.newId();
  const { config, db, logger } = deps;
  const slots = createSlots(config.slots);
  const keeper = createLeaseKeeper({
    db: deps.renewalDb,
    executorId: id,
    leaseSeconds: config.leaseSeconds,
    logger,
  });
  const claimer = createClaimer(deps, { executorId: id, slots });
  const polls = createPollWriter(db);
  const previews = createPreviewMaker(deps);
  const running = new Map<
    string,
    { claimed: ClaimedTask; lease: Lease; held: HeldLease; done: Promise<StepResult> }
  >();
  const background = new Set<Promise<unknown>>();
  const pushedAt = new Map<string, number>();
  /** Claims under way: a drain waits for them, because what they bring is to be given back. */
  const claiming = new Set<Promise<unknown>>();
  let watching = false;
  let draining = false;

  const leaseOf = (task: TaskRow): Lease => ({
    taskId: task.id,
    token: task.leaseToken,
    executorId: id,
    workerId: task.workerId,
    wakeSeq: task.wakeSeq,
  });

  function start(claimed: ClaimedTask, sentAt: number): Promise<StepResult> {
    const { task } = claimed;
    const slotClass = classOf(task);
    const lease = leaseOf(task);
    const held: HeldLease = {
      id: task.id,
      token: task.leaseToken,
      creating: false,
      abort: new AbortController(),
      confirmedAt: sentAt,
    };
    keeper.hold(held);
    const done = runStep(deps, { claimed, lease, held, savePoll: polls.save, advance }).then((result) => {
      keeper.release(task.id);
      running.delete(task.id);
      slots.giveBack(slotClass, 1);
      if (result.to === 'succeeded') inBackground(previews.forTask(task.id));
      announce(result);
      return result;
    });
    running.set(task.id, { claimed, lease, held, done });
    return done;
  }

  /** Tells waiting lanes when this row is due, or that a place has become free. */
  function announce(result: StepResult): void {
    if (result.to === 'lost') return;
    deps.due.wake(result.dueInMs ? new Date(deps.clock.now().getTime() + result.dueInMs) : undefined);
  }

  async function startAll(tasks: readonly TaskRow[], sentAt: number): Promise<Promise<StepResult>[]> {
    if (tasks.length === 0) return [];
    try {
      await crashPoint('claim.after');
      const loaded = await loadClaimed(db, tasks);
      if (draining) {
        for (const task of tasks) await releaseLease(db, { lease: leaseOf(task), nextDelayMs: 0 });
        for (const task of tasks) slots.giveBack(classOf(task), 1);
        return [];
      }
      const usable = new Set(loaded.map(({ task }) => task.id));
      for (const task of tasks) {
        if (usable.has(task.id)) continue;
        slots.giveBack(classOf(task), 1);
        logger.error({ taskId: task.id }, 'A task has no details and cannot go on');
      }
      return loaded.map((claimed) => start(claimed, sentAt));
    } catch (error) {
      for (const task of tasks) slots.giveBack(classOf(task), 1);
      throw error;
    }
  }

  async function claimAndStart(
    input: RecoveryBatchInput,
    room: number,
  ): Promise<{ claimed: number; steps: Promise<StepResult>[] }> {
    const { tasks, sentAt } = await claimer.claim(input, room);
    return { claimed: tasks.length, steps: await startAll(tasks, sentAt) };
  }

  async function whileDrainWaits<T>(work: Promise<T>): Promise<T> {
    claiming.add(work);
    try {
      return await work;
    } finally {
      claiming.delete(work);
    }
  }

  async function run(input: RecoveryBatchInput): Promise<RecoveryBatchResult> {
    const result = emptyResult();
    const own = new Set<Promise<unknown>>();
    const endsAt = performance.now() + input.budgetMs;
    let lastClaimAt = performance.now();
    const general = input.taskIds === undefined && input.userId === undefined;
    if (general && !draining) {
      watchLate();
      inBackground(previews.sweep());
    }
    while (!draining) {
      const room = input.limit - own.size;
      const { claimed, steps } =
        room > 0 ? await whileDrainWaits(claimAndStart(input, room)) : { claimed: 0, steps: [] };
      result.claimed += claimed;
      for (const step of steps) {
        const counted = step.then((end) => {
          countStep(result, end);
          own.delete(counted);
        });
        own.add(counted);
      }
      const now = performance.now();
      if (claimed > 0) lastClaimAt = now;
      if (input.once || now >= endsAt || (claimed === 0 && own.size === 0)) break;
      if (claimed > 0 && own.size < input.limit) continue;
      if (claimed === 0 && now - lastClaimAt >= LINGER_MS && own.size < input.limit) break;
      const patience = Math.min(
        endsAt - now,
        own.size < input.limit ? lastClaimAt + LINGER_MS - now : endsAt - now,
      );
      await firstOf(own, Math.max(1, patience));
      await pause(GATHER_MS);
    }
    result.inFlight = running.size;
    if (general)
      [result.nextDueAt, result.backlog] = await Promise.all([
        nextTaskDueAt(db, { canCompose: slots.free('compose') > 0 }),
        countBacklog(db),
      ]);
    return result;
  }

  /** One batch at a time: its downloads have no slots of their own. */
  function watchLate(): void {
    if (watching) return;
    watching = true;
    inBackground(
      runLateWatchBatch(deps, { executorId: id, limit: 10 }).finally(() => {
        watching = false;
      }),
    );
  }

  function inBackground(work: Promise<unknown>): void {
    const tracked: Promise<unknown> = work
      .catch((error) =>
        logger.warn({ error: redactText(String(error)) }, 'Background work failed; its rows are due anyway'),
      )
      .finally(() => background.delete(tracked));
    background.add(tracked);
  }

  return {
    id,
    run,
    kick(taskIds) {
      if (draining || taskIds.length === 0) return;
      inBackground(run({ limit: taskIds.length, budgetMs: 0, workerId: null, taskIds, once: true }));
    },
    pushUser(userId) {
      const now = performance.now();
      if (draining || now - (pushedAt.get(userId) ?? Number.NEGATIVE_INFINITY) < PUSH_EVERY_MS) return;
      pushedAt.set(userId, now);
      if (pushedAt.size > 10_000) {
        for (const [user, at] of pushedAt) if (now - at > PUSH_EVERY_MS) pushedAt.delete(user);
      }
      inBackground(run({ limit: config.userInFlight, budgetMs: 0, workerId: null, userId, once: true }));
    },
    stats: () => ({ inFlight: slots.used(), draining }),
    async drain() {
      draining = true;
      for (const { held } of running.values()) if (!held.creating) held.abort.abort(new DrainError());
      await Promise.allSettled([...claiming]);
      const waitUntil = performance.now() + config.drainSeconds * 1000;
      while (running.size > 0 && performance.now() < waitUntil) {
        await firstOf(
          new Set([...running.values()].map((step) => step.done)),
          Math.min(1_000, waitUntil - performance.now()),
        );
        for (const { held } of running.values()) if (!held.creating) held.abort.abort(new DrainError());
      }
      for (const { claimed, lease, held } of running.values()) {
        if (!held.creating) continue;
        // Its answer will never be seen: say so, rather than leave it to look as if it were under way.
        const step = {
          deps,
          claimed,
          lease,
          signal: held.abort.signal,
          setCreating: () => {},
          savePoll: polls.save,
        };
        await enterUncertain(step, 'dispatching', { reason: 'no_answer', data: { shutdown: true } }).catch(
          () => {},
        );
      }
      await Promise.race([Promise.allSettled([...background]), pause(5_000)]);
      keeper.stop();
    },
  };
}

/** The process is shutting down: polls and downloads stop and their rows are due again at once. */
class DrainError extends Error {
  constructor() {
    super('This process is shutting down');
    this.name = 'DrainError';
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function firstOf(steps: ReadonlySet<Promise<unknown>>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([...steps, timeout]);
  clearTimeout(timer);
}
