import type { Banner } from '#server/operations/schemas.ts';

/** Ids of announcements that were dismissed in this browser, newest last. A cookie, so that the server leaves them out at once. */
const COOKIE = 'sidelane_dismissed';
const MOST_KEPT = 20;
const KEPT_SECONDS = 60 * 60 * 24 * 90;

function readDismissed(cookieHeader: string | null): string[] {
  const value = cookieHeader
    ?.split(';')
    .map((part) => part.trim().split('='))
    .find(([name]) => name === COOKIE)?.[1];
  return value ? value.split('.').filter(Boolean) : [];
}

/** The banner without the announcements that were dismissed in the browser that sent these cookies. */
export function withoutDismissed(banner: Banner, cookieHeader: string | null): Banner {
  const dismissed = new Set(readDismissed(cookieHeader));
  return { ...banner, announcements: banner.announcements.filter(({ id }) => !dismissed.has(id)) };
}

/** The cookie that adds an announcement to the dismissed ones, for `document.cookie`. */
export function dismissedCookie(cookieHeader: string, id: string, secure: boolean): string {
  const ids = [...readDismissed(cookieHeader).filter((each) => each !== id), id].slice(-MOST_KEPT);
  return `${COOKIE}=${ids.join('.')}; Path=/; Max-Age=${KEPT_SECONDS}; SameSite=Lax${secure ? '; Secure' : ''}`;
}
