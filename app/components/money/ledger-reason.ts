import { sentencePattern } from '#app/lib/sentence-pattern.ts';
import type { Language } from '#app/locales/languages.ts';
import { englishMoney, moneyTexts } from '#app/locales/money.ts';
import { statesTexts } from '#app/locales/states.ts';

type Key = keyof typeof englishMoney.reasons;

let known: readonly { key: Key; pattern: RegExp }[] | undefined;

/**
 * Why credits moved, in the language of the page. The ledger keeps an English sentence with each entry; an
 * administrator's own words stay as they were written.
 */
export function ledgerReason(reason: string, language: Language): string {
  if (language === 'en') return reason;
  known ??= (Object.keys(englishMoney.reasons) as Key[]).map((key) => ({
    key,
    pattern: sentencePattern(englishMoney.reasons[key]),
  }));
  for (const { key, pattern } of known) {
    const match = pattern.exec(reason);
    if (!match) continue;
    const { words = '', inner = '' } = match.groups ?? {};
    // What was paid off is another reason of the ledger.
    return moneyTexts.in(language)(`reasons.${key}`, {
      replace: { words, inner: ledgerReason(inner, language) },
    });
  }
  return failureReason(reason, language) ?? reason;
}

/** A refund says why its task failed. */
function failureReason(reason: string, language: Language): string | undefined {
  const english = statesTexts.in('en')('failures', { returnObjects: true }) as Record<string, string>;
  const code = Object.keys(english).find((each) => english[each] === reason);
  return code && statesTexts.in(language)(`failures.${code}` as 'failures.none');
}
