import { useLanguage } from '#app/lib/language.tsx';
import { formatMicros } from './format-micros.ts';

/** Millionths of a currency in the page's language. */
export function useMicros() {
  const language = useLanguage();
  return (micros: number, currency: string, options?: { exact?: boolean }): string =>
    formatMicros(micros, currency, language, options);
}
