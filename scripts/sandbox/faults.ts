import { takeRefusal } from './attachments.ts';
import { MODERATION_ERROR } from './job-view.ts';
import type { Behaviour } from './rules.ts';
import { type Attached, type Job, type SandboxState, waitForRelease } from './state.ts';
import {
  ApiError,
  dropConnection,
  type Exchange,
  resetConnection,
  sendError,
  sendHtml,
  sendText,
} from './wire.ts';

/** Behaviours that decide an answer before, or in place of, the ordinary one. */

export type Phase = 'create' | 'poll' | 'result' | 'cancel' | 'content';

const POLL_FAULTS = new Set<Behaviour['type']>(['not_found', 'unauthorized', 'empty_poll']);
const CREATE_FAULTS = new Set<Behaviour['type']>(['drop_after_accept', 'error_after_accept', 'empty_create']);
/** Those that leave no job when they hit a create are in `refuseCreate`. */
const REFUSALS = new Set<Behaviour['type']>(['rate_limit', 'redirect']);

function appliesTo(behaviour: Behaviour, phase: Phase): boolean {
  if (POLL_FAULTS.has(behaviour.type)) return phase === 'poll';
  if (CREATE_FAULTS.has(behaviour.type)) return phase === 'create';
  if (behaviour.type === 'expired' || behaviour.type === 'no_artifact') return false;
  if (!('on' in behaviour) || behaviour.on !== phase) return false;
  if (phase === 'create' && REFUSALS.has(behaviour.type)) return false;
  if (behaviour.type === 'raw' && phase === 'create') return behaviour.accept;
  return behaviour.type !== 'redirect';
}

function retryAfterHeaders(behaviour: Extract<Behaviour, { type: 'rate_limit' }>): Record<string, string> {
  if (behaviour.as === 'none') return {};
  if (behaviour.as === 'seconds') return { 'retry-after': String(behaviour.retryAfterSeconds) };
  return { 'retry-after': new Date(Date.now() + behaviour.retryAfterSeconds * 1_000).toUTCString() };
}

/** Gives the answer of one behaviour. Returns false for those that only change the ordinary answer. */
function answerWith(exchange: Exchange, behaviour: Behaviour): boolean {
  switch (behaviour.type) {
    case 'rate_limit':
      sendError(
        exchange,
        new ApiError(
          429,
          behaviour.code,
          `Rate limit reached. Please try again in ${behaviour.retryAfterSeconds}s.`,
        ),
        retryAfterHeaders(behaviour),
      );
      return true;
    case 'reject':
      sendError(exchange, new ApiError(behaviour.status, behaviour.code, behaviour.message));
      return true;
    case 'drop_before_accept':
    case 'drop_after_accept':
      dropConnection(exchange);
      return true;
    case 'error_after_accept':
      sendHtml(exchange, behaviour.status);
      return true;
    case 'html':
      sendHtml(exchange, behaviour.status);
      return true;
    case 'server_error':
      sendError(exchange, new ApiError(behaviour.status, null, 'The server had an error. Sorry about that!'));
      return true;
    case 'not_found':
      sendError(exchange, new ApiError(404, 'not_found', 'No such job.'));
      return true;
    case 'unauthorized':
      sendError(exchange, new ApiError(401, 'invalid_api_key', 'Incorrect API key provided.'));
      return true;
    case 'reset':
      resetConnection(exchange);
      return true;
    case 'empty_create':
    case 'empty_poll':
      sendText(exchange, { status: 200, contentType: 'application/json', body: '' });
      return true;
    case 'raw':
      sendText(exchange, behaviour);
      return true;
    case 'redirect':
      sendText(exchange, {
        status: 307,
        contentType: 'text/plain',
        body: '',
        headers: { location: behaviour.to ?? exchange.url.pathname },
      });
      return true;
    default:
      return false;
  }
}

/**
 * Runs the faults of one call in their order: waits where they wait, answers where they answer.
 *
 * @returns `answered`, or `truncated` when the ordinary body is to be cut, or `none`
 */
export async function applyFaults(
  state: SandboxState,
  exchange: Exchange,
  job: Job,
  phase: Phase,
): Promise<{ type: 'answered' } | { type: 'none' } | { type: 'truncated'; cut: boolean }> {
  // Each behaviour once per call, however often it applies.
  for (const item of [...job.behaviours]) {
    const fault = item.behaviour;
    if (item.left <= 0 || !appliesTo(fault, phase) || (fault.type === 'hang' && job.released)) continue;
    item.left -= 1;
    exchange.log.fault = fault.type;
    if (fault.type === 'truncated') return { type: 'truncated', cut: fault.cut };
    if (fault.type === 'hang') await waitForRelease(state, job);
    else if (fault.type === 'slow_reply') await waitForRelease(state, job, fault.ms);
    else if (answerWith(exchange, fault)) return { type: 'answered' };
  }
  return { type: 'none' };
}

/** Refuses a create that leaves no job. `synchronous`: verdicts are told at once. */
export function refuseCreate(
  state: SandboxState,
  exchange: Exchange,
  create: { behaviours: readonly Attached[]; synchronous: boolean },
): boolean {
  const refusal = takeRefusal(state, create.behaviours, (item) => {
    if (item.type === 'fail') return create.synchronous;
    if (item.type === 'moderate') return create.synchronous || item.at === 'create';
    if (REFUSALS.has(item.type)) return 'on' in item && item.on === 'create';
    if (item.type === 'raw') return item.on === 'create' && !item.accept;
    return item.type === 'reject' || item.type === 'drop_before_accept';
  });
  if (!refusal) return false;
  exchange.log.fault = refusal.type;
  if (refusal.type === 'fail') {
    sendError(exchange, new ApiError(400, refusal.code, refusal.message));
    return true;
  }
  if (refusal.type === 'moderate') {
    sendError(exchange, new ApiError(400, MODERATION_ERROR.code, MODERATION_ERROR.message));
    return true;
  }
  return answerWith(exchange, refusal);
}

/** The ordinary JSON answer, or half of it. */
export function sendBody(
  exchange: Exchange,
  answer: { status: number; body: string; headers?: Record<string, string> },
  truncation: { cut: boolean } | undefined,
): void {
  if (!truncation) {
    sendText(exchange, { ...answer, contentType: 'application/json' });
    return;
  }
  const half = answer.body.slice(0, Math.max(1, Math.floor(answer.body.length / 2)));
  if (!truncation.cut) {
    sendText(exchange, { ...answer, contentType: 'application/json', body: half });
    return;
  }
  const { res } = exchange;
  if (res.destroyed) return;
  res.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(answer.body),
  });
  res.write(half, () => dropConnection(exchange));
}
