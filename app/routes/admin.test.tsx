import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { makeRefund, makeUncertain } from '#app/testing/admin-fixtures.ts';
import { makePaymentEvent, makePaymentRefund } from '#app/testing/admin-money-fixtures.ts';
import { makeAdminModel, makeChannel } from '#app/testing/channel-fixtures.ts';
import { makeCostsView } from '#app/testing/cost-fixtures.ts';
import { makeOverview } from '#app/testing/overview-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { AttentionView } from '#server/generation/schemas.ts';
import type { PaymentEventView, PaymentRefundView } from '#server/orders/schemas.ts';
import AdminOverview, { loader as overviewLoader } from './admin._index.tsx';
import AdminLayout, { loader as layoutLoader } from './admin.tsx';

/** What waits: of tasks, and of orders. */
type Waiting = Partial<AttentionView> & {
  mismatches?: PaymentEventView[];
  moneyRefunds?: PaymentRefundView[];
};

function contextOf(waiting: Waiting, role: 'admin' | 'user' = 'admin') {
  const { mismatches = [], moneyRefunds = [], ...view } = waiting;
  const attention = vi.fn(async () => ({ uncertain: [], refunds: [], hasMore: false, ...view }));
  const refunds = vi.fn(async (_input: unknown) => ({ items: moneyRefunds, nextCursor: null }));
  return {
    attention,
    refunds,
    context: {
      user: { id: 'u', email: 'ada@example.com', displayName: 'Ada', role },
      trpc: {
        adminTasks: { attention, list: async () => ({ items: [], nextCursor: null }) },
        adminOrders: { mismatches: async () => mismatches, refunds },
        channels: { list: async () => [makeChannel()] },
        models: { list: async () => [makeAdminModel()] },
        workers: { list: async () => [{ freshness: 'fresh' }] },
        overview: { summary: async () => makeOverview(), costs: async () => makeCostsView() },
      },
    },
  };
}

function showNavigation(view: Waiting) {
  const { context } = contextOf(view);
  return renderInApp(<AdminLayout />, {
    url: '/admin',
    loader: ({ request }) => layoutLoader({ request, context } as never),
  });
}

function showOverview(view: Waiting) {
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

  it('counts payments that do not fit and money that is stuck, and asks for no other refunds', async () => {
    const waiting = { mismatches: [makePaymentEvent()], moneyRefunds: [makePaymentRefund()] };
    showNavigation({ ...waiting, refunds: [makeRefund()] });
    expect(await screen.findByRole('link', { name: 'Needs attention 3 waiting' })).toBeInTheDocument();
    const { context, refunds } = contextOf(waiting);
    const request = new Request('http://site.invalid/admin');
    await layoutLoader({ request, context } as never);
    expect(refunds).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 'manual' }));
  });

  it('names its four groups, and has every page once', async () => {
    showNavigation({});
    const navigation = await screen.findByRole('navigation', { name: 'Administration' });
    for (const [name, links] of [
      ['Work', 4],
      ['Providers', 4],
      ['Money', 7],
      ['Site', 7],
    ] as const) {
      expect(within(within(navigation).getByRole('list', { name })).getAllByRole('link')).toHaveLength(links);
    }
    const addresses = within(navigation)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'));
    expect(new Set(addresses).size).toBe(22);
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

  it('counts payments and money on its way back that wait for a person', async () => {
    showOverview({
      mismatches: [makePaymentEvent(), makePaymentEvent()],
      moneyRefunds: [makePaymentRefund()],
    });
    await waitFor(() => expect(figureOf('Payments to look at')?.textContent).toBe('3'));
    expect(figureOf('Refunds to look at')?.textContent).toBe('0');
  });

  it.each<[string, Waiting, RegExp]>([
    ['uncertain tasks', { uncertain: [makeUncertain()] }, /Nobody knows/],
    ['refunds', { refunds: [makeRefund()] }, /Credits are owed/],
    ['payments', { mismatches: [makePaymentEvent()] }, /Money came or has to go back/],
    ['nothing', {}, /^Nothing\. Every task/],
  ])('says in words what waits: %s', async (_what, view, words) => {
    showOverview(view);
    expect(await screen.findByText(words)).toBeInTheDocument();
  });
});
