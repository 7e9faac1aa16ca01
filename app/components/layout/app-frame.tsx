import { Button } from '@mantine/core';
import { Link, NavLink, useLocation, useNavigation } from '@remix-run/react';
import { Aperture, Coins, Images, type LucideIcon, Settings, ShieldCheck, Users } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { useT } from '#app/lib/language.tsx';
import { commonTexts } from '#app/locales/common.ts';
import type { SignedInUser } from '#server/trpc/context.ts';
import { AccountMenu } from './account-menu.tsx';
import classes from './app-frame.module.css';
import { Brand } from './brand.tsx';
import { ColorSchemeMenu } from './color-scheme-menu.tsx';
import { LanguageSwitch } from './language-switch.tsx';

type AppFrameProps = {
  user: SignedInUser | null;
  balanceCredits: number | null;
  /** Beside the balance: what happened since one looked. */
  bell?: ReactNode;
  /** Below the header: what concerns everybody. */
  banner?: ReactNode;
  children: ReactNode;
};

type Destination = {
  to: string;
  key: 'workbench' | 'library' | 'credits' | 'invites' | 'settings' | 'admin';
  Icon: LucideIcon;
};

const DESTINATIONS: readonly Destination[] = [
  { to: '/workbench', key: 'workbench', Icon: Aperture },
  { to: '/library', key: 'library', Icon: Images },
  { to: '/credits', key: 'credits', Icon: Coins },
  { to: '/invites', key: 'invites', Icon: Users },
  { to: '/settings', key: 'settings', Icon: Settings },
];
const ADMIN: Destination = { to: '/admin', key: 'admin', Icon: ShieldCheck };

/** Header, navigation (beside the sign on wide screens, at the bottom of phones), the page, and the skip link. */
export function AppFrame({ user, balanceCredits, bell, banner, children }: AppFrameProps) {
  const t = useT(commonTexts);
  const destinations = user ? (user.role === 'admin' ? [...DESTINATIONS, ADMIN] : DESTINATIONS) : [];
  return (
    <div className={classes.root} data-signed-in={user !== null}>
      <a href="#main" className={classes.skip}>
        {t('frame.skip')}
      </a>
      <NavigationBar />
      <header className={classes.header}>
        <div className={classes.bar}>
          <Link to={user ? '/workbench' : '/'} className={classes.home} aria-label={t('frame.home')}>
            <Brand />
          </Link>
          {user ? <MainNav destinations={destinations} placement="top" /> : null}
          <div className={classes.tools}>
            {user && balanceCredits !== null ? <BalanceLink credits={balanceCredits} /> : null}
            {user ? bell : null}
            <ColorSchemeMenu />
            {user ? <AccountMenu user={user} /> : <SignInLinks />}
          </div>
        </div>
        <div className={classes.perforation} aria-hidden="true" />
      </header>
      {banner}
      <main id="main" tabIndex={-1} className={classes.main}>
        {children}
      </main>
      <footer className={classes.footer}>
        <LanguageSwitch />
      </footer>
      {user ? <MainNav destinations={destinations} placement="bottom" /> : null}
      <PageAnnouncer />
    </div>
  );
}

function MainNav({
  destinations,
  placement,
}: {
  destinations: readonly Destination[];
  placement: 'top' | 'bottom';
}) {
  const t = useT(commonTexts);
  return (
    <nav aria-label={t('nav.label')} className={placement === 'top' ? classes.topNav : classes.bottomNav}>
      {destinations.map(({ to, key, Icon }) => (
        <NavLink key={to} to={to} className={classes.navLink} prefetch="intent">
          <Icon size={placement === 'top' ? 16 : 20} aria-hidden="true" />
          {t(`nav.${key}`)}
        </NavLink>
      ))}
    </nav>
  );
}

function BalanceLink({ credits }: { credits: number }) {
  const t = useT(commonTexts);
  return (
    <Link to="/credits" className={classes.balance}>
      <Coins size={16} aria-hidden="true" />
      <span className={classes.srOnly}>{t('frame.balance')} </span>
      <CreditAmount credits={credits} compact />
      <span className={classes.unit} aria-hidden="true">
        {t('frame.unit')}
      </span>
    </Link>
  );
}

/** On the page of an invite they carry its code along. */
function SignInLinks() {
  const t = useT(commonTexts);
  const { pathname } = useLocation();
  const code = /^\/invite\/([A-Za-z0-9-]+)$/.exec(pathname)?.[1];
  return (
    <>
      <Button component={Link} to="/login" variant="subtle" color="gray" className={classes.quiet}>
        {t('frame.signIn')}
      </Button>
      <Button component={Link} to={code ? `/signup?invite=${code}` : '/signup'} className={classes.wideOnly}>
        {t('frame.createAccount')}
      </Button>
    </>
  );
}

/** A thin line under way while the next page is being fetched. */
function NavigationBar() {
  const busy = useNavigation().state !== 'idle';
  return <div className={classes.progress} data-busy={busy} aria-hidden="true" />;
}

/** Says the new page's title to screen readers, which do not notice a page change without a reload. */
function PageAnnouncer() {
  const { pathname } = useLocation();
  const [title, setTitle] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what makes the title worth saying again
  useEffect(() => {
    setTitle((before) => (before === '' ? ' ' : document.title));
  }, [pathname]);
  return (
    <div role="status" aria-live="polite" className={classes.srOnly}>
      {title}
    </div>
  );
}
