import { ActionIcon, Menu } from '@mantine/core';
import { Link, useLocation, useSubmit } from '@remix-run/react';
import { Check, LogOut, Settings, UserRound } from 'lucide-react';
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
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size="lg"
          radius="xl"
          aria-label={t('accountMenu.label', { name: user.displayName })}
        >
          <UserRound size={17} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.who} role="presentation">
          <div className={classes.name}>{user.displayName}</div>
          <div className={classes.email}>{user.email}</div>
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/settings" leftSection={<Settings size={16} aria-hidden="true" />}>
          {t('accountMenu.settings')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('accountMenu.language')}</Menu.Label>
        <LanguageItems />
        <Menu.Divider />
        <Menu.Item
          leftSection={<LogOut size={16} aria-hidden="true" />}
          onClick={() => submit(null, { method: 'post', action: '/logout' })}
        >
          {t('accountMenu.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function LanguageItems() {
  const submit = useSubmit();
  const { pathname, search } = useLocation();
  const current = useLanguage();
  const t = useT(commonTexts);
  return LANGUAGES.map((language) => (
    <Menu.Item
      key={language}
      lang={language}
      rightSection={
        language === current ? <Check size={16} role="img" aria-label={t('accountMenu.chosen')} /> : null
      }
      onClick={() =>
        submit({ language, next: `${pathname}${search}` }, { method: 'post', action: '/language' })
      }
    >
      {LANGUAGE_NAMES[language]}
    </Menu.Item>
  ));
}
