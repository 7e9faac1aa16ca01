import type { ConnectState } from './dispatchers.ts';
import { OutboundRefusedError } from './outbound-guard.ts';
import type { CreateOutcome, ErrorClass, PollOutcome, UpstreamFailure } from './provider.ts';

/**
 * The white list: errors that can only happen before a request is written. Everything that is not
 * listed counts as sent, because upstream may then hold a paid job.
 */
const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']);
const CONNECT_CODES = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);
/** Listed only with the system call `connect`: the same codes also end established connections. */
const CONNECT_SYSCALL_CODES = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'ENETDOWN',
  'ECONNRESET',
]);
const CERTIFICATE_CODES =
  /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_|CRL_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH)/;
const HANDSHAKE_MESSAGE =
  /before secure TLS connection was established|ssl3?_|SSL routines|wrong version number/i;

type Clue = { code: string; syscall: string; message: string; error: Error };

/** What the caller knows beside the error itself. */
export type FailureContext = {
  /** State of a single-use connection; undefined for shared ones, where it proves nothing. */
  connection?: ConnectState;
  /** Whether our own limit or the caller's signal ended the call. */
  stopped?: 'timeout' | 'aborted';
};

/** Turns whatever `fetch` threw into a failure that says whether the request can have left. */
export function classifyFailure(error: unknown, context: FailureContext = {}): UpstreamFailure {
  const clues = collectClues(error);
  if (clues.some((clue) => clue.error instanceof OutboundRefusedError)) {
    const refusal = clues.find((clue) => clue.error instanceof OutboundRefusedError);
    return {
      type: 'failure',
      sent: false,
      phase: 'guard',
      errorClass: 'network',
      message: refusal?.message ?? '',
    };
  }
  if (context.stopped) {
    // Only the connection's own record proves that nothing was written before we gave up.
    const sent = context.connection !== 'connecting';
    const message =
      context.stopped === 'timeout'
        ? 'No complete answer within the time limit.'
        : 'The call was stopped by us.';
    return {
      type: 'failure',
      sent,
      phase: sent ? 'after_send' : 'connect',
      errorClass: context.stopped,
      message,
    };
  }
  const errorClass: ErrorClass = clues.some((clue) => /TIMEOUT|ETIMEDOUT/.test(clue.code))
    ? 'timeout'
    : 'network';
  const phase =
    context.connection === 'connected' ? undefined : connectPhase(clues, context.connection === 'connecting');
  const message = describe(clues);
  if (phase) return { type: 'failure', sent: false, phase, errorClass, message };
  return { type: 'failure', sent: true, phase: 'after_send', errorClass, message };
}

/**
 * `isConnecting`: the connection's own record says that no socket was handed to HTTP, so a broken one broke in the
 * handshake. Without that record a reset is never on the list.
 */
function connectPhase(clues: readonly Clue[], isConnecting: boolean): 'dns' | 'connect' | 'tls' | undefined {
  for (const { code, syscall, message } of clues) {
    if (DNS_CODES.has(code) || syscall === 'getaddrinfo') return 'dns';
    if (CONNECT_CODES.has(code) || (syscall === 'connect' && CONNECT_SYSCALL_CODES.has(code)))
      return 'connect';
    if (
      CERTIFICATE_CODES.test(code) ||
      ((code === 'EPROTO' || code === 'ECONNRESET') && HANDSHAKE_MESSAGE.test(message))
    ) {
      return 'tls';
    }
    if (isConnecting && (code === 'ECONNRESET' || code === 'EPIPE')) return 'tls';
  }
  return undefined;
}

/** The error, its causes and the members of aggregate errors (one per tried address), outermost first. */
function collectClues(error: unknown): Clue[] {
  const clues: Clue[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && clues.length < 20) {
    const current = queue.shift();
    if (!(current instanceof Error)) continue;
    const { code, syscall } = current as NodeJS.ErrnoException;
    clues.push({
      code: typeof code === 'string' ? code : '',
      syscall: typeof syscall === 'string' ? syscall : '',
      message: current.message,
      error: current,
    });
    if (current instanceof AggregateError) queue.push(...current.errors);
    queue.push(current.cause);
  }
  return clues;
}

function describe(clues: readonly Clue[]): string {
  const named = clues.find((clue) => clue.code !== '') ?? clues.at(-1);
  if (!named) return 'The connection failed.';
  // OpenSSL texts carry source file names and line numbers that help nobody.
  const text = named.message.replace(/^[0-9A-F]{8,}:|:[./]*deps\/.*$/g, '').trim();
  return named.code && !text.includes(named.code) ? `${named.code}: ${text}` : text || named.code;
}

/** A create that got no answer: proven unsent, or uncertain. */
export function createOutcomeOfFailure(failure: UpstreamFailure): CreateOutcome {
  if (failure.sent) {
    return {
      type: 'uncertain',
      evidence: { reason: 'no_answer', errorClass: failure.errorClass, message: failure.message },
    };
  }
  const phase =
    failure.phase === 'dns' || failure.phase === 'connect' || failure.phase === 'tls'
      ? failure.phase
      : 'prepare';
  return { type: 'not_sent', phase, message: failure.message };
}

/** A poll that got no answer proves nothing about the job. */
export function pollOutcomeOfFailure(failure: UpstreamFailure): PollOutcome {
  return { type: 'transient', errorClass: failure.errorClass, message: failure.message };
}

/** Class of an HTTP status that carries no verdict. */
export function errorClassOfStatus(status: number): ErrorClass {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 408) return 'timeout';
  if (status === 425 || status === 429) return 'rate_limited';
  if (status >= 500) return 'server_error';
  return 'bad_body';
}
