import { ActionIcon } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Bell } from 'lucide-react';
import { lazy, type MouseEvent, Suspense } from 'react';
import { useDropdown } from '#app/components/ui/use-dropdown.ts';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { commonTexts } from '#app/locales/common.ts';
import classes from './notification-bell.module.css';
import { useRecentNotifications } from './use-recent-notifications.ts';

// The bell is on every page; the words of what has happened come when they are looked at.
const RecentNotifications = lazy(() => import('./recent-notifications.tsx'));

const MOST_SHOWN = 99;

/** How many are unread. A link to their page without a script; with one it opens the latest in place. */
export function NotificationBell({ unread: unreadOnLoad }: { unread: number }) {
  const t = useT(commonTexts);
  const { isOpen, setOpen, trigger, panel, around } = useDropdown<HTMLAnchorElement>();
  const { unread, recent, failed, load } = useRecentNotifications(unreadOnLoad);
  const label = t('bell.label', { count: unread });

  const open = (event: MouseEvent) => {
    // A new tab, or a window of its own, is the page.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    if (!isOpen) void load();
    setOpen(!isOpen);
  };
  return (
    <div {...around} className={classes.root}>
      <ActionIcon
        ref={trigger}
        component={Link}
        to="/notifications"
        variant="default"
        size="lg"
        radius="xl"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={open}
        className={classes.bell}
      >
        <Bell size={17} aria-hidden="true" />
        {unread > 0 ? <UnreadCount unread={unread} /> : null}
      </ActionIcon>
      {isOpen ? (
        <div ref={panel} role="dialog" aria-label={label} tabIndex={-1} className={classes.dropdown}>
          <div className={classes.latest} aria-busy={recent === null && !failed}>
            {recent ? (
              <Suspense fallback={<Note words={t('bell.loading')} />}>
                <RecentNotifications items={recent.items} onOpen={() => setOpen(false)} />
              </Suspense>
            ) : (
              <Note words={failed ? t('bell.failed') : t('bell.loading')} />
            )}
          </div>
          <Link to="/notifications" className={classes.all} onClick={() => setOpen(false)}>
            {t('bell.all')}
          </Link>
        </div>
      ) : null}
    </div>
  );
}

const Note = ({ words }: { words: string }) => (
  <p className={classes.note} role="status">
    {words}
  </p>
);

function UnreadCount({ unread }: { unread: number }) {
  const t = useT(commonTexts);
  const format = useFormat();
  return (
    <span className={classes.count} aria-hidden="true">
      {unread > MOST_SHOWN ? t('bell.most') : format.integer(unread)}
    </span>
  );
}
