import { useEffect, useState } from 'react';
import { formatRelative, formatUtc } from '#app/lib/format.ts';

type TimeAgoProps = {
  at: Date | string;
  /** `absolute` shows date and time in the reader's zone instead of a distance; `both` shows the distance after it. */
  style?: 'relative' | 'absolute' | 'both';
};

const absoluteStyle: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };

/**
 * A moment. The server renders it in UTC, the browser's first render says the same, and after hydration it becomes a
 * distance (kept fresh every half minute) or the reader's local time; the full time is always in the title.
 */
export function TimeAgo({ at, style = 'relative' }: TimeAgoProps) {
  const date = typeof at === 'string' ? new Date(at) : at;
  const now = useNow();
  if (Number.isNaN(date.getTime())) return <span>unknown</span>;

  const utc = formatUtc(date);
  if (now === null) return <time dateTime={date.toISOString()}>{utc}</time>;
  const local = new Intl.DateTimeFormat(undefined, absoluteStyle).format(date);
  const distance = formatRelative(date, now);
  return (
    <time dateTime={date.toISOString()} title={style === 'relative' ? local : utc}>
      {style === 'relative' ? distance : style === 'absolute' ? local : `${local} (${distance})`}
    </time>
  );
}

const listeners = new Set<(now: Date) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, or null until hydrated. One timer serves every moment on the page. */
function useNow(): Date | null {
  const [now, setNow] = useState<Date | null>(null);
  useEffect(() => {
    setNow(new Date());
    listeners.add(setNow);
    timer ??= setInterval(() => {
      const tick = new Date();
      for (const listener of listeners) listener(tick);
    }, 30_000);
    return () => {
      listeners.delete(setNow);
      if (listeners.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
    };
  }, []);
  return now;
}
