import { createHash } from 'node:crypto';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { redactText } from '#server/lib/redact.ts';
import { findChannel } from '#server/providers/channels/queries.ts';
import { webhookContext } from '#server/providers/channels/secrets.ts';
import type { WebhookReading, WebhookRequest } from '#server/providers/provider.ts';
import type { DispatchRow } from '../claim-queries.ts';
import { recordEvidence } from '../dispatch-queries.ts';
import { jobRef } from '../job-ref.ts';
import { wakeTask } from '../lease-queries.ts';
import { readAnyTask } from '../queries.ts';
import {
  deleteOldDeliveries,
  findAddressee,
  hasRoomForStrangers,
  markMatched,
  saveDelivery,
  watchNow,
} from './inbox-queries.ts';
import { isOurWebhook } from './webhook-url.ts';

const MAX_KEPT_BODY = 64_000;
const MAX_REFUSED_BODY = 2_000;
const TIDY_SHARE = 1 / 200;
/** Kept for administrators; no header that may carry a secret is among them. */
const KEPT_HEADERS =
  /^(content-type|user-agent|webhook-(id|timestamp)|x-[\w-]*(request-id|timestamp|event)[\w-]*)$/;

export type DeliveryAnswer = {
  status: number;
  contentType: string;
  body: string;
  /** The task that is due now. */
  taskId?: string;
};

const OK = (said: string): DeliveryAnswer => ({
  status: 200,
  contentType: 'application/json',
  body: JSON.stringify({ ok: true, said }),
});

/**
 * Takes a delivery of an upstream. It is verified on its raw bytes, or else it is only a hint; either way it decides
 * nothing: the task becomes due at once and the job is polled. A delivery whose job is not known yet is kept.
 *
 * @throws AppError `not_found` for a channel that is not there or has no webhooks
 */
export async function receiveDelivery(
  deps: Deps,
  input: { channelId: string; request: WebhookRequest },
): Promise<DeliveryAnswer> {
  const channel = await findChannel(deps.db, input.channelId);
  if (!channel || !deps.providers.hasWebhooks(channel.protocol)) {
    throw new AppError('not_found', 'There is no webhook address of this name.');
  }
  const reading = await deps.providers.readWebhook(
    {
      protocol: channel.protocol,
      settings: channel.settings ?? undefined,
      webhookSecret: openSecret(deps, channel),
    },
    input.request,
  );
  if (reading.type === 'challenge') {
    return { status: 200, contentType: reading.contentType, body: reading.body };
  }
  const ref = ourReference(deps, input);
  if (reading.type === 'refused') return refuse(deps, input, reading.reason);
  if (!reading.upstreamId && !ref && !reading.clientRef) return refuse(deps, input, 'It names no job.');
  const about = {
    channelId: channel.id,
    dispatchId: ref ?? uuidOf(reading.clientRef),
    upstreamId: reading.upstreamId,
  };
  // What nobody signed and nobody here waits for may be anybody's, any number of times.
  const isStrange = !reading.verified && !ref && !(await findAddressee(deps.db, about));
  if (isStrange && !(await hasRoomForStrangers(deps.db, channel.id))) {
    throw new AppError('too_many_requests', 'Too many deliveries that fit no job. Send it again later.', {
      retryAfterSeconds: 3_600,
    });
  }
  tidy(deps);
  const { row, first } = await saveDelivery(deps.db, {
    ...keptRequest(deps, input),
    // An unverified event number is anybody's: it must not take a genuine one's place.
    dedupeKey:
      reading.verified && reading.eventId ? `event:${reading.eventId}` : `body:${digest(input.request, ref)}`,
    status: 'pending',
    verified: reading.verified,
    upstreamId: reading.upstreamId ?? null,
    clientRef: ref ?? null,
    upstreamStatus: reading.status ? redactText(reading.status).slice(0, 100) : null,
  });
  // Committed before the dispatch is looked for: whoever saves the job's id now looks here after it.
  if (!first && row.status !== 'pending') return OK('known');
  const dispatch = await findAddressee(deps.db, about);
  if (!dispatch) return OK('kept');
  // Marked last: a fault of ours before it is answered with an error, and the vendor's repeat must not find it done.
  await hint(deps, dispatch, { reading, proven: ref === dispatch.id });
  await markMatched(deps.db, row.id, dispatch.id);
  return { ...OK('due'), taskId: dispatch.taskId };
}

