import { asRecord, asText, valueAt } from '../json.ts';
import { parseLosslessJson } from '../lossless-json.ts';
import type { WebhookContext, WebhookReading, WebhookRequest } from '../provider.ts';
import { verifyStandardWebhook } from '../standard-webhooks.ts';
import { readUpstreamId } from '../upstream-id.ts';

/** Events of other products of the same account (batches, fine-tuning …) name no job of ours. */
const JOB_EVENT = /^(response|video)\./;

/**
 * Reads an event of OpenAI (vendor documentation of webhooks: Standard Webhooks, `{id, type, created_at, data: {id}}`).
 * A channel without a stored secret takes events as unverified hints: they only make a poll due.
 */
export async function readOpenaiWebhook(
  { headers, rawBody }: WebhookRequest,
  { secret, now }: WebhookContext,
): Promise<WebhookReading> {
  const isSigned = secret !== undefined;
  const verified = isSigned ? verifyStandardWebhook({ headers, rawBody, secret, now }) : undefined;
  if (verified?.ok === false) return { type: 'refused', reason: verified.reason };

  const event = asRecord(parseLosslessJson(Buffer.from(rawBody).toString('utf8')));
  if (!event) return { type: 'refused', reason: 'The delivery is not a JSON object.' };
  const status = asText(event.type);
  const isJob = status !== undefined && JOB_EVENT.test(status);
  return {
    type: 'hint',
    verified: isSigned,
    upstreamId: isJob ? readUpstreamId(valueAt(event, 'data.id')) : undefined,
    eventId: verified?.id ?? readUpstreamId(event.id),
    status: status?.slice(0, 100),
  };
}
