import { useLocation, useSubmit } from '@remix-run/react';
import { LogOut, Settings, UserRound } from 'lucide-react';
import { MenuButton, MenuHeading, MenuItem, MenuLine } from '#app/components/ui/menu-button.tsx';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { commonTexts } from '#app/locales/common.ts';
import { LANGUAGE_NAMES, LANGUAGES } from '#app/locales/languages.ts';
import type { SignedInUser } from '#server/trpc/context.ts';
import classes from './account-menu.module.css';

/** Who is signed in, the language, and the way out. The settings pages have plain forms for browsers without a script. */
export function AccountMenu({ user }: { user: SignedInUser }) {
  const submit = useSubmit();
  const t = useT(commonTexts);
  return (
    <MenuButton
      variant="default"
      label={t('accountMenu.label', { name: user.displayName })}
      icon={<UserRound size={17} aria-hidden="true" />}
    >
      <div className={classes.who} role="presentation">
        <div className={classes.name}>{user.displayName}</div>
        <div className={classes.email}>{user.email}</div>
      </div>
      <MenuLine />
      <MenuItem to="/settings" icon={<Settings size={16} aria-hidden="true" />}>
        {t('accountMenu.settings')}
      </MenuItem>
      <MenuLine />
      <MenuHeading>{t('accountMenu.language')}</MenuHeading>
      <LanguageItems />
      <MenuLine />
      <MenuItem
        icon={<LogOut size={16} aria-hidden="true" />}
        onSelect={() => submit(null, { method: 'post', action: '/logout' })}
      >
        {t('accountMenu.signOut')}
      </MenuItem>
    </MenuButton>
  );
}

function LanguageItems() {
  const submit = useSubmit();
  const { pathname, search } = useLocation();
  const current = useLanguage();
  const t = useT(commonTexts);
  return LANGUAGES.map((language) => (
    <MenuItem
      key={language}
      lang={language}
      chosen={language === current ? t('accountMenu.chosen') : null}
      onSelect={() =>
        submit({ language, next: `${pathname}${search}` }, { method: 'post', action: '/language' })
      }
    >
      {LANGUAGE_NAMES[language]}
    </MenuItem>
  ));
}
