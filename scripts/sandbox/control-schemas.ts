import { z } from 'zod';
import type { PaymentDelivery, PaymentsView } from './payments/state.ts';
import type { FormatName } from './rules.ts';
import { KINDS, type RuleInput, ruleInput } from './rules.ts';
import type { CreateCount, Delivery, EndpointName, SandboxConfig } from './state.ts';
import type { CallName, LogEntry } from './wire.ts';

/** The control API of the sandbox: inputs, outputs and the functions that both clients offer. */

export const rulesBody = z.union([ruleInput, z.array(ruleInput).min(1)]);

export const releaseBody = z.strictObject({
  clientRef: z.string().min(1).optional(),
  jobId: z.string().min(1).optional(),
});

export const configBody = z.strictObject({
  speed: z.number().positive().max(1_000_000).optional(),
  delays: z.partialRecord(z.enum(KINDS), z.number().int().min(0).max(86_400_000)).optional(),
  apiKeys: z.array(z.string().min(1)).min(1).optional(),
  videoUrls: z.boolean().optional(),
  sharedMedia: z.boolean().optional(),
});
export const lostAnswersBody = z.strictObject({ count: z.number().int().min(0).max(1_000) });

export type ConfigInput = z.output<typeof configBody>;

const CALLS = [
  'create',
  'poll',
  'result',
  'content',
  'file',
  'list',
  'cancel',
  'delete',
  'models',
  'check',
  'other',
] as const satisfies readonly CallName[];

export const requestFilter = z.strictObject({
  clientRef: z.string().optional(),
  jobId: z.string().optional(),
  call: z.enum(CALLS).optional(),
});
export type RequestFilter = z.output<typeof requestFilter>;

export const deliveryFilter = z.strictObject({
  clientRef: z.string().optional(),
  jobId: z.string().optional(),
  event: z.string().optional(),
});
export type DeliveryFilter = z.output<typeof deliveryFilter>;

/** A job as the control API shows it. */
export type JobView = {
  id: string;
  kind: (typeof KINDS)[number];
  format: FormatName;
  endpoint: EndpointName;
  clientRef: string | null;
  prompt: string;
  model: string;
  /** What is true upstream, whatever polls are told. */
  status: string;
  progress: number;
  polls: number;
  contentReads: number;
  createdAt: number;
  released: boolean;
  behaviours: string[];
};

export type RuleView = {
  id: string;
  match: RuleInput['match'];
  behaviours: string[];
  applied: number;
  left: number | null;
};

export type CreatesView = {
  total: { received: number; recorded: number };
  /** The largest number of creates received under one client reference. */
  maxPerReference: number;
  creates: CreateCount[];
};

export type WaitOptions = { atLeast?: number; timeoutMs?: number };

/** What tests, demo and drills do with a sandbox, in the same process or over HTTP. */
export type SandboxControl = {
  /** Adds rules; returns their ids in order. */
  addRules(...rules: RuleInput[]): Promise<string[]>;
  rules(): Promise<RuleView[]>;
  /** Removes one rule or all, also from the jobs that carry them. */
  removeRules(ruleId?: string): Promise<number>;
  /** Lets jobs finish now; all of them without a filter. Returns how many it told. */
  release(filter?: z.output<typeof releaseBody>): Promise<number>;
  creates(): Promise<CreatesView>;
  /** Creates received and jobs recorded under one reference; zeros when there were none. */
  createsOf(clientRef: string): Promise<CreateCount>;
  requests(filter?: RequestFilter): Promise<LogEntry[]>;
  /** Messages to webhooks, oldest first. */
  deliveries(filter?: DeliveryFilter): Promise<Delivery[]>;
  jobs(filter?: { clientRef?: string }): Promise<JobView[]>;
  /** Payments and refunds as the played vendor has them: of one order, or all. */
  payments(filter?: { orderId?: string }): Promise<PaymentsView>;
  /** The next answers to refunds get lost on their way; the refunds are made. */
  loseRefundAnswers(count: number): Promise<void>;
  configure(config: ConfigInput): Promise<SandboxConfig>;
  /** Forgets everything; calls that wait lose their sockets. */
  reset(): Promise<void>;
  /** Waits until `atLeast` (1) calls that fit have arrived. Rejects after `timeoutMs` (30 000). */
  waitForRequests(filter: RequestFilter, options?: WaitOptions): Promise<LogEntry[]>;
  /** Waits until `atLeast` (1) messages that fit have had their last try. Rejects after `timeoutMs` (30 000). */
  waitForDeliveries(filter: DeliveryFilter, options?: WaitOptions): Promise<Delivery[]>;
  /** The same for what a shop is told of an order's payments. */
  waitForReports(filter: { orderId: string }, options?: WaitOptions): Promise<PaymentDelivery[]>;
};
