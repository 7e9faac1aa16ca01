import type { LoaderFunctionArgs } from '@remix-run/node';
import { NavLink, Outlet } from '@remix-run/react';
import { requireAdmin } from '#app/lib/require-user.ts';
import classes from './admin.module.css';

/** Others get the answer of an unknown page; every procedure behind these pages checks again. */
export function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  return null;
}

const SECTIONS = [
  { to: '/admin', label: 'Overview', end: true },
  { to: '/admin/tasks', label: 'Tasks', end: false },
  { to: '/admin/channels', label: 'Channels', end: false },
  { to: '/admin/models', label: 'Models', end: false },
  { to: '/admin/workers', label: 'Workers', end: false },
] as const;

export default function AdminLayout() {
  return (
    <>
      <nav aria-label="Administration" className={classes.nav}>
        {SECTIONS.map(({ to, label, end }) => (
          <NavLink key={to} to={to} end={end} className={classes.link} prefetch="intent">
            {label}
          </NavLink>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
