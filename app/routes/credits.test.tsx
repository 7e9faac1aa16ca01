import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import {
  makeBalance,
  makeBucket,
  makeDebt,
  makeEntry,
  makeOrder,
  ORDER_ID,
} from '#app/testing/money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { BalanceView, LedgerPage } from '#server/billing/schemas.ts';
import type { OrderView } from '#server/orders/schemas.ts';
import Credits, { loader } from './credits._index.tsx';
import { loader as csvLoader } from './credits.ledger[.]csv.ts';

type Shown = {
  balance?: Partial<BalanceView>;
  ledger?: Partial<LedgerPage>;
  orders?: OrderView[];
  query?: string;
};

function show({ balance = {}, ledger = {}, orders = [], query = '' }: Shown = {}) {
  const readLedger = vi.fn(async (_input: unknown) => ({ items: [], nextCursor: null, ...ledger }));
  const context = {
    trpc: {
      billing: { balance: async () => makeBalance(balance), ledger: readLedger },
      orders: { list: async () => ({ items: orders, nextCursor: null }) },
    },
  };
  const view = renderInApp(<Credits />, {
    url: `/credits${query}`,
    loader: ({ request }) => loader({ request, context } as never),
  });
  return { readLedger, context, ...view };
}

const heading = () => screen.findByRole('heading', { name: 'Credits' });
const rowsOf = (table: HTMLElement) => within(table).getAllByRole('row').slice(1);

