import { LANGUAGES, type Language } from '#app/locales/languages.ts';
import type { PriceRule } from '#server/generation/price/schemas.ts';
import {
  formatBytes,
  formatCredits,
  formatDuration,
  formatInteger,
  formatPercent,
  formatPrice,
} from './format.ts';
import { formatMoney } from './format-money.ts';
import { useLanguage } from './language.tsx';

const formatsOf = (language: Language) => ({
  integer: (value: number) => formatInteger(value, language),
  percent: (value: number | string) => formatPercent(value, language),
  credits: (credits: number) => formatCredits(credits, language),
  price: (price: PriceRule) => formatPrice(price, language),
  money: (amountMinor: number, currency: string) => formatMoney(amountMinor, currency, language),
  bytes: formatBytes,
  duration: formatDuration,
});

export type Format = ReturnType<typeof formatsOf>;

const formats = Object.fromEntries(
  LANGUAGES.map((language) => [language, formatsOf(language)]),
) as unknown as Record<Language, Format>;

/** The functions of `format.ts` in the page's language. Moments are `<TimeAgo>`. */
export const useFormat = (): Format => formats[useLanguage()];
