import { sendCancel, sendJsonCreate } from '../calls.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { readResultUrls } from '../job-reading.ts';
import { asArray, asRecord, asText, isHttpUrl, type JsonRecord } from '../json.ts';
import { artefactAt } from '../openai/client.ts';
import { pollJobAt } from '../openai/videos.ts';
import type {
  ArtefactRef,
  CallContext,
  CancelOutcome,
  CreateOutcome,
  CreateRequest,
  LookupOutcome,
  LookupQuery,
  PollOutcome,
  PollRef,
  UpstreamResponse,
} from '../provider.ts';
import { isImage, refuseReferences } from '../request-params.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { besideVersion, imagineBody, imaginePath } from './client.ts';
import { imagineAnswer, imagineTask } from './schemas.ts';

/** Return codes of the submit routes (vendor documentation of the Midjourney proxy). */
const ACCEPTED = new Set(['1', '21', '22', '0', '200', 'success']);
const FULL = new Set(['23', '30']);
const BANNED_PROMPT = '24';
/** No account of the proxy is free to take work; and a request that fails its checks. */
const NO_ACCOUNT = '3';
const INVALID = '4';

/** `POST /mj/submit/imagine`. */
export async function createImagine(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImage);
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, besideVersion(ctx, imaginePath(request)), {
    json: await imagineBody(request, ctx),
  });
  return 'outcome' in sent ? sent.outcome : submitOutcome(sent.body, sent.response);
}

/**
 * The code decides: a full queue (23) names an id too, and holds no job. A failure inside the proxy (9) or a code that
 * nobody documents does not say whether Midjourney was reached.
 */
async function submitOutcome(body: JsonRecord, response: UpstreamResponse): Promise<CreateOutcome> {
  const answer = imagineAnswer.parse(body);
  const code = answer.code === undefined ? '' : String(answer.code).trim().toLowerCase();
  const message = answer.description?.trim() ?? '';
  const id = readUpstreamId(answer.result);
  if (id !== undefined && (code === '' || ACCEPTED.has(code)))
    return { type: 'accepted', upstreamId: id, pollRef: { id, endpoint: 'midjourney' }, raw: body };
  if (FULL.has(code)) {
    const text = message || 'The queue of the upstream is full.';
    return { type: 'rate_limited', retryAfterMs: response.retryAfterMs, message: text };
  }
  if (code === BANNED_PROMPT) {
    const text = message || 'The upstream does not allow a word of this prompt.';
    return { type: 'rejected', code: 'banned_prompt', message: text, moderated: true, raw: body };
  }
  if (code === NO_ACCOUNT) {
    const text = message || 'The upstream has no account that can take this request.';
    return { type: 'rejected', code: 'no_account', scope: 'account', message: text, raw: body };
  }
  const isOther = code === '' || /^4\d\d$/.test(code);
  const negative = code === INVALID ? { code, type: '', message } : isOther ? readNegative(body) : undefined;
  return negative
    ? rejectedBy(negative, response, body)
    : uncertainAnswer(response, id === undefined ? 'no_id' : 'unknown_code');
}

/** `GET /mj/task/{id}/fetch`. An empty status is a task that waits; a picture before the end is a preview. */
export async function pollImagine(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const url = besideVersion(ctx, `/mj/task/${encodeURIComponent(ref.id)}/fetch`);
  const ownUrl = besideVersion(ctx, `/mj/image/${encodeURIComponent(ref.id)}`);
  return pollJobAt(ctx, url, {
    artefactsOf: (body) => imagesOf(body, ownUrl),
    goesOn: (body) => body.status === '',
  });
}

/** Single pictures where the proxy has them, else the grid of four. */
function imagesOf(body: JsonRecord, ownUrl: string): ArtefactRef[] {
  const task = imagineTask.parse(body);
  const single = asArray(task.imageUrls)
    .slice(0, 16)
    .map((item) => asText(item) ?? asText(asRecord(item)?.url));
  const named = (single.some(isHttpUrl) ? single : [task.imageUrl]).filter(isHttpUrl);
  const urls = named.length > 0 ? named : readResultUrls(body);
  return urls.map((found) => artefactAt(found, ownUrl));
}

/** `POST /mj/task/{id}/cancel`, which some proxies have; a gateway without it answers 404 or its own page. */
export function cancelImagine(ref: PollRef, ctx: CallContext): Promise<CancelOutcome> {
  const url = besideVersion(ctx, `/mj/task/${encodeURIComponent(ref.id)}/cancel`);
  return sendCancel(ctx, { method: 'POST', url, json: {} });
}

/**
 * `POST /mj/task/list-by-condition` by our `state`. A task that carries it is ours; none proves nothing, because many
 * gateways list by ids only and answer every other condition with an empty list.
 */
export async function lookupImagine(query: LookupQuery, ctx: CallContext): Promise<LookupOutcome> {
  const answer = await ctx.request({
    method: 'POST',
    url: besideVersion(ctx, '/mj/task/list-by-condition'),
    json: { state: query.clientRef },
  });
  if (answer.type === 'failure' || answer.status < 200 || answer.status > 299) return { type: 'cannot_tell' };
  for (const item of asArray(await answer.json())) {
    const task = imagineTask.safeParse(item).data;
    const id = task?.state === query.clientRef ? readUpstreamId(task.id) : undefined;
    if (id !== undefined) return { type: 'found', upstreamId: id, pollRef: { id, endpoint: 'midjourney' } };
  }
  return { type: 'cannot_tell' };
}
