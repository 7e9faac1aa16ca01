import { createOutcomeOfFailure, pollOutcomeOfFailure } from './classify-error.ts';
import {
  namesTask,
  pollOutcomeOfStatus,
  refusedCreate,
  UNDECIDED_STATUSES,
  uncertainAnswer,
} from './error-envelope.ts';
import { asRecord, firstText, type JsonRecord } from './json.ts';
import type {
  CallContext,
  CancelOutcome,
  CreateOutcome,
  PollOutcome,
  UpstreamRequest,
  UpstreamResponse,
} from './provider.ts';

/** Calls as every protocol makes them: one request, its answer classified by HTTP status before a mapping reads it. */

/**
 * Address of an endpoint below a base URL that is accepted with or without its version segment: `version` is added
 * only when no segment of the base's path is one (`/v1`, `/api/v3`, `/v1beta/openai`).
 */
export function versionedUrl(baseUrl: string, path: string, version = 'v1'): string {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, '');
  const hasVersion = base.split('/').some((segment) => /^v\d+([a-z]+\d*)?$/i.test(segment));
  url.pathname = `${base}${hasVersion ? '' : missingPart(base, version)}${path}`;
  url.search = '';
  url.hash = '';
  return url.href;
}

/** A version of several segments (`api/v3`) may be there in part: only the rest is added to `…/api`. */
function missingPart(base: string, version: string): string {
  const segments = version.split('/');
  const there = segments.findLastIndex(
    (_segment, index) => index > 0 && base.endsWith(`/${segments.slice(0, index).join('/')}`),
  );
  return `/${segments.slice(Math.max(there, 0)).join('/')}`;
}

type CreateCall = Pick<UpstreamRequest, 'json' | 'form' | 'headers' | 'query'> & {
  /** POST unless told. Never GET: only other methods are sent on a connection of their own. */
  method?: 'POST' | 'PUT';
  /** Reads a 4xx by the vendor's own table of codes; undefined leaves it to the general rules. */
  refusalOf?(body: JsonRecord, response: UpstreamResponse): CreateOutcome | undefined;
};

/**
 * Sends a create. Our reference goes along in both headers that are read in the wild; neither makes a repeat safe, so
 * nothing relies on them. Gives the answer only when it is 2xx.
 */
export async function sendCreate(
  ctx: CallContext,
  url: string,
  { refusalOf, ...call }: CreateCall,
): Promise<{ response: UpstreamResponse } | { outcome: CreateOutcome }> {
  const answer = await ctx.request({
    method: 'POST',
    url,
    ...call,
    headers: { 'idempotency-key': ctx.clientRef, 'x-client-request-id': ctx.clientRef, ...call.headers },
  });
  if (answer.type === 'failure') return { outcome: createOutcomeOfFailure(answer) };
  if (answer.status >= 200 && answer.status < 300) return { response: answer };
  const isRefusal = answer.status >= 400 && answer.status < 500 && !UNDECIDED_STATUSES.has(answer.status);
  const body = isRefusal ? asRecord(await answer.json()) : undefined;
  if (body && namesTask(body)) return { outcome: await uncertainAnswer(answer, 'refused_with_id') };
  return { outcome: (body && refusalOf?.(body, answer)) ?? (await refusedCreate(answer)) };
}

/** A create whose answer must be a JSON object. */
export async function sendJsonCreate(
  ctx: CallContext,
  url: string,
  call: CreateCall,
): Promise<{ response: UpstreamResponse; body: JsonRecord } | { outcome: CreateOutcome }> {
  const sent = await sendCreate(ctx, url, call);
  if ('outcome' in sent) return sent;
  const record = asRecord(await sent.response.json());
  if (!record) return { outcome: await uncertainAnswer(sent.response, 'bad_body') };
  return { response: sent.response, body: record };
}

type JobCall = Pick<UpstreamRequest, 'json' | 'headers' | 'query' | 'maxBytes'> & {
  /** GET unless told. */
  method?: 'GET' | 'POST';
  /** Reads an explicit verdict of the job in an answer other than 2xx (400 and 422 only). */
  verdictOf?(body: JsonRecord): PollOutcome | undefined;
};

/**
 * Reads a job once. An answer other than 2xx is a verdict only when its body names the job's failure (`verdictOf`);
 * otherwise it is classified by status. Bodies that are not JSON objects prove nothing.
 */
