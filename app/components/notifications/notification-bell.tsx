import { ActionIcon, Popover } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Bell } from 'lucide-react';
import { type MouseEvent, useRef, useState } from 'react';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import classes from './notification-bell.module.css';
import { NotificationList } from './notification-list.tsx';
import { useRecentNotifications } from './use-recent-notifications.ts';

const MOST_SHOWN = 99;

/** How many are unread. A link to their page without a script; with one it opens the latest in place. */
export function NotificationBell({ unread: unreadOnLoad }: { unread: number }) {
  const t = useT(notificationsTexts);
  const [opened, setOpened] = useState(false);
  const bell = useRef<HTMLAnchorElement>(null);
  const { unread, recent, failed, load } = useRecentNotifications(unreadOnLoad);

  const open = (event: MouseEvent) => {
    // A new tab, or a window of its own, is the page.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    if (!opened) void load();
    setOpened(!opened);
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      onDismiss={() => setOpened(false)}
      position="bottom-end"
      width="min(24rem, calc(100vw - 1.5rem))"
      trapFocus
      returnFocus
      shadow="md"
      keepMounted={false}
    >
      <Popover.Target>
        <ActionIcon
          ref={bell}
          component={Link}
          to="/notifications"
          variant="default"
          size="lg"
          radius="xl"
          aria-label={t('bell.label', { count: unread })}
          onClick={open}
          className={classes.bell}
        >
          <Bell size={17} aria-hidden="true" />
          {unread > 0 ? <UnreadCount unread={unread} /> : null}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown}>
        <div className={classes.latest} aria-busy={recent === null && !failed}>
          {recent ? (
            recent.items.length > 0 ? (
              <NotificationList items={recent.items} compact onOpen={() => setOpened(false)} />
            ) : (
              <p className={classes.note}>{t('none')}</p>
            )
          ) : (
            <p className={classes.note} role="status">
              {failed ? t('bell.failed') : t('bell.loading')}
            </p>
          )}
        </div>
        <Link to="/notifications" className={classes.all} onClick={() => setOpened(false)}>
          {t('bell.all')}
        </Link>
      </Popover.Dropdown>
    </Popover>
  );
}

function UnreadCount({ unread }: { unread: number }) {
  const t = useT(notificationsTexts);
  const format = useFormat();
  return (
    <span className={classes.count} aria-hidden="true">
      {unread > MOST_SHOWN ? t('bell.most') : format.integer(unread)}
    </span>
  );
}
