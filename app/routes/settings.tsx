import type { LoaderFunctionArgs } from '@remix-run/node';
import { Outlet } from '@remix-run/react';
import classes from '#app/components/settings/settings-nav.module.css';
import { SettingsNav } from '#app/components/settings/settings-nav.tsx';
import { requireUser } from '#app/lib/require-user.ts';

export function loader({ request, context }: LoaderFunctionArgs) {
  requireUser(context, request);
  return null;
}

/** The pages of the settings beside their list; each has its own heading. */
export default function SettingsLayout() {
  return (
    <div className={classes.layout}>
      <SettingsNav />
      <div className={classes.page}>
        <Outlet />
      </div>
    </div>
  );
}
