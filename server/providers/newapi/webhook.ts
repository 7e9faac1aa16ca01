import { asRecord, asText, firstText } from '../json.ts';
import { parseLosslessJson } from '../lossless-json.ts';
import type { WebhookReading, WebhookRequest } from '../provider.ts';
import { readUpstreamId } from '../upstream-id.ts';

/** The hook of a Suno or Midjourney task posts the task itself, at every change and unsigned: a hint to look. */
export async function readNewapiWebhook({ rawBody }: WebhookRequest): Promise<WebhookReading> {
  const body = asRecord(parseLosslessJson(Buffer.from(rawBody).toString('utf8')));
  if (!body) return { type: 'refused', reason: 'The delivery is not a JSON object.' };
  const data = asRecord(body.data);
  // A number in `id` is a row of the gateway's own table: no name of the job, and it might become one of ours.
  const ids = [body.task_id, body.taskId, data?.task_id, data?.taskId];
  const texts = [body.id, data?.id].filter((id) => typeof id === 'string');
  return {
    type: 'hint',
    verified: false,
    upstreamId: [...ids, ...texts].map(readUpstreamId).find((id) => id !== undefined),
    clientRef: asText(body.state),
    status: firstText(body, ['status', 'data.status', 'data.callbackType'])?.slice(0, 100),
  };
}
