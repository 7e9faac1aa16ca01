import { z } from 'zod';
import type { DispatchCost } from './cost/schemas.ts';
import type { PriceRule, PriceUnit } from './price/schemas.ts';
import {
  KINDS,
  type Kind,
  LIST_STATES,
  type ReferenceRole,
  type Status,
  TASK_KINDS,
  type TaskKind,
  type UncertainReason,
} from './status.ts';

/** Inputs and views of generations: the contract of page, API and tests. Isomorphic: imports zod and status only. */

const MAX_PROMPT_CHARACTERS = 32_000;
/** No character of a string takes more than 3 bytes of UTF-8 (a pair takes 4). */
const MAX_PROMPT_BYTES = 3 * MAX_PROMPT_CHARACTERS;

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
  // Left empty, upstream chooses one: the parameter is then not sent at all.
  z.object({
    type: z.literal('seed'),
    label: z.string().max(80),
    maximum: z.number().int().min(1).default(2_147_483_647),
  }),
]);
export type ParameterSpec = z.infer<typeof parameterSpec>;

/**
 * Parameters by name, in display order. `n` is the number of outputs, `seconds` the length of each, `max_tokens` the
 * most tokens that upstream may write for each, where a model has them.
 */
export const parameterSchema = z.record(z.string().regex(/^[a-z][a-z0-9_]{0,40}$/), parameterSpec);
export type ParameterSchema = z.infer<typeof parameterSchema>;

export type { PriceRule, ReferenceRole };

export type ReferenceMedium = Exclude<Kind, 'text'>;

/** How often a channel's jobs are polled: first after `firstMs`, then ever more slowly up to `capMs`. */
export const pollPace = z.object({
  firstMs: z.number().int().min(50).max(600_000),
  capMs: z.number().int().min(100).max(3_600_000),
});
export type PollPace = z.infer<typeof pollPace>;

/** An account and a model of it that may take a task. */
export type Candidate = {
  channelId: string;
  protocol: string;
  baseUrl: string;
  keyId: string | null;
  upstreamModel: string;
  endpoint: string;
  /** What the channel's protocol needs beyond address and key, such as a `custom` description. */
  settings?: unknown;
  pollPace?: PollPace;
  /** Seconds that finished results stay readable on this channel. */
  resultWindowSeconds?: number;
  /** Upstream run time allowed, where the channel has its own. */
  deadlineSeconds?: number;
};

/** Conditions of a task, frozen at submit: protocol, account, key, model, price. */
export type TaskSnapshot = Omit<Candidate, 'channelId' | 'deadlineSeconds'> & {
  modelSlug: string;
  modelTitle: string;
  /** Tried in this order, each after an explicit refusal of the one before that was about its account. */
  further?: Candidate[];
  referenceRoles?: ReferenceRole[];
  price: PriceRule;
  /** Units ordered under the price rule (1, n, seconds × n or blocks of tokens) and outputs ordered. */
  orderedUnits: number;
  orderedOutputs: number;
  /** Seconds of each output; absent before seconds were counted for every output, and where the price counts none. */
  orderedSeconds?: number;
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
  /**
   * UTF-8 bytes of the prompt, which count where a price counts tokens. Left out, the longest prompt is assumed: the quote
   * is then never below what is held.
   */
  promptBytes: z.number().int().min(0).max(MAX_PROMPT_BYTES).optional(),
});
export type QuoteInput = z.infer<typeof quoteInput>;

export const submitInput = quoteInput.omit({ promptBytes: true }).extend({
  prompt: z
    .string()
    .trim()
    .min(1, 'Write a prompt.')
    .max(MAX_PROMPT_CHARACTERS, `A prompt has at most ${MAX_PROMPT_CHARACTERS} characters.`)
    .regex(STORABLE, NOT_STORABLE),
  /** Ids of files uploaded before, or of own results, which are then copied. */
  references: z.array(z.uuid('This is not an upload id.')).max(16).default([]),
  requestKey,
  /** What the sender was quoted: a dearer price is refused instead of charged. Not part of what a request key names. */
  quotedCredits: z.number().int().min(0).optional(),
});
export type SubmitInput = z.infer<typeof submitInput>;

export const listInput = z.object({
  /** Id of the last task of the page before. */
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(20),
  kind: z.enum(TASK_KINDS).optional(),
  state: z.enum(LIST_STATES).optional(),
});
export type ListInput = z.infer<typeof listInput>;

