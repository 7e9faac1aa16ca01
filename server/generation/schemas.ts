import { z } from 'zod';
import { KINDS, type Kind, type Status, type UncertainReason } from './status.ts';

/** Inputs and views of generations: the contract of page, API and tests. Isomorphic: imports zod and status only. */

const MAX_PROMPT_CHARACTERS = 32_000;

/** One parameter of a model, as an administrator describes it and the form renders it. */
const parameterSpec = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('integer'),
    label: z.string().max(80),
    minimum: z.number().int(),
    maximum: z.number().int(),
    default: z.number().int(),
  }),
  z.object({
    type: z.literal('choice'),
    label: z.string().max(80),
    options: z.array(z.string().max(80)).min(1).max(50),
    default: z.string(),
  }),
  z.object({
    type: z.literal('text'),
    label: z.string().max(80),
    maxLength: z.number().int().min(1).max(4_000),
    default: z.string(),
  }),
  z.object({ type: z.literal('boolean'), label: z.string().max(80), default: z.boolean() }),
]);
export type ParameterSpec = z.infer<typeof parameterSpec>;

/** Parameters by name, in display order. `n` is the number of outputs, `seconds` the length, where a model has them. */
export const parameterSchema = z.record(z.string().regex(/^[a-z][a-z0-9_]{0,40}$/), parameterSpec);
export type ParameterSchema = z.infer<typeof parameterSchema>;

/** Price in integer credits: per call, per output (× `n`) or per second (× `seconds`). */
export const priceRule = z.object({
  unit: z.enum(['call', 'output', 'second']),
  credits: z.number().int().min(0).max(1_000_000),
});
export type PriceRule = z.infer<typeof priceRule>;

/** Conditions of a task, frozen at submit: protocol, account, key, model, price. */
export type TaskSnapshot = {
  modelSlug: string;
  modelTitle: string;
  upstreamModel: string;
  endpoint: string;
  protocol: string;
  baseUrl: string;
  keyId: string | null;
  price: PriceRule;
  /** Units ordered under the price rule (1, n or seconds) and outputs ordered. */
  orderedUnits: number;
  orderedOutputs: number;
  holdCredits: number;
  createTimeoutSeconds: number;
  deadlineSeconds: number;
  chargedWhenCancelled: boolean;
};

/** Text that columns can hold: no NUL, no half of a character. */
const STORABLE = /^[^\0\p{Surrogate}]*$/u;
const NOT_STORABLE = 'This has characters that are not text. Type it anew.';

export const isStorable = (text: string): boolean => STORABLE.test(text);

export const taskId = z.uuid('This is not a task id.');

export const requestKey = z
  .string()
  .min(8, 'A request key has at least 8 characters.')
  .max(200, 'A request key has at most 200 characters.')
  .regex(/^[\x21-\x7e]+$/, 'A request key has visible ASCII characters only.');

export const quoteInput = z.object({
  kind: z.enum(KINDS),
  model: z.string().min(1, 'Choose a model.').max(120),
  params: z.record(z.string().max(41), z.unknown()).default({}),
});
export type QuoteInput = z.infer<typeof quoteInput>;

export const submitInput = quoteInput.extend({
  prompt: z
    .string()
    .trim()
    .min(1, 'Write a prompt.')
    .max(MAX_PROMPT_CHARACTERS, `A prompt has at most ${MAX_PROMPT_CHARACTERS} characters.`)
    .regex(STORABLE, NOT_STORABLE),
  /** Ids of files uploaded before. */
  references: z.array(z.uuid('This is not an upload id.')).max(16).default([]),
  requestKey,
});
export type SubmitInput = z.infer<typeof submitInput>;

export const listInput = z.object({
  /** Id of the last task of the page before. */
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(20),
  kind: z.enum(KINDS).optional(),
  state: z.enum(['active', 'succeeded', 'failed', 'cancelled']).optional(),
});
export type ListInput = z.infer<typeof listInput>;

export const watchInput = z.object({ taskIds: z.array(taskId).min(1).max(100) });

export const adminListInput = z.object({
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(50),
  status: z
    .enum([
      'queued',
      'dispatching',
      'running',
      'uncertain',
      'archiving',
      'waiting',
      'succeeded',
      'failed',
      'cancelled',
    ])
    .optional(),
  kind: z.enum(KINDS).optional(),
  userEmail: z.string().max(320).optional(),
  taskId: z.uuid().optional(),
});

