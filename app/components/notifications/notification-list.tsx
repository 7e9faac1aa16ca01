import { Button, VisuallyHidden } from '@mantine/core';
import { Form, Link } from '@remix-run/react';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import type { NotificationView } from '#server/notifications/schemas.ts';
import classes from './notification-list.module.css';
import { detailOf, NOTIFICATION_LOOKS, titleOf, UNKNOWN_LOOK } from './notification-words.ts';

/** As they come from a loader, or as JSON. */
export type ListedNotification = Omit<NotificationView, 'createdAt' | 'readAt'> & {
  createdAt: Date | string;
  readAt: Date | string | null;
};

type NotificationListProps = {
  items: readonly ListedNotification[];
  /** Without buttons, for the small list below the bell. */
  compact?: boolean;
  onOpen?: () => void;
};

/** What happened, newest first. Each leads to the page it is about and counts as read then. */
export function NotificationList({ items, compact = false, onOpen }: NotificationListProps) {
  const t = useT(notificationsTexts);
  return (
    <ul className={classes.list} aria-label={t('list')} data-compact={compact}>
      {items.map((item) => (
        <li key={item.id} className={classes.item} data-unread={item.readAt === null}>
          <Item item={item} onOpen={onOpen} />
          {compact || item.readAt !== null ? null : <MarkRead item={item} />}
        </li>
      ))}
    </ul>
  );
}

function Item({ item, onOpen }: { item: ListedNotification; onOpen: (() => void) | undefined }) {
  const t = useT(notificationsTexts);
  const format = useFormat();
  const { tone, Icon } = NOTIFICATION_LOOKS[item.type] ?? UNKNOWN_LOOK;
  const detail = detailOf(t, format, item);
  return (
    <>
      <Icon size={18} aria-hidden="true" className={classes.icon} data-tone={tone} />
      <div className={classes.words}>
        <p className={classes.title}>
          {/* It counts as read by being opened, so it is never fetched ahead. */}
          <Link to={`/notifications/${item.id}`} prefetch="none" className={classes.link} onClick={onOpen}>
            {titleOf(t, item)}
          </Link>
          {item.readAt === null ? <VisuallyHidden> ({t('unreadMark')})</VisuallyHidden> : null}
        </p>
        {item.prompt ? <p className={classes.prompt}>{item.prompt}</p> : null}
        {detail ? <p className={classes.detail}>{detail}</p> : null}
        <p className={classes.when}>
          {typeof item.data.modelTitle === 'string' ? `${item.data.modelTitle} · ` : null}
          <TimeAgo at={item.createdAt} />
        </p>
      </div>
    </>
  );
}

function MarkRead({ item }: { item: ListedNotification }) {
  const t = useT(notificationsTexts);
  return (
    <Form method="post" preventScrollReset className={classes.mark}>
      <input type="hidden" name="intent" value="mark-read" />
      <input type="hidden" name="id" value={item.id} />
      <Button
        type="submit"
        variant="subtle"
        color="gray"
        size="xs"
        aria-label={t('markReadOf', { title: titleOf(t, item) })}
      >
        {t('markRead')}
      </Button>
    </Form>
  );
}
