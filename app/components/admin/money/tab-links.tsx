import { Link } from '@remix-run/react';
import classes from './money.module.css';

type TabLink = { to: string; label: string; current: boolean };

/** Two or three views of one page, each with an address of its own. */
export function TabLinks({ label, tabs }: { label: string; tabs: readonly TabLink[] }) {
  return (
    <nav aria-label={label} className={classes.tabs}>
      {tabs.map((tab) => (
        <Link
          key={tab.to}
          to={tab.to}
          className={classes.tab}
          aria-current={tab.current ? 'page' : undefined}
          preventScrollReset
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
