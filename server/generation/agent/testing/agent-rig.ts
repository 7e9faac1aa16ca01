import { expect } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createRig, type Rig, type RigOptions } from '#server/testing/rig.ts';
import { decideStep } from '../decide-step.ts';
import { readAgent } from '../read-agent.ts';
import type { AgentDecisionInput, AgentInput, AgentView } from '../schemas.ts';
import { submitAgent } from '../submit-agent.ts';

/** The rig with agents: the sandbox plays the language model, as the goal's directives say. */

export type AgentRig = Awaited<ReturnType<typeof createAgentRig>>;

/** Without what a decision names itself. */
type Decision = AgentDecisionInput extends infer D ? (D extends unknown ? Omit<D, 'taskId'> : never) : never;

export async function createAgentRig(options: RigOptions = {}) {
  const rig: Rig = await createRig(options);
  // Room for every round of a test: what happens without it is for the tests of the conversation.
  await rig.t.sql`update models set max_prompt_characters = 32000 where id = ${rig.models.text.id}`;

  const order = (goal: string, overrides: Partial<AgentInput> = {}): AgentInput & { userId: string } => ({
    userId: rig.user.id,
    model: rig.models.text.slug,
    allowed: [
      { kind: 'image', model: rig.models.image.slug },
      { kind: 'audio', model: rig.models.audio.slug },
    ],
    budgetCredits: 60,
    maxSteps: 12,
    goal,
    references: [],
    approval: 'none',
    requestKey: newId(),
    ...overrides,
  });

  return {
    ...rig,
    order,
    async start(goal: string, overrides: Partial<AgentInput & { userId: string }> = {}): Promise<string> {
      return (await submitAgent(rig.deps, { ...order(goal, overrides), ...overrides })).taskId;
    },
    agent: (taskId: string, userId = rig.user.id): Promise<AgentView> =>
      readAgent(rig.deps, { userId, taskId }),
    decide: (taskId: string, decision: Decision) =>
      decideStep(rig.deps, { ...decision, taskId, userId: rig.user.id } as AgentDecisionInput & {
        userId: string;
      }),
    /** Goes on until something waits for the user. */
    async untilAwaiting(taskId: string): Promise<AgentView> {
      await rig.runUntil(taskId, (view) => view.finishedAt !== null || view.waiting !== null, rig.executor);
      for (;;) {
        const view = await readAgent(rig.deps, { userId: rig.user.id, taskId });
        if (view.task.finishedAt !== null || view.waitingFor === 'user') return view;
        await rig.knock();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    /** The run's own output, as text. */
    async summary(taskId: string): Promise<string> {
      const [row] = await rig.t.sql<{ key: string }[]>`
        select storage_key as key from outputs where task_id = ${taskId} and ordinal = 0`;
      if (!row) return '';
      const { stream } = await rig.deps.storage.open(row.key);
      return Buffer.concat(await stream.toArray()).toString();
    },
    children: async (taskId: string) =>
      rig.t.sql<{ id: string; kind: string; status: string; held: number; captured: number }[]>`
        select t.id, t.kind, t.status, h.amount_credits::int as held, h.captured_credits::int as captured
        from generation_tasks t join credit_holds h on h.task_id = t.id
        where t.parent_id = ${taskId} order by t.id`,
    /** What its hold ended as. */
    async hold(taskId: string) {
      const [row] = await rig.t.sql`
        select status, amount_credits::int as held, captured_credits::int as captured,
          returned_credits::int as returned
        from credit_holds where task_id = ${taskId}`;
      return { ...row };
    },
    /** Creates that upstream received for every child, summed by child. */
    async createsOfChildren(taskId: string): Promise<number[]> {
      const rows = await rig.t.sql<{ id: string }[]>`
        select id from generation_tasks where parent_id = ${taskId} order by id`;
      return Promise.all(
        rows.map(async ({ id }) => (await rig.creates(id)).reduce((sum, { recorded }) => sum + recorded, 0)),
      );
    },
  };
}

export const labelsOf = (view: AgentView): string[] =>
  view.transcript.map((entry) => `${entry.type} ${entry.status}`);

/** What was charged is what the children were charged, the rest is back, and the books are right. */
export async function expectMoneyAddsUp(rig: AgentRig, taskId: string): Promise<void> {
  const children = await rig.children(taskId);
  const spent = children.reduce((sum, { captured }) => sum + captured, 0);
  expect(await rig.hold(taskId)).toMatchObject({ captured: spent });
  expect((await rig.agent(taskId)).budget.openCredits).toBe(0);
  expect(await rig.audit()).toEqual([]);
  for (const received of await rig.createsOfChildren(taskId)) expect(received).toBeLessThanOrEqual(1);
}
