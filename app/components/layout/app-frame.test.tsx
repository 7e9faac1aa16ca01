import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { AppFrame } from './app-frame.tsx';

const user = (role: 'user' | 'admin') => ({ id: 'u', email: 'ada@example.com', displayName: 'Ada', role });

it('shows a visitor the ways in, and no navigation of the inside', () => {
  renderInApp(
    <AppFrame user={null} balanceCredits={null}>
      Page
    </AppFrame>,
  );
  expect(screen.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/login');
  expect(screen.queryByRole('navigation', { name: 'Main' })).toBeNull();
  expect(screen.getByRole('main')).toHaveTextContent('Page');
});

it('shows the balance and the pages of a user, the administration only to administrators', () => {
  const { unmount } = renderInApp(
    <AppFrame user={user('user')} balanceCredits={1234}>
      Page
    </AppFrame>,
    { url: '/credits' },
  );
  const [nav] = screen.getAllByRole('navigation', { name: 'Main' });
  const links = within(nav as HTMLElement).getAllByRole('link');
  expect(links.map((link) => link.textContent)).toEqual([
    'Workbench',
    'Library',
    'Credits',
    'Invites',
    'Settings',
  ]);
  expect(within(nav as HTMLElement).getByRole('link', { current: 'page' })).toHaveTextContent('Credits');
  expect(screen.getByText(/1,234/).closest('a')).toHaveAttribute('href', '/credits');
  unmount();

  renderInApp(
    <AppFrame user={user('admin')} balanceCredits={0}>
      Page
    </AppFrame>,
  );
  expect(screen.getAllByRole('link', { name: 'Admin' })).toHaveLength(2);
});

it('starts with a link that skips to the content', () => {
  renderInApp(
    <AppFrame user={null} balanceCredits={null}>
      Page
    </AppFrame>,
  );
  expect(screen.getAllByRole('link')[0]).toHaveAttribute('href', '#main');
  expect(screen.getByRole('main')).toHaveAttribute('id', 'main');
});
