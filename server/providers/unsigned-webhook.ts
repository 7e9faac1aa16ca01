import { asRecord, asText, type JsonRecord } from './json.ts';
import { parseLosslessJson } from './lossless-json.ts';
import type { WebhookReading, WebhookRequest } from './provider.ts';
import { readUpstreamId } from './upstream-id.ts';

type Named = { upstreamId?: unknown; clientRef?: unknown; status?: unknown };

/** The JSON object of a delivery, with long ids digit for digit; undefined for anything else. */
export function webhookBody(request: WebhookRequest): JsonRecord | undefined {
  return asRecord(parseLosslessJson(Buffer.from(request.rawBody).toString('utf8')));
}

/** A delivery of a vendor that signs nothing: a hint to look at the job that it names, never more. */
export function readUnsignedWebhook(
  request: WebhookRequest,
  namesOf: (body: JsonRecord) => Named,
): WebhookReading {
  const body = webhookBody(request);
  if (!body) return { type: 'refused', reason: 'The delivery is not a JSON object.' };
  const names = namesOf(body);
  const upstreamId = readUpstreamId(names.upstreamId);
  const clientRef = asText(names.clientRef) ?? asText(request.query.ref);
  if (upstreamId === undefined && clientRef === undefined)
    return { type: 'refused', reason: 'The delivery names no job.' };
  return {
    type: 'hint',
    verified: false,
    upstreamId,
    clientRef,
    status: asText(names.status)?.slice(0, 100),
  };
}
