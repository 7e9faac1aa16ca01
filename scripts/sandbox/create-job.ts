import { attachForCreate, findBehaviour, forgetRefusals } from './attachments.ts';
import { sendFile } from './contents.ts';
import { readDirectives } from './directives.ts';
import type { CreateEndpoint, Order, Sandbox } from './endpoint.ts';
import { applyFaults, refuseCreate, sendBody } from './faults.ts';
import { countCreate, type Job, type SandboxState, waitForRelease } from './state.ts';
import { followJob } from './webhooks.ts';
import { ApiError, type Exchange, readBody, sendText, toJson } from './wire.ts';

function chooseId(state: SandboxState, endpoint: CreateEndpoint, wanted: string | undefined): string {
  if (wanted === undefined) return endpoint.newId();
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
  const early = findBehaviour(behaviours, 'webhook_early');
  const delay = findBehaviour(behaviours, 'delay');
  const usual = state.config.delays[order.kind] / state.config.speed;
  const job: Job = {
    id: chooseId(state, endpoint, numeric?.id),
    numericId: numeric !== undefined,
    row: state.nextRow,
    kind: order.kind,
    format: exchange.format,
    endpoint: endpoint.name,
    clientRef: exchange.clientRef,
    apiKey: exchange.apiKey,
    prompt: order.prompt,
    text: state.config.sharedMedia ? 'shared' : input.text,
    model: order.model,
    request: order.request,
    background: !order.synchronous,
    createdAt: Date.now(),
    durationMs: early ? 0 : (delay?.ms ?? usual),
    behaviours,
    released: false,
    cancelledAt: null,
    polls: 0,
    contentReads: 0,
    staleUpTo: null,
    webhook: order.webhook ?? null,
    artefacts: [],
    mediaReady: false,
    mediaError: null,
    waiters: new Set(),
  };
  state.nextRow += 1;
  state.jobs.set(job.id, job);
  exchange.log.jobId = job.id;
  return job;
}

function keepWorking(sandbox: Sandbox, task: Promise<void>): Promise<void> {
  sandbox.working.add(task);
  void task.finally(() => sandbox.working.delete(task));
  return task;
}

/** The job without its id: every text that holds it becomes null. */
function withoutId(value: unknown, id: string): unknown {
  if (typeof value === 'string') return value.includes(id) ? null : value;
  if (Array.isArray(value)) return value.map((item) => withoutId(item, id));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutId(item, id)]));
}

async function answerCreate(
  sandbox: Sandbox,
  exchange: Exchange,
  endpoint: CreateEndpoint,
  input: { job: Job; working: Promise<void> },
): Promise<void> {
  const { job, working } = input;
  const faults = await applyFaults(sandbox.state, exchange, job, 'create');
  if (faults.type === 'answered') return;
  // From its first poll on it may say that it is done, so its bytes are made before anybody can ask.
  if (findBehaviour(job.behaviours, 'contradict')) await working;
  if (!job.background) {
    await waitForRelease(sandbox.state, job, Math.max(0, job.createdAt + job.durationMs - Date.now()));
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
  const nameless = findBehaviour(job.behaviours, 'no_id');
  if (nameless) exchange.log.fault = nameless.type;
  const value = nameless ? withoutId(answer.value, job.id) : answer.value;
  const body = toJson(value, job.numericId ? job.id : undefined);
  const truncation = faults.type === 'truncated' ? faults : undefined;
  sendBody(exchange, { status: answer.status ?? 200, body }, truncation);
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
  const count = countCreate(state, exchange.clientRef);
  const order = endpoint.read(body, exchange);
  if (!count.kinds.includes(order.kind)) count.kinds.push(order.kind);
  const directives = readDirectives(order.prompt);
  if (directives.problems[0]) throw new ApiError(400, 'invalid_directive', directives.problems[0], 'prompt');
  const { clientRef, format } = exchange;
  const subject = { prompt: order.prompt, clientRef, kind: order.kind, format };
  const behaviours = attachForCreate(state, subject, directives.behaviours);
  if (refuseCreate(state, exchange, { behaviours, synchronous: order.synchronous })) return;
  forgetRefusals(state, behaviours);

  const job = recordJob(sandbox, exchange, { endpoint, order, text: directives.text, behaviours });
  count.recorded += 1;
  count.jobIds.push(job.id);
  const working = keepWorking(sandbox, work(sandbox, job, endpoint));
  if (endpoint.webhooks) {
    const told = keepWorking(sandbox, followJob(sandbox, job, endpoint.webhooks));
    // Otherwise the answer is on its way before a connection to the webhook is open.
    if (findBehaviour(behaviours, 'webhook_early')) await told;
  }
  return answerCreate(sandbox, exchange, endpoint, { job, working });
}
