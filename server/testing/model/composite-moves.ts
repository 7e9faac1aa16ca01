import { placeHold } from '#server/billing/holds.ts';
import type { Deps } from '#server/deps.ts';
import { cancelTask } from '#server/generation/cancel-task.ts';
import { cancelChildren } from '#server/generation/composite/cancel-children.ts';
import { loadComposite } from '#server/generation/composite/load-composite.ts';
import { updateComposite } from '#server/generation/composite/queries.ts';
import { endComposite } from '#server/generation/composite/settle-composite.ts';
import {
  CompositeHalted,
  recordSteps,
  startChild,
  underLease,
} from '#server/generation/composite/start-child.ts';
import type { CompositeAction, CompositeStep } from '#server/generation/composite/step.ts';
import { submitComposite } from '#server/generation/composite/submit-composite.ts';
import type { CompositeKind } from '#server/generation/status.ts';
import { newId } from '#server/lib/ids.ts';
import type { TestDatabase } from '#server/testing/database.ts';
import { type LeasedRow, toStep } from './leased-step.ts';

export type CompositeEnd = 'succeeded' | 'failed' | 'cancelled';

/** What happened to composites that leaves no row by which it could be counted. */
export type CompositeCounts = { refusedChildren: number; earlyEnds: number };

type World = {
  deps: Deps;
  t: TestDatabase;
  /** Slugs of the models that drive composites and that children are made with. */
  models: { driver: string; child: string };
  counts: CompositeCounts;
  /** Children join the tasks of the history: they deliver, fail and are cancelled like any other. */
  tasks: string[];
  users: readonly string[];
  tolerate(action: () => Promise<unknown>): Promise<void>;
};

/** What happens to composites, by the engine's own functions; steps of one composite exclude one another, as leases do. */
export function compositeMoves({ deps, t, models, counts, tasks, users, tolerate }: World) {
  const composites: string[] = [];
  const idOf = (index: number): string | undefined => composites[index % Math.max(1, composites.length)];

  /** Works on a composite under a lease; does nothing when it has ended or is being worked on. */
  async function leased(index: number, work: (step: CompositeStep) => Promise<void>): Promise<void> {
    const rows = await t.sql<LeasedRow[]>`
      update generation_tasks set lease_until = now() + interval '1 hour', leased_by = ${newId()},
        lease_token = lease_token + 1
      where id = ${idOf(index) ?? null} and status = 'waiting' and lease_until is null
      returning id, leased_by, lease_token, wake_seq`;
    const [row] = rows;
    if (!row) return;
    try {
      await work(await loadComposite(await toStep(deps, row)));
    } finally {
      await t.sql`update generation_tasks set lease_until = null, leased_by = null
        where id = ${row.id} and lease_token = ${row.lease_token} and finished_at is null`;
    }
  }

  return {
    composites,

    /** Asked twice at once with one key. An agent holds its budget at once, a drama holds nothing. */
    async startComposite(who: number, kind: CompositeKind, credits: number) {
      const userId = users[who % users.length] ?? '';
      const order = {
        kind,
        userId,
        requestKey: newId(),
        body: { kind, credits },
        model: models.driver,
        prompt: 'a lamp on its way',
        references: [],
        phase: kind === 'drama' ? 'storyboard' : 'running',
        settings: {},
        budgetCredits: kind === 'drama' ? null : credits,
        estimateCredits: null,
      };
      const made = new Set<string>();
      const once = () => tolerate(async () => made.add((await submitComposite(deps, order)).taskId));
      await Promise.all([once(), once()]);
      if (made.size > 1) throw new Error('One key made two composites');
      composites.push(...made);
    },

    /** The shots of a drama start: from now on it holds what they cost. */
    fund: (index: number, credits: number) =>
      leased(index, async (step) => {
        const { id: taskId, userId } = step.claimed.task;
        if (step.composite.phase !== 'storyboard') return;
        const fundOnce = () =>
          underLease(step, async (tx) => {
            await placeHold(tx, { taskId, userId, credits, reason: 'Budget', isBudget: true });
            await updateComposite(tx, taskId, { phase: 'shots' });
          });
        await tolerate(() => unlessHalted(fundOnce));
      }),

    /** One planned step, acted on twice at once: it has one child at most. */
    startChild: (index: number, n: number) =>
      leased(index, async (step) => {
        const stepKey = `make:${newId()}`;
        await unlessHalted(() => recordSteps(step, [{ key: stepKey, kind: 'make', input: { n } }]));
        const order = {
          kind: 'image' as const,
          model: models.child,
          prompt: 'a lamp',
          params: { n },
          references: [],
        };
        const paidBy = step.composite.phase === 'storyboard' ? 'balance' : 'parent';
        const once = async () => {
          const start = await startChild(step, { stepKey, order, paidBy });
          if (start.type === 'started') started.push(start.childTaskId);
          if (start.type === 'over_budget') counts.refusedChildren += 1;
        };
        const started: string[] = [];
        await Promise.all([unlessHalted(once), unlessHalted(once)]);
        if (started.length > 1) throw new Error('One step started two children');
        tasks.push(...started);
      }),

    /** As a user does it: the wish, and the children's cancels that follow from it. */
    async cancelComposite(index: number) {
      const taskId = idOf(index);
      if (!taskId) return;
      for (const userId of users) await tolerate(() => cancelTask(deps, { userId, taskId }));
      await leased(index, cancelChildren);
    },

    /** Also tried while children are under way: it is put off then. */
    endComposite: (index: number, to: CompositeEnd) =>
      leased(index, async (step) => {
        const { taskId } = step.lease;
        // What was delivered of a drama was delivered after its shots had started.
        const isFree = step.composite.phase === 'storyboard';
        if (to === 'succeeded' && !isFree) await storeOutput(taskId);
        const action: Extract<CompositeAction, { type: 'end' }> =
          to === 'failed' || (to === 'succeeded' && isFree)
            ? { type: 'end', to: 'failed', code: 'step_failed' }
            : { type: 'end', to };
        const result = await endComposite(step, 'waiting', action);
        if (result.to === 'same') counts.earlyEnds += 1;
      }),
  };

  async function storeOutput(taskId: string): Promise<void> {
    await t.sql`insert into outputs (id, task_id, ordinal, kind, mime, bytes, sha256, storage_key)
      values (${newId()}, ${taskId}, 0, 'text', 'text/plain', 4, ${'0'.repeat(64)}, ${`model/${taskId}/0`})
      on conflict do nothing`;
  }
}

/** The user's wish to halt ends a step as well as anything. */
async function unlessHalted(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof CompositeHalted)) throw error;
  }
}
