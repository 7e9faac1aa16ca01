import { ActionIcon, Menu } from '@mantine/core';
import { Link, useSubmit } from '@remix-run/react';
import { LogOut, Settings, UserRound } from 'lucide-react';
import type { SignedInUser } from '#server/trpc/context.ts';
import classes from './account-menu.module.css';

/** Who is signed in, and the way out. The settings page has a plain sign-out form for browsers without a script. */
export function AccountMenu({ user }: { user: SignedInUser }) {
  const submit = useSubmit();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" radius="xl" aria-label={`Account of ${user.displayName}`}>
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
          Settings
        </Menu.Item>
        <Menu.Item
          leftSection={<LogOut size={16} aria-hidden="true" />}
          onClick={() => submit(null, { method: 'post', action: '/logout' })}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
