import type { Deps } from '#server/deps.ts';
import { listDeliveries } from './inbox-queries.ts';
import type { DeliveryPage, ListDeliveriesInput } from './schemas.ts';

/** Deliveries of upstreams, newest first; bodies are redacted. */
export async function readInbox(deps: Pick<Deps, 'db'>, input: ListDeliveriesInput): Promise<DeliveryPage> {
  const rows = await listDeliveries(deps.db, { ...input, limit: input.limit + 1 });
  const items = rows.slice(0, input.limit).map(({ delivery, channelName, taskId }) => ({
    id: delivery.id,
    channel: { id: delivery.channelId, name: channelName },
    status: delivery.status,
    verified: delivery.verified,
    receivedAt: delivery.receivedAt,
    lastReceivedAt: delivery.lastReceivedAt,
    deliveries: delivery.deliveries,
    upstreamId: delivery.upstreamId,
    upstreamStatus: delivery.upstreamStatus,
    reason: delivery.reason,
    taskId,
    headers: delivery.headers,
    body: delivery.body,
  }));
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.id ?? null) : null };
}
