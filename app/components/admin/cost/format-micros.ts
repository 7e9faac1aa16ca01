import { LOCALES } from '#app/lib/format.ts';
import { minorDigits } from '#app/lib/format-money.ts';
import type { Language } from '#app/locales/languages.ts';

const MICRO_DIGITS = 6;

/**
 * Millionths of a currency as people read them: `US$0.0025`. Sums are written in the currency's own digits; `exact` keeps
 * every digit, for prices.
 */
export function formatMicros(
  micros: number,
  currency: string,
  language: Language,
  { exact = false }: { exact?: boolean } = {},
): string {
  const digits = minorDigits(currency);
  // A sum below the smallest coin is not nothing.
  const small = micros > 0 && micros < 10 ** (MICRO_DIGITS - digits);
  return new Intl.NumberFormat(LOCALES[language], {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: exact || small ? MICRO_DIGITS : digits,
  })
    .format(micros / 10 ** MICRO_DIGITS)
    .replace('-', '−');
}

/** As it is typed: `0.0025`, whatever the language. */
export function toAmountText(micros: number): string {
  const whole = Math.floor(micros / 10 ** MICRO_DIGITS);
  const parts = String(micros % 10 ** MICRO_DIGITS)
    .padStart(MICRO_DIGITS, '0')
    .replace(/0+$/, '');
  return parts === '' ? String(whole) : `${whole}.${parts}`;
}

const AMOUNT = /^(\d{1,7})(?:[.,](\d{1,6}))?$/;

/** Digit by digit, so that no fraction is ever rounded; undefined when it is no amount. */
export function parseAmount(text: string): number | undefined {
  const [, whole, parts = ''] = AMOUNT.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  return Number(whole) * 10 ** MICRO_DIGITS + Number(parts.padEnd(MICRO_DIGITS, '0'));
}
