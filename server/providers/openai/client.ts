import { createOutcomeOfFailure, pollOutcomeOfFailure } from '../classify-error.ts';
import type {
  CallContext,
  CreateOutcome,
  PollOutcome,
  UpstreamRequest,
  UpstreamResponse,
} from '../provider.ts';
import { pollOutcomeOfStatus, refusedCreate, uncertainAnswer } from './errors.ts';
import { asRecord, type JsonRecord } from './json.ts';

/**
 * Address of an endpoint. A base URL is accepted with or without its version segment: `/v1` is added only when no
 * segment of the path is a version (`/v1`, `/api/v3`, `/v1beta/openai`).
 */
export function apiUrl(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, '');
  const hasVersion = base.split('/').some((segment) => /^v\d+([a-z]+\d*)?$/i.test(segment));
  url.pathname = `${base}${hasVersion ? '' : '/v1'}${path}`;
  url.search = '';
  url.hash = '';
  return url.href;
}

type CreateBody = Pick<UpstreamRequest, 'json' | 'form'>;

/**
 * Sends a create. The reference goes along in both headers that OpenAI and its imitators read; neither makes a repeat
 * safe, so nothing relies on them. Gives the answer only when it is 2xx.
 */
export async function postCreate(
  ctx: CallContext,
  path: string,
  body: CreateBody,
): Promise<{ response: UpstreamResponse } | { outcome: CreateOutcome }> {
  const answer = await ctx.request({
    method: 'POST',
    url: apiUrl(ctx.baseUrl, path),
    headers: { 'idempotency-key': ctx.clientRef, 'x-client-request-id': ctx.clientRef },
    ...body,
  });
  if (answer.type === 'failure') return { outcome: createOutcomeOfFailure(answer) };
  if (answer.status < 200 || answer.status > 299) return { outcome: await refusedCreate(answer) };
  return { response: answer };
}

/** A create whose answer must be a JSON object. */
export async function postJsonCreate(
  ctx: CallContext,
  path: string,
  body: CreateBody,
): Promise<{ response: UpstreamResponse; body: JsonRecord } | { outcome: CreateOutcome }> {
  const sent = await postCreate(ctx, path, body);
  if ('outcome' in sent) return sent;
  const record = asRecord(await sent.response.json());
  if (!record) return { outcome: await uncertainAnswer(sent.response, 'bad_body') };
  return { response: sent.response, body: record };
}

/**
 * Reads a job once. An answer other than 2xx is still a verdict when its body names the job's failure (`verdictOf`);
 * otherwise it is classified by status. Bodies that are not JSON objects prove nothing.
 */
export async function getJob(
  ctx: CallContext,
  path: string,
  options: { verdictOf(body: JsonRecord): PollOutcome | undefined; maxBytes?: number },
): Promise<{ response: UpstreamResponse; body: JsonRecord } | { outcome: PollOutcome }> {
  const answer = await ctx.request({
    method: 'GET',
    url: apiUrl(ctx.baseUrl, path),
    maxBytes: options.maxBytes,
  });
  if (answer.type === 'failure') return { outcome: pollOutcomeOfFailure(answer) };
  const body = asRecord(await answer.json());
  const byStatus = await pollOutcomeOfStatus(answer);
  if (byStatus) {
    const mayJudge = body !== undefined && (answer.status === 400 || answer.status === 422);
    return { outcome: (mayJudge ? options.verdictOf(body) : undefined) ?? byStatus };
  }
  if (!body) {
    const message = `The upstream answered HTTP ${answer.status} with something that is not a JSON object.`;
    return {
      outcome: { type: 'transient', errorClass: 'bad_body', message, retryAfterMs: answer.retryAfterMs },
    };
  }
  return { response: answer, body };
}

/** The wait that upstream asks for before the next poll, in milliseconds. */
export function pollDelayOf(response: UpstreamResponse): number | undefined {
  const own = response.header('openai-poll-after-ms');
  if (own !== undefined && /^\d{1,8}$/.test(own)) return Number(own);
  return response.retryAfterMs;
}
