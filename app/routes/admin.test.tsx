import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { makeRefund, makeUncertain } from '#app/testing/admin-fixtures.ts';
import { makeAdminModel, makeChannel } from '#app/testing/channel-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { AttentionView } from '#server/generation/schemas.ts';
import AdminOverview, { loader as overviewLoader } from './admin._index.tsx';
import AdminLayout, { loader as layoutLoader } from './admin.tsx';

function contextOf(view: Partial<AttentionView>, role: 'admin' | 'user' = 'admin') {
  const attention = vi.fn(async () => ({ uncertain: [], refunds: [], hasMore: false, ...view }));
  return {
    attention,
    context: {
      user: { id: 'u', email: 'ada@example.com', displayName: 'Ada', role },
      trpc: {
        adminTasks: { attention, list: async () => ({ items: [], nextCursor: null }) },
        channels: { list: async () => [makeChannel()] },
        models: { list: async () => [makeAdminModel()] },
        workers: { list: async () => [{ freshness: 'fresh' }] },
      },
    },
  };
}

function showNavigation(view: Partial<AttentionView>) {
  const { context } = contextOf(view);
  return renderInApp(<AdminLayout />, {
    url: '/admin',
    loader: ({ request }) => layoutLoader({ request, context } as never),
  });
}

function showOverview(view: Partial<AttentionView>) {
  const { context } = contextOf(view);
  return renderInApp(<AdminOverview />, {
    url: '/admin',
    loader: ({ request }) => overviewLoader({ request, context } as never),
  });
}

describe('the navigation of the back office', () => {
  it('counts what waits for a person', async () => {
    showNavigation({ uncertain: [makeUncertain()], refunds: [makeRefund()] });
    const link = await screen.findByRole('link', { name: 'Needs attention 2 waiting' });
    expect(link).toHaveAttribute('href', '/admin/attention');
    expect(screen.getByRole('link', { name: 'Webhook inbox' })).toHaveAttribute('href', '/admin/webhooks');
  });

  it('says when there are more than it knows, and nothing when nothing waits', async () => {
    const { unmount } = showNavigation({ uncertain: [makeUncertain()], hasMore: true });
    expect(await screen.findByRole('link', { name: 'Needs attention 1+ waiting' })).toBeInTheDocument();
    unmount();
    showNavigation({});
    expect(await screen.findByRole('link', { name: 'Needs attention' })).toBeInTheDocument();
  });

  it('is a page like any unknown one for everybody else, who learns no count', async () => {
    const { context, attention } = contextOf({}, 'user');
    const request = new Request('http://site.invalid/admin');
    await expect(layoutLoader({ request, context } as never)).rejects.toMatchObject({ status: 404 });
    expect(attention).not.toHaveBeenCalled();
  });
});

describe('the overview', () => {
  const figureOf = (label: string) => screen.getByText(label).nextElementSibling;

  it('counts uncertain tasks and refunds apart, and leads to both', async () => {
    showOverview({ uncertain: [makeUncertain(), makeUncertain()], refunds: [makeRefund()], hasMore: true });
    await waitFor(() => expect(figureOf('Uncertain tasks')).toHaveTextContent('2+'));
    expect(figureOf('Refunds to look at')?.textContent).toBe('1');
    expect(screen.getByRole('link', { name: 'Show what needs attention' })).toHaveAttribute(
      'href',
      '/admin/attention',
    );
  });

  it.each<[string, Partial<AttentionView>, RegExp]>([
    ['uncertain tasks', { uncertain: [makeUncertain()] }, /Nobody knows/],
    ['refunds', { refunds: [makeRefund()] }, /Credits are owed/],
    ['nothing', {}, /^Nothing\. Every task/],
  ])('says in words what waits: %s', async (_what, view, words) => {
    showOverview(view);
    expect(await screen.findByText(words)).toBeInTheDocument();
  });
});