export async function getJob(
  ctx: CallContext,
  url: string,
  { verdictOf, ...call }: JobCall = {},
): Promise<{ response: UpstreamResponse; body: JsonRecord } | { outcome: PollOutcome }> {
  const answer = await ctx.request({ method: 'GET', url, ...call });
  if (answer.type === 'failure') return { outcome: pollOutcomeOfFailure(answer) };
  const body = asRecord(await answer.json());
  const byStatus = await pollOutcomeOfStatus(answer);
  if (byStatus) {
    const mayJudge = body !== undefined && (answer.status === 400 || answer.status === 422);
    return { outcome: (mayJudge ? verdictOf?.(body) : undefined) ?? byStatus };
  }
  if (!body) {
    const message = `The upstream answered HTTP ${answer.status} with something that is not a JSON object.`;
    return {
      outcome: { type: 'transient', errorClass: 'bad_body', message, retryAfterMs: answer.retryAfterMs },
    };
  }
  return { response: answer, body };
}

/**
 * Sends a cancel and reads the answer by its status: 2xx `requested`, 404/405/501 `unsupported` or `unknown`, 400/409
 * `already_terminal` when the text says so. The next poll tells how the job ended, whatever this says.
 */
export async function sendCancel(
  ctx: CallContext,
  request: Pick<UpstreamRequest, 'method' | 'url' | 'json' | 'headers' | 'query' | 'maxBytes'>,
  terminal?: (body: JsonRecord) => boolean,
): Promise<CancelOutcome> {
  const answer = await ctx.request(request);
  if (answer.type === 'failure') return 'unknown';
  const body = asRecord(await answer.json());
  if (answer.status >= 200 && answer.status < 300) {
    // A gateway without this route answers with its own web page.
    if (answer.contentType === 'text/html') return 'unsupported';
    return body && terminal?.(body) ? 'already_terminal' : 'requested';
  }
  if (answer.status === 405 || answer.status === 501) return 'unsupported';
  const said = `${firstText(body, ['error.code', 'code', 'status']) ?? ''} ${firstText(body, ['error.message', 'message', 'detail', 'description']) ?? ''}`;
  const isFinished =
    /already|completed|finished|terminal|not[_ ](be[_ ])?cancell?able|cannot (be )?cancel/i.test(said);
  return (answer.status === 400 || answer.status === 409) && isFinished ? 'already_terminal' : 'unknown';
}

export type CheckResult = { ok: boolean; message: string };

/**
 * A free call that proves address and key together. `proves` reads a 2xx body and gives the sentence to show, or
 * undefined when the answer is not of this protocol.
 */
export async function checkBy(
  ctx: CallContext,
  request: Pick<UpstreamRequest, 'url' | 'headers' | 'query'>,
  options: {
    /** The protocol as people call it, for messages. */
    title: string;
    proves(body: JsonRecord): string | undefined;
    /** Whether a 2xx body refuses the key, for vendors that say so there. */
    refuses?: (body: JsonRecord) => boolean;
    /** Statuses other than 2xx that prove the key too, such as 404 for a job that nobody has. */
    alsoProves?: (response: UpstreamResponse, body: JsonRecord | undefined) => string | undefined;
  },
): Promise<CheckResult> {
  const answer = await ctx.request({ method: 'GET', maxBytes: 16_000_000, ...request });
  if (answer.type === 'failure') return { ok: false, message: unreachable(answer.phase, answer.message) };
  const { status } = answer;
  const body = asRecord(await answer.json());
  const also = options.alsoProves?.(answer, body);
  if (also !== undefined) return { ok: true, message: also };
  if (status === 401 || status === 403 || (body && options.refuses?.(body)))
    return { ok: false, message: `The upstream refuses this key (HTTP ${status}). Replace the key.` };
  if (status === 429)
    return { ok: true, message: 'The upstream answers, and limits the rate just now (HTTP 429).' };
  if (status >= 500)
    return { ok: false, message: `The upstream has a fault of its own (HTTP ${status}). Try again later.` };
  const sentence = status >= 200 && status < 300 && body ? options.proves(body) : undefined;
  if (sentence !== undefined) return { ok: true, message: sentence };
  return {
    ok: false,
    message: `This does not answer like ${options.title} (HTTP ${status}). Check the base URL.`,
  };
}

function unreachable(phase: string, message: string): string {
  switch (phase) {
    case 'dns':
      return 'The host name of the base URL does not exist. Check its spelling.';
    case 'connect':
      return 'Nothing answers at the base URL. Check host and port.';
    case 'tls':
      return `The encrypted connection failed. Check the certificate, or whether the address needs http:// (${message}).`;
    case 'guard':
      return message;
    default:
      return `The upstream gave no usable answer: ${message}`;
  }
}