export const watchInput = z.object({ taskIds: z.array(taskId).min(1).max(100) });

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
    verdict: z.literal('result'),
    /** Addresses of the files that upstream made, in order. */
    urls: z
      .array(
        z.url({ protocol: /^https?$/, error: 'Enter complete http(s) addresses, one per line.' }).max(8_000),
      )
      .max(16, 'Enter at most 16 addresses.')
      .default([]),
    /** The text that upstream made, for models that make text. */
    text: z.string().trim().max(200_000).regex(STORABLE, NOT_STORABLE).default(''),
    reason: resolveReason,
  }),
  z.object({
    taskId,
    verdict: z.literal('failed'),
    reason: resolveReason,
  }),
]);
export type ResolveInput = z.infer<typeof resolveInput>;

/** Looks again for the result of a task that failed although upstream may have delivered. */
export const recoverInput = z.object({ taskId, reason: resolveReason });

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
  /** When the file was removed by its owner's retention setting, or thrown away; null while it is there. */
  removedAt: Date | null;
  /** Thrown away by its owner, who can still take it back. */
  isTrashed: boolean;
};

/**
 * A sentence by code, so that pages can say it in the reader's language. Moments in `values` are ISO 8601. `and` is a
 * second sentence after it.
 */
export type CodedText = { code: string; values: Record<string, string | number>; and?: CodedText };

/** What the money of a task did, read from hold, refund and ledger. */
export type MoneyView = {
  heldCredits: number;
  chargedCredits: number;
  returnedCredits: number;
  /** `none`: a composite that has not held anything (yet). Of one under way, `chargedCredits` is what its steps were charged so far. */
  state: 'none' | 'held' | 'charged' | 'partly_charged' | 'refund_pending' | 'refund_manual' | 'refunded';
  /** Of a part that was charged: how many units of those ordered. */
  part?: { unit: PriceUnit; chargedUnits: number; orderedUnits: number };
};

export type TaskView = {
  id: string;
  kind: TaskKind;
  /** The composite that started it; null of what a user submitted. */
  parentId: string | null;
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
  /** `reason`: the message by code, with what upstream said; null where the message is a text of its own. */
  failure: { code: string; message: string; reason?: CodedText | null } | null;
  uncertain: { reason: UncertainReason; until: Date } | null;
  /** Plain words: why it is not finished, what happens next. */
  waiting: string | null;
  /** The same by code. */
  waitingReason: CodedText | null;
  /** Seconds from submit to result that recent tasks of this model took; null of what ended, and where it is not known. */
  expectedSeconds: number | null;
  /** Its place among what waits for the same channel, 1 is next; null when it does not wait, or far behind. */
  queuePosition: number | null;
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
  /** A sentence for people, in English. */
  text: string;
  /** The same by code; null where the text is somebody's own words. */
  said: CodedText | null;
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
  referenceRoles: ReferenceRole[];
  /** What is known to be taken in each role that a file of an order can have. */
  takes: Partial<Record<ReferenceRole, ReferenceMedium[]>>;
  chargedWhenCancelled: boolean;
  cancellable: boolean;
  /** Of models of text: whether it can call tools, as agents and storyboards need. */
  converses: boolean;
  /** Seconds from submit to result of the latest successes; null while there are too few. */
  typicalSeconds: { p50: number; p90: number } | null;
};

export type QuoteView = { credits: number; balanceCredits: number; affordable: boolean };

export type TaskPage = { items: TaskView[]; nextCursor: string | null };

/** What came of cancelling everything: how many tasks got each answer, and whether there are more than were tried. */
export type CancelAllView = {
  cancelled: number;
  requested: number;
  unsupported: number;
  finished: number;
  hasMore: boolean;
};

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
  /** What upstream takes for it; null: it was sent without anybody knowing. */
  cost: DispatchCost | null;
};

export type AdminTaskDetailView = AdminTaskView & {
  events: TaskEventView[];
  references: { id: string; fileName: string; mime: string }[];
  failureDetail: string | null;
  rawResult: unknown;
  dispatches: DispatchView[];
  /** What a composite has started itself, first one first, and how many there are in all. */
  children: { taskId: string; kind: TaskKind; status: Status; modelTitle: string; prompt: string }[];
  childCount: number;
};

/** What waits for an administrator. */
export type AttentionView = {
  uncertain: {
    taskId: string;
    kind: TaskKind;
    modelTitle: string;
    upstreamModel: string;
    channelName: string;
    protocol: string;
    userEmail: string;
    heldCredits: number;
    reason: UncertainReason;
    sentAt: Date | null;
    /** When the policy fails and refunds it. */
    until: Date | null;
    /** Our reference as upstream may have stored it. */
    clientRef: string | null;
    upstreamId: string | null;
    /** Whether we keep asking upstream by our reference. */
    isLookedUp: boolean;
    /** Whether upstream may report by a webhook. */
    mayReport: boolean;
    /** The composite that waits for it; null of what a user submitted. */
    parentId: string | null;
  }[];
  refunds: {
    taskId: string;
    amountCredits: number;
    lastError: string | null;
    createdAt: Date;
    userEmail: string;
  }[];
  hasMore: boolean;
};
