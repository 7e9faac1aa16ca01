import { type CheckResult, checkBy, getJob, sendCancel, sendCreate, sendJsonCreate } from '../calls.ts';
import type { JsonRecord } from '../json.ts';
import type {
  ArtefactRef,
  CallContext,
  CreateOutcome,
  CreateRequest,
  LookupOutcome,
  LookupQuery,
  PollOutcome,
  PollRef,
  ProviderAdapter,
  WebhookReading,
  WebhookRequest,
} from '../provider.ts';
import { targetUrl } from '../request-parts.ts';
import { readUnsignedWebhook, webhookBody } from '../unsigned-webhook.ts';
import {
  BROKEN_DESCRIPTION,
  createCall,
  credentialHeaders,
  jobCall,
  plainCall,
  pollCall,
  readSettings,
  takesFile,
} from './client.ts';
import { artefactsOf, createOutcomeOf, fileOutcome, pollOutcomeOf, refusalIn, verdictIn } from './mapping.ts';
import { readId, readLookedUp, readStatus } from './read-answer.ts';
import type { CustomSettings } from './schemas.ts';

/** A protocol that an administrator describes in the channel's settings (`customSettings`). Nothing of it is code. */
export const customAdapter: ProviderAdapter = {
  protocol: 'custom',
  endpoints: {
    image: { kind: 'image', cancellable: true, reports: true },
    video: { kind: 'video', cancellable: true, reports: true },
    audio: { kind: 'audio', cancellable: true, reports: true },
    text: { kind: 'text', cancellable: true, reports: true },
  },
  canLookup: true,

  credentials(apiKey, { settings }) {
    const description = readSettings(settings);
    return description ? credentialHeaders(description, apiKey) : {};
  },

  takesFile,

  async create(request, ctx) {
    const settings = readSettings(ctx.settings);
    return settings
      ? create(settings, request, ctx)
      : { type: 'not_sent', phase: 'prepare', message: BROKEN_DESCRIPTION };
  },

  async poll(ref, ctx) {
    const settings = readSettings(ctx.settings);
    return settings
      ? poll(settings, ref, ctx)
      : { type: 'transient', errorClass: 'internal', message: BROKEN_DESCRIPTION };
  },

  async cancel(ref, ctx) {
    const settings = readSettings(ctx.settings);
    if (!settings) return 'unknown';
    const { cancel } = settings;
    if (!cancel) return 'unsupported';
    const call = jobCall(settings, cancel.path, ref.id, ctx);
    return call ? sendCancel(ctx, { ...call, method: cancel.method }) : 'unknown';
  },

  async lookup(query, ctx) {
    const settings = readSettings(ctx.settings);
    return settings ? lookup(settings, query, ctx) : { type: 'cannot_tell' };
  },

  readWebhook: async (request, { settings }) => readDelivery(readSettings(settings), request),

  async check(ctx) {
    const settings = readSettings(ctx.settings);
    return settings ? check(settings, ctx) : { ok: false, message: BROKEN_DESCRIPTION };
  },
};

async function create(
  settings: CustomSettings,
  request: CreateRequest,
  ctx: CallContext,
): Promise<CreateOutcome> {
  const prepared = await createCall(settings, request, ctx);
  if ('outcome' in prepared) return prepared.outcome;
  const { url, ...call } = prepared.call;
  const refusalOf = (body: JsonRecord, response: Parameters<typeof refusalIn>[1]['response']) =>
    refusalIn(settings, { response, body }, ctx.now());
  if (settings.fields.encoding === 'file') {
    const sent = await sendCreate(ctx, url, { ...call, refusalOf });
    return 'outcome' in sent ? sent.outcome : fileOutcome(request, sent.response, ctx);
  }
  const sent = await sendJsonCreate(ctx, url, { ...call, refusalOf });
  return 'outcome' in sent ? sent.outcome : createOutcomeOf(settings, request, sent, ctx);
}

