import { z } from 'zod';
import type { ChildView, CompositeView } from '../composite/schemas.ts';
import { isStorable, requestKey, type TaskView, taskId } from '../schemas.ts';

/** Inputs and views of agents: the contract of page, API and tests. Isomorphic. */

const words = (most: number, empty: string) =>
  z
    .string()
    .trim()
    .min(1, empty)
    .max(most, `Write at most ${most.toLocaleString('en-US')} characters.`)
    .refine(isStorable, 'This has characters that are not text. Type it anew.');

export const AGENT_MAKES = ['image', 'video', 'audio'] as const;
export type AgentMakes = (typeof AGENT_MAKES)[number];

/** `none`: it goes on by itself. `paid`: every picture, video or sound waits for a yes. `each`: so does every turn of the model. */
const APPROVALS = ['none', 'paid', 'each'] as const;
export type Approval = (typeof APPROVALS)[number];

export const MAX_AGENT_STEPS = 50;
export const DEFAULT_AGENT_STEPS = 20;

export const agentQuoteInput = z.object({
  /** Slug of the language model. */
  model: z.string().min(1, 'Choose a language model.').max(120),
  /** Slugs of the models that it may use, at least one. */
  allowed: z
    .array(z.object({ kind: z.enum(AGENT_MAKES), model: z.string().min(1).max(120) }))
    .min(1, 'Allow at least one model.')
    .max(12, 'Allow at most 12 models.')
    .refine((list) => new Set(list.map((each) => each.model)).size === list.length, 'Name each model once.'),
  budgetCredits: z
    .number('Enter a whole number of credits.')
    .int('Enter a whole number of credits.')
    .min(1, 'A budget has at least 1 credit.')
    .max(1_000_000, 'A budget has at most 1,000,000 credits.'),
  maxSteps: z
    .number('Enter a whole number of steps.')
    .int('Enter a whole number of steps.')
    .min(1, 'Allow at least 1 step.')
    .max(MAX_AGENT_STEPS, `Allow at most ${MAX_AGENT_STEPS} steps.`)
    .default(DEFAULT_AGENT_STEPS),
});
export type AgentQuoteInput = z.infer<typeof agentQuoteInput>;

export const agentInput = agentQuoteInput.extend({
  goal: words(8_000, 'Write what the agent shall do.'),
  /** Ids of files uploaded before. */
  references: z.array(z.uuid('This is not an upload id.')).max(8, 'Add at most 8 files.').default([]),
  approval: z.enum(APPROVALS).default('none'),
  requestKey,
});
export type AgentInput = z.infer<typeof agentInput>;

/** What is kept of an order, as it was accepted. */
export type AgentSettings = Omit<AgentInput, 'requestKey'>;

export const agentDecisionInput = z.discriminatedUnion('decision', [
  z.object({ taskId, stepKey: z.string().max(200), decision: z.literal('approve') }),
  /** Approves with other arguments, as JSON text. */
  z.object({
    taskId,
    stepKey: z.string().max(200),
    decision: z.literal('edit'),
    argumentsText: z.string().max(20_000),
  }),
  z.object({
    taskId,
    stepKey: z.string().max(200),
    decision: z.literal('reject'),
    reason: z.string().trim().max(2_000).refine(isStorable).default(''),
  }),
  z.object({
    taskId,
    stepKey: z.string().max(200),
    decision: z.literal('answer'),
    answer: words(4_000, 'Write an answer.'),
  }),
]);
export type AgentDecisionInput = z.infer<typeof agentDecisionInput>;

export type AgentQuoteView = {
  /** A usual run: a few turns and one result of each allowed kind, never above the cap. */
  estimateCredits: number;
  /** What is held, and the most that it can cost. */
  capCredits: number;
  /** The dearest single turn of the language model: the budget must allow at least one. */
  turnCredits: number;
  balanceCredits: number;
  affordable: boolean;
};

/** One entry of the transcript, in order. */
export type AgentEntry = {
  key: string;
  status: 'planned' | 'awaiting' | 'running' | 'done' | 'failed' | 'rejected' | 'skipped';
  at: Date;
  endedAt: Date | null;
  child: ChildView | null;
} /** A turn of the language model; `text` is what it said, empty while it is at work. */ & (
  | { type: 'turn'; number: number; text: string; calls: number }
  /** Something that it wants made. `problem`: why it could not be, as the model was told. */
  | {
      type: 'make';
      makes: AgentMakes;
      modelTitle: string;
      prompt: string;
      argumentsText: string;
      costCredits: number | null;
      problem: string | null;
    }
  | { type: 'read'; what: string; problem: string | null }
  | { type: 'ask'; question: string; answer: string | null }
  /** A call that was not one: unknown tool, arguments out of schema, the same call again. */
  | { type: 'refused'; name: string; problem: string }
  | { type: 'finish'; summary: string }
);

export type AgentView = CompositeView & {
  task: TaskView;
  settings: AgentSettings;
  modelTitle: string;
  /** By slug, of the models that it may use. */
  allowedTitles: Record<string, string>;
  references: { id: string; fileName: string; mime: string }[];
  stepsUsed: number;
  transcript: AgentEntry[];
  /** Keys of entries that wait for the user. */
  awaiting: string[];
};
