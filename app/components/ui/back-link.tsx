import { Link } from '@remix-run/react';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './back-link.module.css';

/** Above a page's title: the way up to the list that it belongs to. */
export function BackLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={classes.root}>
      <ArrowLeft size={16} aria-hidden="true" /> {children}
    </Link>
  );
}
