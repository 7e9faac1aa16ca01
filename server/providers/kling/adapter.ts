import { checkBy, getJob, sendJsonCreate } from '../calls.ts';
import { asRecord, asText, valueAt } from '../json.ts';
import type {
  CallContext,
  CreateOutcome,
  CreateRequest,
  LookupOutcome,
  LookupQuery,
  PollOutcome,
  PollRef,
  ProviderAdapter,
} from '../provider.ts';
import { isImage } from '../request-params.ts';
import { readStatusWord } from '../status-words.ts';
import { readUnsignedWebhook } from '../unsigned-webhook.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { authorization, createBody, jobUrl, refuseFiles, routesOf, routeUrl } from './client.ts';
import { readCode, readCreate, readJob, refusalOf } from './mapping.ts';

const ENDPOINTS = {
  video: { kind: 'video', cancellable: false, reports: true },
  image: { kind: 'image', cancellable: false, reports: true },
} as const;

/**
 * Kling's own API (vendor documentation). Our reference goes along as `external_task_id`, unique per account, by which
 * a job can be read as by its own id: a create without an answer is always cleared up.
 */
export const klingAdapter: ProviderAdapter = {
  protocol: 'kling',
  endpoints: ENDPOINTS,
  canLookup: true,
  // Results are deleted after 30 days.
  resultWindowSeconds: 30 * 86_400,

  credentials: (apiKey, { now }) => authorization(apiKey, now),
  create,
  takesFile: ({ endpoint, ...file }) => isImage(file) && (endpoint !== 'image' || file.role !== 'last_frame'),
  poll,
  lookup,

  async readWebhook(request) {
    return readUnsignedWebhook(request, (body) => {
      // Some regions send the job alone, others in its envelope.
      const data = asRecord(body.data) ?? body;
      return {
        upstreamId: data.task_id,
        clientRef: valueAt(data, 'task_info.external_task_id') ?? data.external_task_id,
        status: data.task_status,
      };
    });
  },

  check: (ctx) =>
    checkBy(
      ctx,
      { url: routeUrl(ctx.baseUrl, 'videos/text2video'), query: { pageNum: '1', pageSize: '1' } },
      {
        title: 'Kling',
        proves: (body) =>
          asText(body.code) === '0' && Array.isArray(body.data)
            ? 'It works: access key and secret key are accepted.'
            : undefined,
        refuses: (body) => readCode(body)?.meaning === 'unauthorized',
      },
    ),
};

async function create(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseFiles(request);
  if (refusal) return refusal;
  const { route, json } = await createBody(request, ctx);
  const sent = await sendJsonCreate(ctx, routeUrl(ctx.baseUrl, route), { json, refusalOf });
  if ('outcome' in sent) return sent.outcome;
  return readCreate(sent.body, sent.response, (id) => ({
    id,
    endpoint: request.endpoint,
    pollUrl: jobUrl(ctx.baseUrl, route, id),
  }));
}

/** A reference that an administrator typed names no path, so every path of the endpoint is tried. */
async function poll(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const urls = ref.pollUrl
    ? [ref.pollUrl]
    : routesOf(ref.endpoint).map((route) => jobUrl(ctx.baseUrl, route, ref.id));
  let outcome: PollOutcome = {
    type: 'transient',
    errorClass: 'internal',
    message: `The endpoint "${ref.endpoint}" has no jobs to poll.`,
  };
  for (const url of urls) {
    const polled = await getJob(ctx, url);
    outcome = 'outcome' in polled ? polled.outcome : readJob(polled.body, polled.response);
    if (outcome.type !== 'missing') return outcome;
  }
  return outcome;
}

/**
 * Asks every path of the endpoint for our reference. Only the vendor's own "no such resource" (1203) from all of them
 * proves that there is no job: a gateway's plain 404 may only mean that it does not know this kind of question.
 */
async function lookup(query: LookupQuery, ctx: CallContext): Promise<LookupOutcome> {
  const routes = routesOf(query.endpoint);
  let denials = 0;
  for (const route of routes) {
    const answer = await ctx.request({ method: 'GET', url: jobUrl(ctx.baseUrl, route, query.clientRef) });
    if (answer.type === 'failure') return { type: 'cannot_tell' };
    const body = asRecord(await answer.json()) ?? {};
    const data = asRecord(body.data) ?? {};
    const id = readUpstreamId(data.task_id);
    const named = asText(valueAt(data, 'task_info.external_task_id'));
    const isJob = id !== undefined && readStatusWord(data.task_status).meaning !== undefined;
    if (answer.status === 200 && isJob && (named === undefined || named === query.clientRef)) {
      const pollUrl = jobUrl(ctx.baseUrl, route, id);
      return { type: 'found', upstreamId: id, pollRef: { id, endpoint: query.endpoint, pollUrl } };
    }
    const isDenial = id === undefined && answer.status < 500 && readCode(body)?.meaning === 'missing';
    if (isDenial) denials += 1;
  }
  return routes.length > 0 && denials === routes.length ? { type: 'absent' } : { type: 'cannot_tell' };
}
