import { VisuallyHidden } from '@mantine/core';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { NavLink, Outlet, useLoaderData } from '@remix-run/react';
import { requireAdmin } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import classes from './admin.module.css';

/** Others get the answer of an unknown page; every procedure behind these pages checks again. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const { uncertain, refunds, hasMore } = await loadOrThrow(request, context.trpc.adminTasks.attention());
  return { waiting: uncertain.length + refunds.length, moreWait: hasMore };
}

const ATTENTION = '/admin/attention';

const SECTIONS = [
  { to: '/admin', label: 'Overview', end: true },
  { to: ATTENTION, label: 'Needs attention', end: false },
  { to: '/admin/tasks', label: 'Tasks', end: false },
  { to: '/admin/channels', label: 'Channels', end: false },
  { to: '/admin/models', label: 'Models', end: false },
  { to: '/admin/webhooks', label: 'Webhook inbox', end: false },
  { to: '/admin/workers', label: 'Workers', end: false },
] as const;

export default function AdminLayout() {
  const { waiting, moreWait } = useLoaderData<typeof loader>();
  return (
    <>
      <nav aria-label="Administration" className={classes.nav}>
        {SECTIONS.map(({ to, label, end }) => (
          <NavLink key={to} to={to} end={end} className={classes.link} prefetch="intent">
            {label}{' '}
            {to === ATTENTION && waiting > 0 ? (
              <span className={classes.count}>
                {waiting}
                {moreWait ? '+' : ''}
                <VisuallyHidden component="span"> waiting</VisuallyHidden>
              </span>
            ) : null}
          </NavLink>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
