import { asRecord, asText } from '../json.ts';
import { parseLosslessJson } from '../lossless-json.ts';
import type { WebhookContext, WebhookReading, WebhookRequest } from '../provider.ts';
import { verifyStandardWebhook } from '../standard-webhooks.ts';
import { readUpstreamId } from '../upstream-id.ts';

/**
 * A delivery is the prediction object, signed by the Standard Webhooks scheme. Without a stored secret nothing can be
 * verified, and the delivery is a hint like any unsigned one.
 */
export async function readReplicateWebhook(
  request: WebhookRequest,
  { secret, now }: WebhookContext,
): Promise<WebhookReading> {
  const { headers, rawBody, query } = request;
  const checked = secret ? verifyStandardWebhook({ headers, rawBody, secret, now }) : undefined;
  if (checked?.ok === false) return { type: 'refused', reason: checked.reason };
  const body = asRecord(parseLosslessJson(Buffer.from(rawBody).toString('utf8')));
  const upstreamId = readUpstreamId(body?.id);
  if (!body || upstreamId === undefined)
    return { type: 'refused', reason: 'The delivery is not a prediction with an id.' };
  return {
    type: 'hint',
    verified: checked !== undefined,
    upstreamId,
    eventId: checked?.id,
    clientRef: query.ref,
    status: asText(body.status)?.slice(0, 100),
  };
}