type Input = { channelId: string; request: WebhookRequest };
type Hint = Extract<WebhookReading, { type: 'hint' }>;

/**
 * Makes the job's task due. An id is evidence that upstream took this very job only when it came to the address that we
 * signed: a vendor's signature is over the body, and a genuine body can be sent to another address.
 */
async function hint(
  deps: Deps,
  dispatch: DispatchRow,
  { reading, proven }: { reading: Hint; proven: boolean },
): Promise<void> {
  if (proven && dispatch.outcome === null && reading.upstreamId) {
    const bundle = await readAnyTask(deps.db, dispatch.taskId);
    if (!bundle) return;
    await recordEvidence(deps.db, {
      dispatchId: dispatch.id,
      taskId: dispatch.taskId,
      from: 'webhook',
      patch: {
        outcome: 'accepted',
        upstreamId: reading.upstreamId,
        pollRef: jobRef(bundle.details, reading.upstreamId),
      },
      event: { type: 'webhook', actor: 'webhook', reason: 'The provider reported this job.' },
    });
  } else {
    await wakeTask(deps.db, dispatch.taskId);
  }
  await watchNow(deps.db, dispatch.id);
  deps.due.wake();
}

/** Now and then, because deliveries are the only thing that makes the inbox grow. */
function tidy(deps: Deps): void {
  if (deps.random() >= TIDY_SHARE) return;
  deleteOldDeliveries(deps.db).catch((error) =>
    deps.logger.warn({ error: redactText(String(error)) }, 'Old webhooks were not removed'),
  );
}

/** Kept as one row per reason and hour: refused deliveries are anybody's, and no more than a sign that they come. */
async function refuse(deps: Deps, input: Input, reason: string): Promise<DeliveryAnswer> {
  deps.logger.warn({ channelId: input.channelId, reason }, 'A webhook was refused');
  tidy(deps);
  const kept = keptRequest(deps, input);
  const hour = deps.clock.now().toISOString().slice(0, 13);
  await saveDelivery(deps.db, {
    ...kept,
    body: kept.body.slice(0, MAX_REFUSED_BODY),
    dedupeKey: `refused:${hour}:${createHash('sha256').update(reason).digest('base64url')}`,
    status: 'refused',
    verified: false,
    reason: redactText(reason).slice(0, 500),
  });
  return {
    status: 401,
    contentType: 'application/json',
    body: JSON.stringify({ ok: false, error: 'This delivery could not be verified.' }),
  };
}

/** The dispatch that our own address names, when the signature in it is ours. */
function ourReference(deps: Deps, { channelId, request }: Input): string | undefined {
  const dispatchId = uuidOf(request.query.ref);
  const { sig } = request.query;
  return dispatchId && sig && isOurWebhook(deps, { channelId, dispatchId, sig }) ? dispatchId : undefined;
}

function openSecret(deps: Deps, channel: NonNullable<Awaited<ReturnType<typeof findChannel>>>) {
  if (!channel.webhookSecret) return undefined;
  try {
    return deps.keyRing.open(channel.webhookSecret, webhookContext(channel.id));
  } catch {
    deps.logger.error(
      { channelId: channel.id },
      'The webhook secret of a channel cannot be opened; replace it',
    );
    return undefined;
  }
}

function keptRequest(deps: Deps, { channelId, request }: Input) {
  const text = Buffer.from(request.rawBody.subarray(0, MAX_KEPT_BODY)).toString('utf8');
  return {
    id: deps.newId(),
    channelId,
    body: redactText(text.replaceAll('\0', '')),
    headers: Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        KEPT_HEADERS.test(name) ? [[name, redactText(value).slice(0, 300)]] : [],
      ),
    ),
  };
}

function digest(request: WebhookRequest, ref: string | undefined): string {
  return createHash('sha256')
    .update(`${ref ?? ''}\n`)
    .update(request.rawBody)
    .digest('base64url');
}

function uuidOf(value: string | undefined): string | undefined {
  return value && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
    ? value.toLowerCase()
    : undefined;
}
