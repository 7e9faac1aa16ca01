import type { EndpointRow } from './delivery-queries.ts';
import type { DeliveryBundle, listAttempts } from './endpoint-queries.ts';
import {
  type DeliveryView,
  type EndpointState,
  type EndpointView,
  WEBHOOK_EVENTS,
  type WebhookEvent,
} from './schemas.ts';

type AttemptRow = Awaited<ReturnType<typeof listAttempts>>[number];

/** What an owner sees; the secret is no part of it. */
export function toEndpointView(row: EndpointRow, now: Date): EndpointView {
  const { previousUntil } = row;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: WEBHOOK_EVENTS.filter((event) => row.events.includes(event)),
    enabled: row.enabled,
    state: stateOf(row),
    rotatingUntil: previousUntil && previousUntil > now ? previousUntil : null,
    lastSuccessAt: row.lastSuccessAt,
    createdAt: row.createdAt,
  };
}

export function stateOf({ enabled, disabledReason }: EndpointRow): EndpointState {
  if (enabled) return 'enabled';
  return disabledReason === 'failing' || disabledReason === 'gone' ? disabledReason : 'owner';
}

export function toDeliveryView(
  { delivery, taskId }: DeliveryBundle,
  attempts: readonly AttemptRow[],
): DeliveryView {
  return {
    id: delivery.id,
    eventType: delivery.eventType as WebhookEvent | 'test',
    status: delivery.status,
    attempts: attempts
      .filter(({ deliveryId }) => deliveryId === delivery.id)
      .map(({ number, at, durationMs, statusCode, answer, error }) => ({
        number,
        at,
        durationMs,
        statusCode,
        answer,
        error,
      })),
    nextAttemptAt: delivery.nextAttemptAt,
    lastStatusCode: delivery.lastStatusCode,
    lastError: delivery.lastError,
    createdAt: delivery.createdAt,
    finishedAt: delivery.finishedAt,
    taskId,
    body: delivery.body,
  };
}