describe('the credits page', () => {
  it('shows what can be spent by bucket, in the order in which it is spent', async () => {
    show({
      balance: {
        balanceCredits: 650,
        buckets: [
          makeBucket({ id: 'b1', kind: 'promotional', remainingCredits: 50, orderId: null }),
          makeBucket({ id: 'b2', remainingCredits: 500 }),
          makeBucket({ id: 'b3', kind: 'granted', remainingCredits: 100, expiresAt: null, orderId: null }),
        ],
      },
    });
    const rows = rowsOf(await screen.findByRole('table', { name: 'Credits by expiry' }));
    expect(rows[0]).toHaveTextContent(/50 credits · spent first.*Promotional.*2027/);
    expect(rows[1]).toHaveTextContent(/500 credits.*Bought/);
    expect(rows[1]).not.toHaveTextContent('spent first');
    expect(rows[2]).toHaveTextContent(/100 credits.*Granted.*never/);
    expect(within(rows[1] as HTMLElement).getByRole('link', { name: 'Bought' })).toHaveAttribute(
      'href',
      `/orders/${ORDER_ID}`,
    );
  });

  it('says plainly that a debt stops new tasks, for what it is, and how it ends', async () => {
    show({
      balance: {
        debts: [
          makeDebt({ remainingCredits: 70 }),
          makeDebt({ id: 'd2', amountCredits: 5, remainingCredits: 5 }),
        ],
      },
    });
    const title = await screen.findByText('You owe 75 credits');
    const notice = title.parentElement as HTMLElement;
    expect(notice).toHaveTextContent(
      /comes in next pays this off first.*Nothing can be submitted until then/,
    );
    expect(notice).toHaveTextContent(/spent: 70 credits left of 120 credits/);
    expect(screen.getByRole('link', { name: 'Buy credits' })).toHaveAttribute('href', '/credits/buy');
    expect(screen.getByRole('link', { name: 'Redeem a code' })).toHaveAttribute('href', '/redeem');
  });

  it('says nothing of debts when there is none', async () => {
    show();
    await heading();
    expect(screen.queryByText(/owe/i)).toBeNull();
  });

  it('leads from an entry to its task or its order', async () => {
    show({
      ledger: {
        items: [
          makeEntry({ id: 'e1', kind: 'hold', deltaCredits: -8, taskId: 't1', reason: 'A lamp' }),
          makeEntry({
            id: 'e2',
            kind: 'purchase',
            deltaCredits: 1_000,
            orderId: ORDER_ID,
            reason: 'Starter',
          }),
          makeEntry({ id: 'e3' }),
        ],
      },
    });
    const [task, order, grant] = rowsOf(await screen.findByRole('table', { name: 'Ledger entries' }));
    const link = (row: HTMLElement | undefined) => within(row as HTMLElement).getByRole('link');
    expect(task).toHaveTextContent(/Held for a task.*−8/);
    expect(link(task)).toHaveAttribute('href', '/workbench/tasks/t1');
    expect(order).toHaveTextContent(/Bought.*\+1,000/);
    expect(link(order)).toHaveAttribute('href', `/orders/${ORDER_ID}`);
    expect(within(grant as HTMLElement).queryByRole('link')).toBeNull();
  });

  it('takes filters from the address, and offers the file and the next page under the same ones', async () => {
    const cursor = makeEntry().id;
    const query = '?kind=hold&from=2026-01-01&to=2026-01-31';
    const { readLedger } = show({ ledger: { items: [makeEntry()], nextCursor: cursor }, query });
    await heading();
    expect(readLedger.mock.lastCall?.[0]).toEqual({
      kind: 'hold',
      from: '2026-01-01',
      to: '2026-01-31',
      limit: 30,
    });
    expect(screen.getByLabelText('Kind')).toHaveValue('hold');
    expect(screen.getByLabelText('First day (UTC)')).toHaveValue('2026-01-01');
    expect(screen.getByRole('link', { name: 'Download CSV' })).toHaveAttribute(
      'href',
      `/credits/ledger.csv${query}`,
    );
    expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toContain(
      `${query}&cursor=${cursor}`,
    );
  });

  it('lets a reader choose again, from the first page', async () => {
    const { readLedger } = show({ query: `?cursor=${makeEntry().id}` });
    await heading();
    await userEvent.selectOptions(screen.getByLabelText('Kind'), 'Refund');
    await userEvent.type(screen.getByLabelText('Last day (UTC)'), '2026-01-31');
    await userEvent.click(screen.getByRole('button', { name: 'Show' }));
    await vi.waitFor(() =>
      expect(readLedger.mock.lastCall?.[0]).toEqual({ kind: 'refund', to: '2026-01-31', limit: 30 }),
    );
  });

  it('tells a filter that finds nothing from an empty ledger, and days in the wrong order', async () => {
    const { unmount } = show({ balance: { buckets: [] } });
    expect(await screen.findByText('Nothing has moved yet')).toBeVisible();
    unmount();
    show({ query: '?from=2026-02-01&to=2026-01-01' });
    expect(await screen.findByText('No entry matches')).toBeVisible();
    expect(screen.getByLabelText('Last day (UTC)')).toHaveAccessibleDescription(
      'This is before the first day.',
    );
    expect(screen.getByRole('link', { name: 'Clear the filters' })).toHaveAttribute('href', '/credits');
  });

  it('has no accessibility violation', async () => {
    const { container } = show({
      balance: { debts: [makeDebt()] },
      ledger: { items: [makeEntry()], nextCursor: 'next' },
      orders: [makeOrder(), makeOrder({ id: 'o2', status: 'refunded', refundedMinor: 990 })],
    });
    await heading();
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});

describe('the ledger as a file', () => {
  it('holds the same filters, is a download, and is kept by no cache', async () => {
    const { readLedger, context } = show({ ledger: { items: [makeEntry()] } });
    await heading();
    const request = new Request('https://site.example.com/credits/ledger.csv?kind=grant&to=odd');
    const response = await csvLoader({ request, context } as never);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="sidelane-ledger.csv"');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe(
      'date,kind,credits,balance after,reason,task,order\r\n' +
        '2026-01-05T10:00:00.000Z,Grant,100,100,Starting credits,,\r\n',
    );
    expect(readLedger.mock.lastCall?.[0]).toEqual({ kind: 'grant', limit: 100 });
  });
});
