import type { Namespace, TFunction } from 'i18next';
import { createContext, useContext } from 'react';
import type { Area } from '#app/locales/define-area.ts';
import type { Language } from '#app/locales/languages.ts';

/** The page's language, chosen by the root loader; tests without a provider read English. */
const LanguageContext = createContext<Language>('en');

export const LanguageProvider = LanguageContext.Provider;

export const useLanguage = (): Language => useContext(LanguageContext);

/** The texts of an area in the page's language: `const t = useT(taskTexts); t('retry')`. */
export const useT = <Name extends Namespace>(area: Area<Name>): TFunction<Name> => area.in(useLanguage());

/** The language of a page for its `meta` function, which runs outside of components. */
export function languageOf(matches: readonly { id: string; data: unknown }[]): Language {
  const root = matches.find(({ id }) => id === 'root')?.data as { language?: Language } | undefined;
  return root?.language ?? 'en';
}
