import { useSyncExternalStore } from 'react';
import { formatMoment, formatRelative, formatUtc } from '#app/lib/format.ts';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { usePageClock } from '#app/lib/page-clock.tsx';
import { commonTexts } from '#app/locales/common.ts';

type TimeAgoProps = {
  at: Date | string;
  /** `absolute` shows date and time in the reader's zone instead of a distance; `both` shows the distance after it. */
  style?: 'relative' | 'absolute' | 'both';
};

/**
 * A moment: a distance (kept fresh every half minute) or the time in the reader's zone; the full time is always in the
 * title. The server and the browser's first render count from the same moment, in the zone that the person has chosen or
 * this browser has told; where it is not known yet, they say the time in UTC until the browser takes over.
 */
export function TimeAgo({ at, style = 'relative' }: TimeAgoProps) {
  const date = typeof at === 'string' ? new Date(at) : at;
  const isLive = useIsLive();
  const { timeZone, renderedAt } = usePageClock();
  const language = useLanguage();
  const t = useT(commonTexts);
  if (Number.isNaN(date.getTime())) return <span>{t('unknownTime')}</span>;

  const utc = formatUtc(date);
  if (!isLive && (renderedAt === null || timeZone === null)) {
    return <time dateTime={date.toISOString()}>{utc}</time>;
  }
  const local = formatMoment(date, timeZone, language);
  // What happened after the last tick is not in the future.
  const now = isLive || renderedAt === null ? new Date() : new Date(renderedAt);
  const distance = formatRelative(date, now, language);
  return (
    <time dateTime={date.toISOString()} title={style === 'relative' ? local : utc}>
      {style === 'relative' ? distance : style === 'absolute' ? local : `${local} (${distance})`}
    </time>
  );
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let ticks = 0;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    ticks += 1;
    for (const each of listeners) each();
  }, 30_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** False on the server and while its page is taken over. One timer renders every moment on the page anew. */
const useIsLive = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => ticks,
    () => -1,
  ) >= 0;
