import type { Deps } from '#server/deps.ts';
import { countUnread, listNotifications } from './notification-queries.ts';
import type { ListNotificationsInput, NotificationPage, NotificationType } from './schemas.ts';

/** What a badge counts to. */
const MOST_UNREAD = 100;

/** What a person was told, newest first. */
export async function readNotifications(
  deps: Pick<Deps, 'db'>,
  input: ListNotificationsInput & { userId: string },
): Promise<NotificationPage> {
  const rows = await listNotifications(deps.db, { ...input, limit: input.limit + 1 });
  const items = rows.slice(0, input.limit).map(({ notification, prompt }) => ({
    id: notification.id,
    type: notification.type as NotificationType,
    taskId: notification.taskId,
    data: notification.data,
    prompt: prompt || null,
    createdAt: notification.createdAt,
    readAt: notification.readAt,
  }));
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.id ?? null) : null };
}

/** How many are unread, up to 100. */
export function readUnreadCount(deps: Pick<Deps, 'db'>, userId: string): Promise<number> {
  return countUnread(deps.db, userId, MOST_UNREAD);
}
