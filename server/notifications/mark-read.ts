import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { markAllRead, markRead, takeNotification } from './notification-queries.ts';
import { type NotificationType, notificationPath } from './schemas.ts';

/** @returns how many of the user's own were unread before */
export function markNotificationsRead(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; ids: readonly string[] },
): Promise<number> {
  return markRead(deps.db, input.userId, input.ids);
}

/** Everything up to `upTo`, or all. @returns how many were unread before */
export function markEverythingRead(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; upTo?: string },
): Promise<number> {
  return markAllRead(deps.db, input.userId, input.upTo);
}

/** Marks one as read and says which page it is about. @throws AppError `not_found` */
export async function openNotification(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; notificationId: string },
): Promise<{ path: string }> {
  const row = await takeNotification(deps.db, input.userId, input.notificationId);
  if (!row) throw new AppError('not_found', 'There is no such notification (any more).');
  return { path: notificationPath({ ...row, type: row.type as NotificationType }) };
}
