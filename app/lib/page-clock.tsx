import { createContext, useContext } from 'react';

/** The cookie in which a browser tells its time zone, so that the server's render already says its times. */
const TIME_ZONE_COOKIE = 'sidelane_time_zone';

type PageClock = {
  /** IANA name of the zone that moments are told in; null: this machine's own, known to the browser alone. */
  timeZone: string | null;
  /** When the server rendered, in ms since 1970: what the browser's first render counts distances from. */
  renderedAt: number | null;
};

const PageClockContext = createContext<PageClock>({ timeZone: null, renderedAt: null });

export const PageClockProvider = PageClockContext.Provider;

/** Zone and time of the page, chosen by the root loader; tests without a provider have neither. */
export const usePageClock = (): PageClock => useContext(PageClockContext);

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

/** What a person has chosen, else what this browser has told; null when neither is known. */
export function chooseTimeZone(input: {
  chosen: string | null | undefined;
  cookieHeader: string | null;
}): string | null {
  if (input.chosen && isTimeZone(input.chosen)) return input.chosen;
  const cookie = input.cookieHeader
    ?.split(';')
    .map((part) => part.trim().split('='))
    .find(([name]) => name === TIME_ZONE_COOKIE)?.[1];
  if (!cookie || cookie.length > 100) return null;
  try {
    const name = decodeURIComponent(cookie);
    return isTimeZone(name) ? name : null;
  } catch {
    return null;
  }
}

/** Keeps the browser's zone in its cookie, for the next page that the server renders. */
export function tellTimeZone(): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const value = encodeURIComponent(timeZone);
  if (document.cookie.split('; ').includes(`${TIME_ZONE_COOKIE}=${value}`)) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve
  document.cookie = `${TIME_ZONE_COOKIE}=${value}; path=/; max-age=31536000; samesite=lax`;
}
