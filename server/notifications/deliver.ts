import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { redactText } from '#server/lib/redact.ts';
import type { PostEventResult } from '#server/providers/provider.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import {
  type DeliveryEnd,
  type DeliveryRow,
  type EndpointRow,
  endTry,
  insertAttempt,
  noteFailure,
  noteSuccess,
  switchOff,
} from './delivery-queries.ts';
import { nextTryInMs } from './delivery-schedule.ts';
import { endpointContext } from './schemas.ts';
import { signDelivery } from './sign-delivery.ts';
import { tellPerson } from './tell-owner.ts';

export type DeliveryDeps = Pick<
  Deps,
  'db' | 'renewalDb' | 'config' | 'logger' | 'random' | 'newId' | 'clock' | 'providers' | 'keyRing'
>;

export type DeliveryOutcome = 'delivered' | 'retried' | 'failed' | 'lost';

type Target = { endpoint: EndpointRow; isAccountOpen: boolean };

/** The receiver's whole time, from the look-up of its name to the first kilobyte of its answer. */
const TIMEOUT_MS = 15_000;
const MOST_ANSWER = 1_000;
/** An endpoint is given up when so many events in a row have failed for good and none was taken for so many days. */
const GIVE_UP = { events: 3, days: 3 };

/**
 * One try of a delivery: signed anew, sent once, recorded with what came of it. A redirect is a failure, 410 ends the
 * endpoint. Nothing is sent where the endpoint is switched off or the account is disabled.
 */
export async function deliver(
  deps: DeliveryDeps,
  { row, target, signal }: { row: DeliveryRow; target: Target | undefined; signal: AbortSignal },
): Promise<DeliveryOutcome> {
  const refusal = refuse(target);
  if (refusal !== null || !target) return giveUpUnsent(deps, row, refusal ?? 'There is no such endpoint.');
  const startedAt = performance.now();
  const at = deps.clock.now();
  const answer = await post(deps, { row, endpoint: target.endpoint, signal });
  await crashPoint('delivery.after-send');
  if (answer.type === 'stopped') return release(deps, row);
  const durationMs = Math.round(performance.now() - startedAt);
  return record(deps, { row, endpoint: target.endpoint, answer, at, durationMs });
}

function refuse(target: Target | undefined): string | null {
  if (!target || target.endpoint.deletedAt !== null) return 'The endpoint was removed.';
  if (!target.isAccountOpen) return 'The account is disabled.';
  return target.endpoint.enabled ? null : 'The endpoint is switched off.';
}

async function post(
  deps: DeliveryDeps,
  { row, endpoint, signal }: { row: DeliveryRow; endpoint: EndpointRow; signal: AbortSignal },
): Promise<PostEventResult> {
  let secrets: string[];
  try {
    secrets = secretsOf(deps, endpoint);
  } catch {
    return { type: 'failed', message: 'The secret of this endpoint cannot be opened. Rotate it.' };
  }
  const body = JSON.stringify(row.body);
  return deps.providers.postEvent({
    url: endpoint.url,
    headers: signDelivery({ id: row.id, body, secrets, sentAt: deps.clock.now() }),
    body,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
}

/** The secret of now, and while a rotation lasts the one before. */
function secretsOf({ keyRing, clock }: DeliveryDeps, endpoint: EndpointRow): string[] {
  const context = endpointContext(endpoint.id);
  const secrets = [keyRing.open(endpoint.secret, context)];
  const { previousSecret, previousUntil } = endpoint;
  if (previousSecret && previousUntil && previousUntil > clock.now()) {
    secrets.push(keyRing.open(previousSecret, context));
  }
  return secrets;
}

type Answer = Exclude<PostEventResult, { type: 'stopped' }>;

async function record(
  deps: DeliveryDeps,
  input: { row: DeliveryRow; endpoint: EndpointRow; answer: Answer; at: Date; durationMs: number },
): Promise<DeliveryOutcome> {
  const { row, endpoint, answer, at, durationMs } = input;
  const statusCode = answer.type === 'answered' ? answer.status : null;
  const end = decide(deps, row, answer);
  const error = end.to === 'delivered' ? null : describe(answer);
  const kept = await deps.db.transaction(async (tx) => {
    const ended = await endTry(tx, { ...row, end, tried: true, statusCode, error });
    if (!ended) return false;
    await crashPoint('delivery.after-row');
    await insertAttempt(tx, {
      deliveryId: row.id,
      number: ended.attempts,
      at,
      durationMs,
      statusCode,
      answer: answer.type === 'answered' ? clean(answer.excerpt) : null,
      error,
    });
    if (end.to === 'delivered') await noteSuccess(tx, endpoint.id);
    else if (end.to === 'failed' && row.eventType !== 'test') await noteLoss(tx, endpoint, statusCode);
    return true;
  });
  if (!kept) return 'lost';
  return end.to === 'pending' ? 'retried' : end.to;
}

const GONE = 410;

/** An event was lost for good; a test is no event. The endpoint is given up when that is all it does. */
async function noteLoss(tx: Tx, endpoint: EndpointRow, statusCode: number | null): Promise<void> {
  const isFailing = await noteFailure(tx, { endpointId: endpoint.id, ...GIVE_UP });
  if (statusCode !== GONE && !isFailing) return;
  const reason = statusCode === GONE ? 'gone' : 'failing';
  if (!(await switchOff(tx, { endpointId: endpoint.id, reason }))) return;
  await tellPerson(tx, {
    userId: endpoint.userId,
    type: 'webhook.disabled',
    data: { endpointId: endpoint.id, host: hostOf(endpoint.url), reason },
  });
}

function decide({ random }: DeliveryDeps, row: DeliveryRow, answer: Answer): DeliveryEnd {
  if (answer.type === 'answered') {
    if (answer.status >= 200 && answer.status < 300) return { to: 'delivered' };
    if (answer.status === GONE) return { to: 'failed' };
  }
  // A test says at once how it went.
  if (row.eventType === 'test') return { to: 'failed' };
  const retryAfterMs = answer.type === 'answered' ? answer.retryAfterMs : undefined;
  const delayMs = nextTryInMs({ attempts: row.attempts + 1, retryAfterMs, random });
  return delayMs === null ? { to: 'failed' } : { to: 'pending', delayMs };
}

function describe(answer: Answer): string {
  if (answer.type === 'failed') return clean(answer.message);
  if (answer.status >= 300 && answer.status < 400) {
    return `It answered ${answer.status}: redirects are not followed. Enter the address that it leads to.`;
  }
  return `It answered ${answer.status}.`;
}

/** Fit for a text column and for other people's eyes. */
const clean = (text: string): string =>
  redactText(text.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')).slice(0, MOST_ANSWER);

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url.slice(0, 100));

/** Nothing is sent and nothing is tried: it ends as it stands. */
async function giveUpUnsent(deps: DeliveryDeps, row: DeliveryRow, error: string): Promise<DeliveryOutcome> {
  const ended = await deps.db.transaction((tx) =>
    endTry(tx, { ...row, end: { to: 'failed' }, tried: false, statusCode: null, error }),
  );
  return ended ? 'failed' : 'lost';
}

/** The process is going down: whoever is there next sends it. */
async function release(deps: DeliveryDeps, row: DeliveryRow): Promise<DeliveryOutcome> {
  const ended = await deps.db.transaction((tx) =>
    endTry(tx, { ...row, end: { to: 'pending', delayMs: 0 }, tried: false, statusCode: null, error: null }),
  );
  return ended ? 'retried' : 'lost';
}
