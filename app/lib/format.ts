import { commonTexts } from '#app/locales/common.ts';
import type { Language } from '#app/locales/languages.ts';
import type { PriceRule } from '#server/generation/price/schemas.ts';

/**
 * Text for people, in the language of the page (components: `useFormat`). Everything here gives the same answer on server
 * and browser unless it says otherwise.
 */

/** Fixed by language: the server's and the browser's own would differ and break hydration. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', 'zh-CN': 'zh-CN' };

const integers: Readonly<Record<Language, Intl.NumberFormat>> = {
  en: new Intl.NumberFormat(LOCALES.en),
  'zh-CN': new Intl.NumberFormat(LOCALES['zh-CN']),
};

/** `12345` → `12,345`; the sign is a real minus. */
export function formatInteger(value: number, language: Language = 'en'): string {
  return integers[language].format(value).replace('-', '−');
}

/** `67 %` with a space that does not break, `67%` in Chinese; a text is a number as it is to be shown. */
export function formatPercent(value: number | string, language: Language = 'en'): string {
  return `${value}${language === 'en' ? '\u00a0' : ''}%`.replace('-', '−');
}

/** `1 credit`, `12 credits`. */
export function formatCredits(credits: number, language: Language = 'en'): string {
  return commonTexts.in(language)('credits', {
    count: Math.abs(credits),
    amount: formatInteger(credits, language),
  });
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Decimal units with at most one decimal: `1.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const rounded = unit === 0 || value >= 99.5 ? Math.round(value) : Math.round(value * 10) / 10;
  return `${rounded} ${BYTE_UNITS[unit]}`;
}

/** Milliseconds as `0:07`, `12:30` or `1:02:03`. */
export function formatDuration(milliseconds: number): string {
  const total = Math.max(0, Math.round(milliseconds / 1000));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = String(total % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`;
}

const STEPS = [
  { unit: 'year', seconds: 31_557_600 },
  { unit: 'month', seconds: 2_629_800 },
  { unit: 'week', seconds: 604_800 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

const relatives: Readonly<Record<Language, Intl.RelativeTimeFormat>> = {
  en: new Intl.RelativeTimeFormat(LOCALES.en, { numeric: 'auto', style: 'long' }),
  'zh-CN': new Intl.RelativeTimeFormat(LOCALES['zh-CN'], { numeric: 'auto', style: 'long' }),
};

/** Distance from `now`: `just now`, `3 minutes ago`, `in 2 hours`. */
export function formatRelative(at: Date, now: Date, language: Language = 'en'): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const step = STEPS.find((candidate) => Math.abs(seconds) >= candidate.seconds);
  if (!step || Math.abs(seconds) < 5) return commonTexts.in(language)('justNow');
  return relatives[language].format(Math.trunc(seconds / step.seconds), step.unit);
}

/** `2026-11-29 14:05 UTC`: what the server renders, whatever its time zone. */
export function formatUtc(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const momentParts: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
};
const zones = new Map<string | undefined, Intl.DateTimeFormat>();

function inZone(timeZone: string | null): Intl.DateTimeFormat {
  const key = timeZone ?? undefined;
  const known = zones.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { ...momentParts, timeZone: key });
  zones.set(key, made);
  return made;
}

/** `29 Nov 2026, 14:05` in a zone by its IANA name; null: this machine's own, which server and browser do not share. */
export function formatMoment(at: Date, timeZone: string | null, language: Language = 'en'): string {
  const parts = Object.fromEntries(
    inZone(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const t = commonTexts.in(language);
  return t('moment', {
    // Beside a month in digits this format gives the day two of them.
    day: String(Number(parts.day)),
    month: t(`months.${Number(parts.month) as 1}`),
    year: parts.year,
    time: `${parts.hour}:${parts.minute}`,
  });
}

/** `12 credits per output`, `1 credit per 1,000 tokens`, `from 2 credits per second` where it depends on parameters. */
export function formatPrice(price: PriceRule, language: Language = 'en'): string {
  const t = commonTexts.in(language);
  const amounts = [price.credits, ...(price.tiers ?? []).map(({ credits }) => credits)];
  const least = Math.min(...amounts);
  const credits = formatCredits(least, language);
  const text = t(`price.${price.unit}`, {
    credits,
    count: price.blockTokens ?? 1,
    block: formatInteger(price.blockTokens ?? 1, language),
  });
  return amounts.some((each) => each !== least) ? t('price.from', { price: text }) : text;
}

/** No order costs anything. */
export const isFree = ({ credits, tiers = [] }: PriceRule): boolean =>
  credits === 0 && tiers.every((tier) => tier.credits === 0);
