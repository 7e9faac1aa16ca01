import { LOCALES } from '#app/lib/format.ts';
import { useLanguage } from '#app/lib/language.tsx';
import { usePageClock } from '#app/lib/page-clock.tsx';

const HOUR_MS = 3_600_000;

/**
 * Names the beginning of a bar: `14:05` in the page's zone for bars up to an hour, else `29 Nov`, because longer bars
 * are parts of UTC days. Without a zone it is UTC, which server and browser share.
 */
export function useBarTime(barMs: number): (from: Date) => string {
  const language = useLanguage();
  const { timeZone } = usePageClock();
  const format = new Intl.DateTimeFormat(
    LOCALES[language],
    barMs <= HOUR_MS
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: timeZone ?? 'UTC' }
      : { day: 'numeric', month: 'short', timeZone: 'UTC' },
  );
  return (from) => format.format(from);
}
