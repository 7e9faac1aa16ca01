import { setMaxListeners } from 'node:events';
import type { Message } from './deliver.ts';
import type { MediaFile } from './media/media-cache.ts';
import { createPaymentsState, type PaymentsState } from './payments/state.ts';
import type { Behaviour, FormatName, RuleMatch, SandboxKind } from './rules.ts';
import type { LogEntry } from './wire.ts';

export type EndpointName =
  | 'images'
  | 'videos'
  | 'speech'
  | 'responses'
  | 'chat'
  | 'suno'
  | 'midjourney'
  | 'predictions'
  | 'queue'
  | 'renders';

/** A behaviour as one job carries it. */
export type Attached = { behaviour: Behaviour; left: number; ruleId: string | null; refusalKey: string };

/** Upstream's side of one accepted create. */
export type Job = {
  id: string;
  numericId: boolean;
  /** Number of its row: rises with every job of the sandbox. */
  row: number;
  kind: SandboxKind;
  format: FormatName;
  endpoint: EndpointName;
  clientRef: string | null;
  apiKey: string;
  /** As it was sent, directives included. */
  prompt: string;
  /** Without directives: what the media show. */
  text: string;
  model: string;
  /** The validated request. */
  request: unknown;
  background: boolean;
  createdAt: number;
  durationMs: number;
  behaviours: Attached[];
  released: boolean;
  cancelledAt: number | null;
  polls: number;
  contentReads: number;
  /** Addresses given by polls up to this one are out of date; null while none is. */
  staleUpTo: number | null;
  /** Where to tell what becomes of the job, and of which events; null for all of them. */
  webhook: WebhookTarget | null;
  artefacts: MediaFile[];
  mediaReady: boolean;
  mediaError: string | null;
  waiters: Set<() => void>;
};

export type WebhookTarget = { url: string; events: readonly string[] | null };

/** What is told to a job's webhook. */
export type Delivery = Message & {
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  jobId: string;
  clientRef: string | null;
  format: FormatName;
  event: string;
  /** The behaviour that made it odd. */
  fault: string | null;
};

export type Rule = { id: string; match: RuleMatch; behaviours: Behaviour[]; left: number; applied: number };

/** What arrived under one client reference. */
export type CreateCount = {
  clientRef: string | null;
  received: number;
  recorded: number;
  kinds: SandboxKind[];
  jobIds: string[];
  firstAt: number;
  lastAt: number;
};

export type SandboxConfig = {
  /** Divides the default delays. */
  speed: number;
  /** How long the work of each kind takes at speed 1, in milliseconds. */
  delays: Record<SandboxKind, number>;
  /** Accepted keys; a job is visible to the key that created it only. */
  apiKeys: string[];
  /** Completed videos carry a `url` too, as aggregators do. */
  videoUrls: boolean;
  /** Media do not depend on the prompt: one file per size and length, for load tests. */
  sharedMedia: boolean;
};

export type SandboxState = {
  config: SandboxConfig;
  readonly initialConfig: SandboxConfig;
  jobs: Map<string, Job>;
  rules: Rule[];
  creates: Map<string, CreateCount>;
  requests: LogEntry[];
  deliveries: Delivery[];
  refusals: Map<string, number>;
  payments: PaymentsState;
  /** Aborted by reset and close: ends every waiting call. */
  epoch: AbortController;
  nextSeq: number;
  nextRow: number;
};

const REQUEST_LOG_LENGTH = 50_000;
const DELIVERY_LOG_LENGTH = 5_000;

/** Ends calls that wait while the sandbox is reset or closed. */
export class SandboxResetError extends Error {
  constructor() {
    super('The sandbox was reset.');
  }
}

export function createState(initialConfig: SandboxConfig): SandboxState {
  const epoch = new AbortController();
  // Thousands of hanging calls are an ordinary test.
  setMaxListeners(0, epoch.signal);
  return {
    config: structuredClone(initialConfig),
    initialConfig,
    jobs: new Map(),
    rules: [],
    creates: new Map(),
    requests: [],
    deliveries: [],
    refusals: new Map(),
    payments: createPaymentsState(),
    epoch,
    nextSeq: 1,
    nextRow: 1,
  };
}

/** Back to the state after start; waiting calls lose their sockets. */
export function resetState(state: SandboxState): void {
  state.epoch.abort();
  Object.assign(state, { ...createState(state.initialConfig), nextSeq: state.nextSeq });
}

export function logRequest(state: SandboxState, entry: Omit<LogEntry, 'seq' | 'at'>): LogEntry {
  const logged = { ...entry, seq: state.nextSeq, at: Date.now() };
  state.nextSeq += 1;
  state.requests.push(logged);
  if (state.requests.length > REQUEST_LOG_LENGTH) state.requests.splice(0, REQUEST_LOG_LENGTH / 10);
  return logged;
}

export function logDelivery(state: SandboxState, entry: Omit<Delivery, 'seq' | 'at'>): Delivery {
  const logged = { ...entry, seq: state.nextSeq, at: Date.now() };
  state.nextSeq += 1;
  state.deliveries.push(logged);
  if (state.deliveries.length > DELIVERY_LOG_LENGTH) state.deliveries.splice(0, DELIVERY_LOG_LENGTH / 10);
  return logged;
}

/** Counts the arrival of a create, whatever becomes of it. */
export function countCreate(state: SandboxState, clientRef: string | null): CreateCount {
  const key = clientRef ?? '';
  const now = Date.now();
  const count = state.creates.get(key) ?? {
    clientRef,
    received: 0,
    recorded: 0,
    kinds: [],
    jobIds: [],
    firstAt: now,
    lastAt: now,
  };
  count.received += 1;
  count.lastAt = now;
  state.creates.set(key, count);
  return count;
}

/** Waits for a release of the job, at most `ms`. Rejects when the sandbox is reset or closed. */
export function waitForRelease(state: SandboxState, job: Job, ms?: number): Promise<void> {
  if (job.released) return Promise.resolve();
  const epoch = state.epoch.signal;
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      job.waiters.delete(release);
      epoch.removeEventListener('abort', end);
      act();
    };
    const release = () => settle(resolve);
    const end = () => settle(() => reject(new SandboxResetError()));
    const timer = ms === undefined ? undefined : setTimeout(release, ms);
    job.waiters.add(release);
    if (epoch.aborted) end();
    else epoch.addEventListener('abort', end);
  });
}

/** Lets jobs finish now: hanging calls answer, delays end, late successes and stuck jobs succeed. */
export function releaseJobs(state: SandboxState, filter: { clientRef?: string; jobId?: string }): number {
  let count = 0;
  for (const job of state.jobs.values()) {
    if (filter.clientRef !== undefined && job.clientRef !== filter.clientRef) continue;
    if (filter.jobId !== undefined && job.id !== filter.jobId) continue;
    count += 1;
    job.released = true;
    for (const wake of [...job.waiters]) wake();
  }
  return count;
}
