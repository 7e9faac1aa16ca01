import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { LANGUAGES } from '#app/locales/languages.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { NOTIFICATION_TYPES } from '#server/notifications/schemas.ts';
import { NotificationBell } from './notification-bell.tsx';
import { type ListedNotification, NotificationList } from './notification-list.tsx';
import { detailOf, titleOf } from './notification-words.ts';

const told = (changes: Partial<ListedNotification> = {}): ListedNotification => ({
  id: '01920000-0000-7000-8000-000000000001',
  type: 'task.succeeded',
  taskId: '01920000-0000-7000-8000-000000000002',
  data: { kind: 'video', credits: 12, modelTitle: 'Sora' },
  prompt: 'a quiet harbour',
  createdAt: new Date(),
  readAt: null,
  ...changes,
});

it('says what happened and what it cost; only what is unread can be marked', () => {
  renderInApp(
    <NotificationList
      items={[
        told(),
        told({
          id: '01920000-0000-7000-8000-000000000003',
          type: 'task.failed',
          readAt: new Date(),
          data: { kind: 'image', credits: 0 },
        }),
      ]}
    />,
  );
  expect(screen.getByRole('link', { name: 'Your video is ready' })).toHaveAttribute(
    'href',
    '/notifications/01920000-0000-7000-8000-000000000001',
  );
  expect(screen.getByText('12 credits were charged.')).toBeVisible();
  expect(screen.getByText('Your image failed')).toBeVisible();
  expect(screen.getByText('The credits come back to you.')).toBeVisible();
  expect(screen.getAllByRole('button')).toHaveLength(1);
  expect(screen.getByRole('button', { name: 'Mark as read: Your video is ready' })).toBeVisible();
});

it.each(LANGUAGES)('has words for every type in %s', (language) => {
  const t = notificationsTexts.in(language);
  const format = { money: (minor: number, currency: string) => `${minor} ${currency}` };
  for (const type of NOTIFICATION_TYPES) {
    const words = `${titleOf(t, { type, data: {} })} ${detailOf(t, format, { type, data: {} }) ?? ''}`;
    expect(words).not.toMatch(/types\.|details\.|undefined|\{\{/);
  }
});

it('the bell is a link that says how many are unread', async () => {
  const { unmount } = renderInApp(<NotificationBell unread={3} />);
  const bell = screen.getByRole('link', { name: 'Notifications, 3 unread' });
  expect(bell).toHaveAttribute('href', '/notifications');
  await userEvent.click(bell);
  expect(await screen.findByRole('dialog', { name: 'Notifications, 3 unread' })).toBeVisible();
  unmount();
  renderInApp(<NotificationBell unread={0} />);
  expect(screen.getByRole('link', { name: 'Notifications' })).toBeVisible();
});