async function poll(settings: CustomSettings, ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const call = pollCall(settings, ref.id, ctx);
  if (!call) {
    const message = 'The description of this channel has no poll for this job. Describe the poll again.';
    return { type: 'transient', errorClass: 'internal', message };
  }
  const { url, ...rest } = call;
  const verdictOf = (body: JsonRecord) => verdictIn(settings, body);
  const polled = await getJob(ctx, url, { ...rest, verdictOf });
  if ('outcome' in polled) return polled.outcome;
  return pollOutcomeOf(settings, polled, ctx, (body) => finish(settings, ref.id, body, ctx));
}

/** What a finished job made: in the poll's own answer, or behind the described second address. */
async function finish(
  settings: CustomSettings,
  id: string,
  body: JsonRecord,
  ctx: CallContext,
): Promise<{ artefacts: ArtefactRef[] } | { outcome: PollOutcome }> {
  const { result } = settings;
  if (!result) return { artefacts: await artefactsOf(settings, body, ctx) };
  const call = jobCall(settings, result.path, id, ctx);
  if (!call) return { artefacts: [] };
  const { url, headers, query, maxBytes } = call;
  if (result.as === 'file') {
    const address = targetUrl(ctx.baseUrl, { method: 'GET', url }).href;
    return { artefacts: [{ type: 'url', url: address, authenticated: true }] };
  }
  const verdictOf = (found: JsonRecord) => verdictIn(settings, found);
  const answer = await getJob(ctx, url, { headers, query, maxBytes, verdictOf });
  if (!('outcome' in answer)) return { artefacts: await artefactsOf(settings, answer.body, ctx) };
  // The job is known and has ended: an address that is not there (yet) is a success without a result.
  return answer.outcome.type === 'missing' ? { artefacts: [] } : answer;
}

/** Certain only by our own reference: see the settings `echo` and `reliable`. */
async function lookup(
  settings: CustomSettings,
  query: LookupQuery,
  ctx: CallContext,
): Promise<LookupOutcome> {
  const call = settings.lookup && plainCall(settings, settings.lookup.path, { ref: query.clientRef }, ctx);
  if (!call) return { type: 'cannot_tell' };
  const answer = await ctx.request({ method: 'GET', ...call });
  if (answer.type === 'failure') return { type: 'cannot_tell' };
  if (answer.status === 404) {
    // The page of a proxy on the way says that the proxy knows no such address, and nothing about the job.
    const isAnswer = answer.contentType !== 'text/html';
    return { type: settings.lookup?.reliable && isAnswer ? 'absent' : 'cannot_tell' };
  }
  if (answer.status < 200 || answer.status > 299) return { type: 'cannot_tell' };
  const id = readLookedUp(settings, await answer.json(), query.clientRef);
  if (id === undefined) return { type: 'cannot_tell' };
  return { type: 'found', upstreamId: id, pollRef: { id, endpoint: query.endpoint } };
}

/** Nobody signs these deliveries. Our own address names the dispatch, also where the body cannot be read. */
function readDelivery(settings: CustomSettings | undefined, request: WebhookRequest): WebhookReading {
  const { ref } = request.query;
  if (ref && !webhookBody(request)) return { type: 'hint', verified: false, clientRef: ref };
  const places = settings?.webhook?.id.length ? settings.webhook.id : (settings?.fields.id ?? []);
  return readUnsignedWebhook(request, (body) => ({
    upstreamId: readId(body, places),
    status: settings && readStatus(settings, body).raw,
  }));
}

async function check(settings: CustomSettings, ctx: CallContext): Promise<CheckResult> {
  const call = plainCall(settings, settings.check?.path ?? '/', {}, ctx);
  if (!call) return { ok: false, message: BROKEN_DESCRIPTION };
  return checkBy(
    ctx,
    { url: call.url, headers: call.headers, query: call.query },
    {
      title: 'the described service',
      proves: () => undefined,
      alsoProves({ status }) {
        if (settings.check) {
          return status >= 200 && status < 300 ? 'It works: the free call was answered.' : undefined;
        }
        return status < 500
          ? 'Something answers at the base URL. The description names no free call, so the key could not be checked.'
          : undefined;
      },
    },
  );
}
