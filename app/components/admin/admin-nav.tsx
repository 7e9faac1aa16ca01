import { VisuallyHidden } from '@mantine/core';
import { NavLink, useLocation } from '@remix-run/react';
import { ChevronDown } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { operationsTexts } from '#app/locales/operations.ts';
import classes from './admin-nav.module.css';

const GROUPS = [
  {
    key: 'work',
    links: [
      { to: '/admin', key: 'overview' },
      { to: '/admin/attention', key: 'attention' },
      { to: '/admin/tasks', key: 'tasks' },
      { to: '/admin/workers', key: 'workers' },
    ],
  },
  {
    key: 'providers',
    links: [
      { to: '/admin/channels', key: 'channels' },
      { to: '/admin/models', key: 'models' },
      { to: '/admin/webhooks', key: 'webhooksIn' },
      { to: '/admin/webhooks/out', key: 'webhooksOut' },
    ],
  },
  {
    key: 'money',
    links: [
      { to: '/admin/money', key: 'summary' },
      { to: '/admin/users', key: 'people' },
      { to: '/admin/orders', key: 'orders' },
      { to: '/admin/packs', key: 'packs' },
      { to: '/admin/refunds', key: 'refunds' },
      { to: '/admin/codes', key: 'codes' },
      { to: '/admin/invites', key: 'invites' },
    ],
  },
  {
    key: 'site',
    links: [
      { to: '/admin/pauses', key: 'pauses' },
      { to: '/admin/announcements', key: 'announcements' },
      { to: '/admin/templates', key: 'templates' },
      { to: '/admin/settings', key: 'policies' },
      { to: '/admin/audit', key: 'audit' },
      { to: '/admin/system', key: 'system' },
      { to: '/admin/setup', key: 'setup' },
    ],
  },
] as const;

/** The longest address first: the page that one is on is the first that fits. */
const BY_LENGTH = GROUPS.flatMap(({ links }) => [...links]).sort((a, b) => b.to.length - a.to.length);

/** These have pages below them that have a link of their own. */
const EXACT: readonly string[] = ['/admin', '/admin/webhooks'];

type AdminNavProps = { waiting: number; moreWait: boolean };

/**
 * The pages of the back office by group: all in sight on wide screens, behind the name of the present page on phones.
 * A plain `details`, so that it opens without scripts; going to another page closes it.
 */
export function AdminNav({ waiting, moreWait }: AdminNavProps) {
  const t = useT(operationsTexts);
  const { pathname } = useLocation();
  const current = BY_LENGTH.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  const count = waiting > 0 ? <Count waiting={waiting} moreWait={moreWait} /> : null;
  return (
    <nav aria-label={t('nav.label')} className={classes.nav}>
      <details key={pathname} className={classes.details}>
        <summary className={classes.summary}>
          <span>
            <VisuallyHidden component="span">{t('nav.open')}: </VisuallyHidden>
            {t(`nav.${current?.key ?? 'overview'}`)} {count}
          </span>
          <ChevronDown size={18} aria-hidden="true" />
        </summary>
        <div className={classes.groups}>
          {GROUPS.map(({ key, links }) => (
            <div key={key} className={classes.group}>
              <span id={`admin-${key}`} className={classes.name}>
                {t(`nav.groups.${key}`)}
              </span>
              <ul aria-labelledby={`admin-${key}`} className={classes.links}>
                {links.map((link) => (
                  <li key={link.to}>
                    <NavLink
                      to={link.to}
                      end={EXACT.includes(link.to)}
                      className={classes.link}
                      prefetch="intent"
                    >
                      {t(`nav.${link.key}`)} {link.key === 'attention' ? count : null}
                    </NavLink>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </details>
    </nav>
  );
}

function Count({ waiting, moreWait }: AdminNavProps) {
  const t = useT(operationsTexts);
  return (
    <span className={classes.count}>
      {waiting}
      {moreWait ? '+' : ''}
      <VisuallyHidden component="span"> {t('nav.waiting')}</VisuallyHidden>
    </span>
  );
}
