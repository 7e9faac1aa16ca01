import { useEffect, useRef, useState } from 'react';
import { claimForThisTab, readBrowserNotifications } from '#app/lib/browser-notifications.ts';
import { useLanguage } from '#app/lib/language.tsx';
import type { ListedNotification } from './notification-list.tsx';

export type Recent = { unread: number; items: ListedNotification[] };

/** While the page is seen; in the background it asks only when the browser is to show something. */
const VISIBLE_MS = 60_000;
const HIDDEN_MS = 20_000;

/**
 * The latest notifications, asked for now and then. A failed look is repeated at the next turn. In a tab that nobody
 * looks at, what is new is shown by the browser, if the person has asked for that.
 */
export function useRecentNotifications(unreadOnLoad: number) {
  const [unread, setUnread] = useState(unreadOnLoad);
  const [recent, setRecent] = useState<Recent | null>(null);
  const [failed, setFailed] = useState(false);
  const show = useShow();
  const known = useRef<string | null>(null);

  useEffect(() => setUnread(unreadOnLoad), [unreadOnLoad]);

  const look = useRef(async () => {});
  look.current = async () => {
    try {
      const response = await fetch('/notifications/recent', { headers: { accept: 'application/json' } });
      if (!response.ok) throw new Error(String(response.status));
      const found = (await response.json()) as Recent;
      setFailed(false);
      setRecent(found);
      setUnread(found.unread);
      const before = known.current;
      known.current = found.items[0]?.id ?? before ?? '';
      if (before === null || document.visibilityState === 'visible') return;
      for (const item of found.items.filter(({ id }) => id > before).reverse()) await show(item);
    } catch {
      setFailed(true);
    }
  };

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const turn = () => {
      const hidden = document.visibilityState === 'hidden';
      if (!hidden || readBrowserNotifications() === 'on') void look.current();
      timer = setTimeout(turn, hidden ? HIDDEN_MS : VISIBLE_MS);
    };
    const restart = () => {
      clearTimeout(timer);
      // Going away: what is there now is known. Coming back: what has happened is to be seen.
      turn();
    };
    timer = setTimeout(turn, VISIBLE_MS);
    document.addEventListener('visibilitychange', restart);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', restart);
    };
  }, []);

  return { unread, recent, failed, load: () => look.current() };
}

function useShow() {
  const language = useLanguage();
  return async (item: ListedNotification) => {
    if (readBrowserNotifications() !== 'on' || !claimForThisTab(item.id)) return;
    // Its words are on no page that has not looked at the list.
    const { showNotification } = await import('./show-notification.ts');
    showNotification(item, language);
  };
}
