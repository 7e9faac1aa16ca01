import { randomUUID } from 'node:crypto';
import { answerCancel, answerPoll, answerResult } from '../answer-job.ts';
import type { CreateEndpoint, Sandbox } from '../endpoint.ts';
import { cancelJob, isFinal, type StatusWords, shownByPoll, spell, truthOf } from '../job-view.ts';
import { kindOfModel, makeMedia, orderMedia } from '../media-order.ts';
import { resultView } from '../results.ts';
import type { Job, WebhookTarget } from '../state.ts';
import { ApiError, type Exchange, sendJson, validate } from '../wire.ts';
import { errorOf, failureOf, payloadOf, succeeded, webhooks } from './fal/answers.ts';
import { type FalRequest, input, orderedBy, requestOf, sizeOf } from './fal/input.ts';
import { keyAfter, type WireFormat } from './format.ts';

/** fal's queue below `/fal`, by its vendor documentation: status and result apart, signed webhooks. */

const WORDS: StatusWords = {
  queued: 'IN_QUEUE',
  in_progress: 'IN_PROGRESS',
  completed: 'COMPLETED',
  // A failure shows on the result only.
  failed: 'COMPLETED',
  cancelled: 'COMPLETED',
  incomplete: 'COMPLETED',
};

function addresses(sandbox: Sandbox, job: Job): Record<string, string> {
  const url = `${sandbox.origin()}/fal/${requestOf(job).app}/requests/${job.id}`;
  return { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
}

function readWebhook({ url }: Exchange): WebhookTarget | null {
  const target = url.searchParams.get('fal_webhook');
  if (target === null) return null;
  if (URL.canParse(target) && /^https?:$/.test(new URL(target).protocol))
    return { url: target, events: null };
  throw new ApiError(400, 'url_parsing', 'The webhook must be an http or https URL.', 'fal_webhook');
}

const queueEndpoint: CreateEndpoint = {
  name: 'queue',
  newId: randomUUID,

  read({ fields }, exchange) {
    const { owner, app, sub } = exchange.params;
    const request = validate(input, fields);
    const model = [owner, app, sub].filter(Boolean).join('/');
    const kind = kindOfModel(model);
    const order = orderMedia(kind, {
      ...sizeOf(kind, request),
      count: request.num_images,
      seconds: request.duration,
      imageFormat: request.output_format,
    });
    const kept: FalRequest = { app: `${owner}/${app}`, order };
    const prompt = request.prompt ?? request.text ?? '';
    return { kind, prompt, model, request: kept, synchronous: false, webhook: readWebhook(exchange) };
  },

  make: (sandbox, job) => makeMedia(sandbox, job, requestOf(job).order),

  answer: async (sandbox, job) => ({
    type: 'json',
    value: {
      status: WORDS.queued,
      request_id: job.id,
      gateway_request_id: job.id,
      ...addresses(sandbox, job),
      logs: null,
      metrics: {},
      queue_position: 0,
    },
  }),

  webhooks,
};

/** A request is found below its own app only. */
function checkApp({ params }: Exchange, job: Job): void {
  if (requestOf(job).app !== `${params.owner}/${params.app}`)
    throw new ApiError(404, null, `Request ${job.id} not found`);
}

function statusOf(sandbox: Sandbox, job: Job): { status: number; value: unknown } {
  const { status, truth } = shownByPoll(job, truthOf(job, Date.now()));
  const word = spell(WORDS, status);
  const queued = word === WORDS.queued;
  const over = word === WORDS.completed;
  return {
    status: over ? 200 : 202,
    value: {
      status: word,
      request_id: job.id,
      ...addresses(sandbox, job),
      ...(queued ? { queue_position: 0 } : { logs: [{ message: `${truth.progress}%`, level: 'INFO' }] }),
      ...(over ? { metrics: { inference_time: job.durationMs / 1_000 } } : {}),
    },
  };
}

async function readStatus(sandbox: Sandbox, exchange: Exchange, job: Job): Promise<void> {
  checkApp(exchange, job);
  await answerPoll(sandbox, exchange, job, () => statusOf(sandbox, job));
}

async function readResult(sandbox: Sandbox, exchange: Exchange, job: Job): Promise<void> {
  checkApp(exchange, job);
  await answerResult(sandbox, exchange, job, () => {
    const view = resultView(sandbox, job, orderedBy(job));
    if (!isFinal(view.truth)) throw new ApiError(400, null, 'Request is still in progress');
    if (!succeeded(view.truth)) throw failureOf(view.truth);
    return { value: payloadOf(view) };
  });
}

async function cancel(sandbox: Sandbox, exchange: Exchange, job: Job): Promise<void> {
  checkApp(exchange, job);
  await answerCancel(sandbox, exchange, job, () =>
    cancelJob(job) === 'already-over'
      ? { status: 400, value: { status: 'ALREADY_COMPLETED' } }
      : { status: 202, value: { status: 'CANCELLATION_REQUESTED' } },
  );
}

const JOBS = ['queue'] as const;
const REQUEST = '/fal/:owner/:app/requests/:id';

export const fal: WireFormat = {
  name: 'fal',
  prefix: '/fal',
  routes: [
    { method: 'POST', path: '/fal/:owner/:app', call: 'create', create: queueEndpoint },
    { method: 'POST', path: '/fal/:owner/:app/*sub', call: 'create', create: queueEndpoint },
    { method: 'GET', path: `${REQUEST}/status`, call: 'poll', jobs: JOBS, handle: readStatus },
    { method: 'GET', path: REQUEST, call: 'result', jobs: JOBS, handle: readResult },
    { method: 'PUT', path: `${REQUEST}/cancel`, call: 'cancel', jobs: JOBS, handle: cancel },
    {
      method: 'GET',
      path: '/fal/.well-known/jwks.json',
      call: 'check',
      open: true,
      run: ({ keys }, exchange) => sendJson(exchange, 200, { keys: [keys.genuine.publicJwk] }),
    },
  ],
  // A key is `id:secret`; the secret is what the account is known by.
  readKey: (exchange) => keyAfter('Key', exchange)?.replace(/^[^:]*:?/, ''),
  unauthenticated: (sent) =>
    new ApiError(
      401,
      null,
      sent ? 'Cannot access application: the key is not valid.' : 'Authentication is required.',
    ),
  missing: (id) => new ApiError(404, null, `Request ${id} not found`),
  errors: errorOf,
  requestIdHeader: 'x-fal-request-id',
};
