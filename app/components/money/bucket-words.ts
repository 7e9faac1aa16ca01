import type { Language } from '#app/locales/languages.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { BucketView } from '#server/billing/schemas.ts';

/** What people call a kind of credits. */
export function bucketKindLabel(kind: BucketView['kind'], language: Language = 'en'): string {
  return moneyTexts.in(language)(`bucketKind.${kind}`);
}
