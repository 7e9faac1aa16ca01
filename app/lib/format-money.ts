import type { Language } from '#app/locales/languages.ts';
import { LOCALES } from './format.ts';

const NO_DIGITS = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const THREE_DIGITS = new Set('BHD JOD KWD OMR TND'.split(' '));

/**
 * Digits after the point of an amount in minor units: 2 for EUR, 0 for JPY, 3 for KWD. A list of our own, as Stripe counts
 * (docs.stripe.com/currencies): `Intl` tells how people write an amount, which for HUF, IDR or ISK is without the two
 * digits that are charged with, and differs between its releases.
 */
export function minorDigits(currency: string): number {
  if (NO_DIGITS.has(currency)) return 0;
  return THREE_DIGITS.has(currency) ? 3 : 2;
}

/** An amount in the currency's minor unit as people read it: `€9.90`, `JP¥500`; the sign is a real minus. */
export function formatMoney(amountMinor: number, currency: string, language: Language = 'en'): string {
  const digits = minorDigits(currency);
  return new Intl.NumberFormat(LOCALES[language], {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
    .format(amountMinor / 10 ** digits)
    .replace('-', '−');
}
