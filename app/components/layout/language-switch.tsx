import { Form, useLocation } from '@remix-run/react';
import { Languages } from 'lucide-react';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { commonTexts } from '#app/locales/common.ts';
import { LANGUAGE_NAMES, LANGUAGES } from '#app/locales/languages.ts';
import classes from './language-switch.module.css';

/** Every language by its own name, each a button of a form that leads back to the page. Works without a script. */
export function LanguageSwitch() {
  const { pathname, search } = useLocation();
  const current = useLanguage();
  const t = useT(commonTexts);
  return (
    <Form method="post" action="/language" preventScrollReset className={classes.root}>
      <input type="hidden" name="next" value={`${pathname}${search}`} />
      <fieldset className={classes.choice}>
        <legend className={classes.legend}>{t('language.label')}</legend>
        <Languages size={15} aria-hidden="true" />
        {LANGUAGES.map((language) => (
          <button
            key={language}
            type="submit"
            name="language"
            value={language}
            lang={language}
            aria-pressed={language === current}
            className={classes.button}
          >
            {LANGUAGE_NAMES[language]}
          </button>
        ))}
      </fieldset>
    </Form>
  );
}
