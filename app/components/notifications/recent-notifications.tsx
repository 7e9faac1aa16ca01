import { useT } from '#app/lib/language.tsx';
import { notificationsTexts } from '#app/locales/notifications.ts';
import classes from './notification-bell.module.css';
import { type ListedNotification, NotificationList } from './notification-list.tsx';

type RecentNotificationsProps = { items: readonly ListedNotification[]; onOpen: () => void };

/** The latest, below the bell. */
export default function RecentNotifications({ items, onOpen }: RecentNotificationsProps) {
  const t = useT(notificationsTexts);
  return items.length > 0 ? (
    <NotificationList items={items} compact onOpen={onOpen} />
  ) : (
    <p className={classes.note}>{t('none')}</p>
  );
}
