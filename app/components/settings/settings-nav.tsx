import { NavLink } from '@remix-run/react';
import {
  Database,
  KeyRound,
  LockKeyhole,
  type LucideIcon,
  MonitorSmartphone,
  UserRound,
  Webhook,
} from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { accountTexts } from '#app/locales/account.ts';
import classes from './settings-nav.module.css';

type Page = {
  to: string;
  key: 'profile' | 'password' | 'sessions' | 'tokens' | 'webhooks' | 'data';
  Icon: LucideIcon;
};

const PAGES: readonly Page[] = [
  { to: '/settings', key: 'profile', Icon: UserRound },
  { to: '/settings/password', key: 'password', Icon: LockKeyhole },
  { to: '/settings/sessions', key: 'sessions', Icon: MonitorSmartphone },
  { to: '/settings/tokens', key: 'tokens', Icon: KeyRound },
  { to: '/settings/webhooks', key: 'webhooks', Icon: Webhook },
  { to: '/settings/data', key: 'data', Icon: Database },
];

/** The pages of the settings: beside them on wide screens, above them on phones, where they wrap. */
export function SettingsNav() {
  const t = useT(accountTexts);
  return (
    <nav aria-label={t('settings.nav')} className={classes.root}>
      <ul className={classes.list}>
        {PAGES.map(({ to, key, Icon }) => (
          <li key={to}>
            <NavLink to={to} end={to === '/settings'} className={classes.link} prefetch="intent">
              <Icon size={16} aria-hidden="true" />
              {t(`settings.${key}`)}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
