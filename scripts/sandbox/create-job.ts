import { randomBytes } from 'node:crypto';
import { attachForCreate, findBehaviour, forgetRefusals } from './attachments.ts';
import { sendFile } from './contents.ts';
import { readDirectives } from './directives.ts';
import { applyFaults, refuseCreate, sendBody } from './faults.ts';
import type { MediaFile, MediaMaker } from './media/media-cache.ts';
import type { SandboxKind } from './rules.ts';
import { countCreate, type EndpointName, type Job, type SandboxState, waitForRelease } from './state.ts';
import { ApiError, type Body, type Exchange, readBody, sendText, toJson } from './wire.ts';

export type Sandbox = {
  state: SandboxState;
  media: MediaMaker;
  /** Origin under which clients reach this sandbox. */
  origin(): string;
  /** Media being made; a close waits for them to end. */
  working: Set<Promise<void>>;
};

/** A create as an endpoint understood it. */
export type Order = {
  prompt: string;
  model: string;
  request: unknown;
  /** Answered when the work is done, without a job to poll. */
  synchronous: boolean;
};

type Answer =
  | { type: 'json'; value: unknown }
  | { type: 'file'; file: MediaFile }
  /** Success without a byte. */
  | { type: 'empty'; mime: string };

export type CreateEndpoint = {
  name: EndpointName;
  kind: SandboxKind;
  idPrefix: string;
  /** Checks the request; throws an `ApiError` for anything upstream would refuse. */
  read(body: Body): Order;
  /** Makes the media of a job; called once, while the delay runs. */
  make(sandbox: Sandbox, job: Job): Promise<MediaFile[]>;
  /** The ordinary answer to the create. */
  answer(sandbox: Sandbox, job: Job): Promise<Answer>;
};

/** Seconds since the epoch, as OpenAI's objects have it. */
export const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1_000);

/** Refuses models of another kind, as upstream does; names that begin with `sandbox-` fit everywhere. */
export function checkModel(model: string, pattern: RegExp): void {
  if (pattern.test(model) || model.startsWith('sandbox-')) return;
  throw new ApiError(
    404,
    'model_not_found',
    `The model '${model}' does not exist or you do not have access to it.`,
    'model',
  );
}

function chooseId(state: SandboxState, prefix: string, wanted: string | undefined): string {
  if (wanted === undefined) return `${prefix}${randomBytes(16).toString('hex')}`;
  let id = BigInt(wanted);
  while (state.jobs.has(id.toString())) id += 1n;
  return id.toString();
}

/** Whether media can ever be wanted: a rule may be removed later, a directive stays. */
function mayDeliver(job: Job): boolean {
  const barren: readonly string[] = ['fail', 'moderate', 'cancelled'];
  return !job.behaviours.some((item) => item.ruleId === null && barren.includes(item.behaviour.type));
}

/** Starts the work; a poll or the synchronous answer picks the result up. */
async function work(sandbox: Sandbox, job: Job, endpoint: CreateEndpoint): Promise<void> {
  try {
    if (mayDeliver(job)) job.artefacts = await endpoint.make(sandbox, job);
    job.mediaReady = true;
  } catch (error) {
    job.mediaError = error instanceof Error ? error.message : String(error);
  }
}

function recordJob(
  sandbox: Sandbox,
  exchange: Exchange,
  input: { endpoint: CreateEndpoint; order: Order; text: string; behaviours: Job['behaviours'] },
): Job {
  const { state } = sandbox;
  const { endpoint, order, behaviours } = input;
  const numeric = findBehaviour(behaviours, 'numeric_id');
  const delay = findBehaviour(behaviours, 'delay');
  const job: Job = {
    id: chooseId(state, endpoint.idPrefix, numeric?.id),
    numericId: numeric !== undefined,
    kind: endpoint.kind,
    endpoint: endpoint.name,
    clientRef: exchange.clientRef,
    apiKey: exchange.apiKey,
    prompt: order.prompt,
    text: state.config.sharedMedia ? 'shared' : input.text,
    model: order.model,
    request: order.request,
    background: !order.synchronous,
    createdAt: Date.now(),
    durationMs: delay?.ms ?? state.config.delays[endpoint.kind] / state.config.speed,
    behaviours,
    released: false,
    cancelledAt: null,
    polls: 0,
    contentReads: 0,
    artefacts: [],
    mediaReady: false,
    mediaError: null,
    waiters: new Set(),
  };
  state.jobs.set(job.id, job);
  exchange.log.jobId = job.id;
  return job;
}

/**
 * One create, from the counted arrival to the answer. What happens on the way is decided by the rules and the
 * prompt's directives; a job is recorded before any answer, so that it exists whatever becomes of the socket.
 */
export async function handleCreate(
  sandbox: Sandbox,
  exchange: Exchange,
  endpoint: CreateEndpoint,
): Promise<void> {
  const { state } = sandbox;
  const body = await readBody(exchange.req);
  const count = countCreate(state, exchange.clientRef, endpoint.kind);
  const order = endpoint.read(body);
  const directives = readDirectives(order.prompt);
  if (directives.problems[0]) throw new ApiError(400, 'invalid_directive', directives.problems[0], 'prompt');
  const subject = { prompt: order.prompt, clientRef: exchange.clientRef, kind: endpoint.kind };
  const behaviours = attachForCreate(state, subject, directives.behaviours);
  if (refuseCreate(state, exchange, { behaviours, synchronous: order.synchronous })) return;
  forgetRefusals(state, behaviours);

  const job = recordJob(sandbox, exchange, { endpoint, order, text: directives.text, behaviours });
  count.recorded += 1;
  count.jobIds.push(job.id);
  const working = work(sandbox, job, endpoint);
  sandbox.working.add(working);
  void working.then(() => sandbox.working.delete(working));

  const faults = await applyFaults(state, exchange, job, 'create');
  if (faults.type === 'answered') return;
  if (order.synchronous) {
    await waitForRelease(state, job, Math.max(0, job.createdAt + job.durationMs - Date.now()));
    await working;
    if (job.mediaError) throw new ApiError(500, null, job.mediaError);
  }
  const answer = await endpoint.answer(sandbox, job);
  if (answer.type === 'file') {
    await sendFile(exchange, job, answer.file);
    return;
  }
  if (answer.type === 'empty') {
    sendText(exchange, { status: 200, contentType: answer.mime, body: '' });
    return;
  }
  const text = toJson(answer.value, job.numericId ? job.id : undefined);
  sendBody(exchange, { status: 200, body: text }, faults.type === 'truncated' ? faults : undefined);
}
