import type { DbOrTx, Tx } from '#server/db/client.ts';
import {
  insertDeliveries,
  insertNotification,
  insertTaskNotification,
  type ToldTask,
} from './notification-queries.ts';
import { type NotificationData, type NotificationType, taskPath, type WebhookEvent } from './schemas.ts';

/**
 * Tells a task's owner what became of it, in the transaction that does it: the notification, and one delivery for each
 * endpoint that asked for this type. Children of composites are told of by their composite alone.
 */
export async function tellOfTask(
  tx: DbOrTx,
  input: Parameters<typeof insertTaskNotification>[1] & { type: WebhookEvent },
): Promise<void> {
  const told = await insertTaskNotification(tx, input);
  if (!told) return;
  const body = bodyOf(told, input.type);
  await insertDeliveries(
    tx,
    told.endpointIds.map((endpointId) => ({
      endpointId,
      userId: told.userId,
      notificationId: told.id,
      eventType: input.type,
      body,
      nextAttemptAt: told.createdAt,
    })),
  );
}

/** Fixed now: each try and each resend says the same. */
function bodyOf({ taskId, data, createdAt }: ToldTask, type: WebhookEvent) {
  return {
    type,
    timestamp: createdAt.toISOString(),
    data: {
      taskId,
      kind: data.kind,
      status: data.status,
      model: data.model ?? null,
      creditsCharged: data.credits ?? null,
      failureCode: data.failureCode ?? null,
      url: taskPath(data.kind, taskId),
    },
  };
}

/** Tells a person something that is about no task. */
export async function tellPerson(
  tx: Tx,
  input: {
    userId: string;
    type: Exclude<NotificationType, WebhookEvent>;
    data: NotificationData;
  },
): Promise<void> {
  await insertNotification(tx, input);
}
