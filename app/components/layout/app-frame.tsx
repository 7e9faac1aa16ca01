import { Button } from '@mantine/core';
import { Link, NavLink, useLocation, useNavigation } from '@remix-run/react';
import { Aperture, Coins, type LucideIcon, Settings, ShieldCheck } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import type { SignedInUser } from '#server/trpc/context.ts';
import { AccountMenu } from './account-menu.tsx';
import classes from './app-frame.module.css';
import { Brand } from './brand.tsx';
import { ColorSchemeMenu } from './color-scheme-menu.tsx';

type AppFrameProps = { user: SignedInUser | null; balanceCredits: number | null; children: ReactNode };

type Destination = { to: string; label: string; Icon: LucideIcon };

const DESTINATIONS: readonly Destination[] = [
  { to: '/workbench', label: 'Workbench', Icon: Aperture },
  { to: '/credits', label: 'Credits', Icon: Coins },
  { to: '/settings', label: 'Settings', Icon: Settings },
];
const ADMIN: Destination = { to: '/admin', label: 'Admin', Icon: ShieldCheck };

/** Header, navigation (beside the sign on wide screens, at the bottom of phones), the page, and the skip link. */
export function AppFrame({ user, balanceCredits, children }: AppFrameProps) {
  const destinations = user ? (user.role === 'admin' ? [...DESTINATIONS, ADMIN] : DESTINATIONS) : [];
  return (
    <div className={classes.root} data-signed-in={user !== null}>
      <a href="#main" className={classes.skip}>
        Skip to the content
      </a>
      <NavigationBar />
      <header className={classes.header}>
        <div className={classes.bar}>
          <Link to={user ? '/workbench' : '/'} className={classes.home} aria-label="Sidelane, home">
            <Brand />
          </Link>
          {user ? <MainNav destinations={destinations} placement="top" /> : null}
          <div className={classes.tools}>
            {user && balanceCredits !== null ? <BalanceLink credits={balanceCredits} /> : null}
            <ColorSchemeMenu />
            {user ? <AccountMenu user={user} /> : <SignInLinks />}
          </div>
        </div>
        <div className={classes.perforation} aria-hidden="true" />
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        {children}
      </main>
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
  return (
    <nav aria-label="Main" className={placement === 'top' ? classes.topNav : classes.bottomNav}>
      {destinations.map(({ to, label, Icon }) => (
        <NavLink key={to} to={to} className={classes.navLink} prefetch="intent">
          <Icon size={placement === 'top' ? 16 : 20} aria-hidden="true" />
          {label}
        </NavLink>
      ))}
    </nav>
  );
}

function BalanceLink({ credits }: { credits: number }) {
  return (
    <Link to="/credits" className={classes.balance}>
      <Coins size={16} aria-hidden="true" />
      <span className={classes.srOnly}>Balance: </span>
      <CreditAmount credits={credits} compact />
      <span className={classes.unit} aria-hidden="true">
        credits
      </span>
    </Link>
  );
}

function SignInLinks() {
  return (
    <>
      <Button component={Link} to="/login" variant="subtle" color="gray" className={classes.quiet}>
        Sign in
      </Button>
      <Button component={Link} to="/signup" className={classes.wideOnly}>
        Create account
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