const resolveReason = z
  .string()
  .trim()
  .min(3, 'Say how you know.')
  .max(500, 'A reason has at most 500 characters.')
  .regex(STORABLE, NOT_STORABLE);

/** An administrator's word on an uncertain task; the reason goes into its events. */
export const resolveInput = z.discriminatedUnion('verdict', [
  z.object({
    taskId,
    verdict: z.literal('upstream_id'),
    upstreamId: z
      .string()
      .trim()
      .min(1, 'Enter the id of the upstream job.')
      .max(500, 'A job id has at most 500 characters.')
      .regex(STORABLE, NOT_STORABLE),
    reason: resolveReason,
  }),
  z.object({
    taskId,
    verdict: z.literal('failed'),
    reason: resolveReason,
  }),
]);
export type ResolveInput = z.infer<typeof resolveInput>;

export type OutputView = {
  id: string;
  ordinal: number;
  kind: Kind;
  mime: string;
  bytes: number;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  /** `/files/outputs/<id>`; add `?download=1` for an attachment. */
  url: string;
  previewUrl: string | null;
  late: boolean;
};

/** What the money of a task did, read from hold, refund and ledger. */
export type MoneyView = {
  heldCredits: number;
  chargedCredits: number;
  returnedCredits: number;
  state: 'held' | 'charged' | 'partly_charged' | 'refund_pending' | 'refund_manual' | 'refunded';
};

export type TaskView = {
  id: string;
  kind: Kind;
  status: Status;
  /** Grows with every visible change. */
  version: number;
  model: { slug: string; title: string };
  prompt: string;
  params: Record<string, unknown>;
  progress: number | null;
  cancelRequested: boolean;
  /** Whether a cancel now could still do something, and what it means. */
  cancel: 'free' | 'request' | 'unsupported' | 'none';
  canRetry: boolean;
  failure: { code: string; message: string } | null;
  uncertain: { reason: UncertainReason; until: Date } | null;
  /** Plain words: why it is not finished, what happens next. */
  waiting: string | null;
  outputs: OutputView[];
  orderedOutputs: number;
  money: MoneyView;
  retryOf: string | null;
  submittedAt: Date;
  finishedAt: Date | null;
};

export type TaskEventView = {
  seq: number;
  at: Date;
  type: string;
  actor: string;
  from: Status | null;
  to: Status | null;
  /** A sentence for people. */
  text: string;
};

export type TaskDetailView = TaskView & {
  events: TaskEventView[];
  references: { id: string; fileName: string; mime: string }[];
};

export type ModelView = {
  slug: string;
  kind: Kind;
  title: string;
  description: string;
  parameters: ParameterSchema;
  price: PriceRule;
  maxPromptCharacters: number;
  maxReferences: number;
  chargedWhenCancelled: boolean;
  cancellable: boolean;
};

export type QuoteView = { credits: number; balanceCredits: number; affordable: boolean };

export type TaskPage = { items: TaskView[]; nextCursor: string | null };

/** Messages of `watch`: a snapshot on each connect, then every task whose version has grown. */
export type WatchMessage = { type: 'snapshot' | 'update'; tasks: TaskView[] };

export type AdminTaskView = TaskView & {
  userEmail: string;
  nextDueAt: Date | null;
  leaseUntil: Date | null;
  workerId: string | null;
  errorCount: number;
  lastErrorClass: string | null;
  upstreamStatus: string | null;
};

export type AdminTaskPage = { items: AdminTaskView[]; nextCursor: string | null };

export type DispatchView = {
  id: string;
  number: number;
  phase: 'intent' | 'sent';
  outcome: string | null;
  evidenceFrom: string | null;
  evidence: unknown;
  upstreamId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: Date;
  sentAt: Date | null;
  outcomeAt: Date | null;
  nextWatchAt: Date | null;
  watchUntil: Date | null;
};

export type AdminTaskDetailView = AdminTaskView & {
  events: TaskEventView[];
  references: { id: string; fileName: string; mime: string }[];
  failureDetail: string | null;
  rawResult: unknown;
  dispatches: DispatchView[];
};
