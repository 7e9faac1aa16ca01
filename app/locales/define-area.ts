import { createInstance, type Namespace, type TFunction } from 'i18next';
import { setI18n } from 'react-i18next';
import type { Language } from './languages.ts';

/**
 * One instance for server and browser: texts come with the code that shows them, so nothing is fetched, and a language
 * is named at each look-up, so requests in two languages never meet.
 */
const i18n = createInstance();
i18n.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: {},
  defaultNS: false,
  initAsync: false,
  // React escapes.
  interpolation: { escapeValue: false },
});
// `<Trans>` takes its settings from here; texts and language come from the `t` that it is given.
setI18n(i18n);

/** The texts of one part of the pages. In components: `const t = useT(taskTexts)`. */
export type Area<Name extends Namespace> = {
  /** The texts in a given language, for page titles, data and tests. */
  in(language: Language): TFunction<Name>;
};

/** Makes the texts of one area known. Keys are checked against the English file by the compiler. */
export function defineArea<Name extends string & Namespace>(
  name: Name,
  texts: Record<Language, object>,
): Area<Name> {
  const inEach = Object.fromEntries(
    Object.entries(texts).map(([language, bundle]) => {
      i18n.addResourceBundle(language, name, bundle);
      return [language, i18n.getFixedT(language, name)];
    }),
  ) as unknown as Record<Language, TFunction<Name>>;
  return { in: (language) => inEach[language] };
}
