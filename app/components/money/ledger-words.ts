import type { Language } from '#app/locales/languages.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { LedgerKind } from '#server/billing/schemas.ts';

/** What people call a kind of movement. */
export function ledgerKindLabel(kind: LedgerKind, language: Language = 'en'): string {
  return moneyTexts.in(language)(`ledgerKind.${kind}`);
}
