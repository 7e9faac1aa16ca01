import { showBrowserNotification } from '#app/lib/browser-notifications.ts';
import { formatMoney } from '#app/lib/format-money.ts';
import type { Language } from '#app/locales/languages.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import type { ListedNotification } from './notification-list.tsx';
import { detailOf, titleOf } from './notification-words.ts';

/** Has the browser show one, in the words of the page that lists them. */
export function showNotification(item: ListedNotification, language: Language): void {
  const t = notificationsTexts.in(language);
  const money = (amountMinor: number, currency: string) => formatMoney(amountMinor, currency, language);
  showBrowserNotification({
    id: item.id,
    title: titleOf(t, item),
    body: [item.prompt, detailOf(t, { money }, item)].filter(Boolean).join('\n'),
    href: `/notifications/${item.id}`,
    lang: language,
  });
}
