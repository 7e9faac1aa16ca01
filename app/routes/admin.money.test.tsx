import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { renderToString } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';
import { DayChart } from '#app/components/admin/money/day-chart.tsx';
import { makeDay, makeGuard } from '#app/testing/admin-money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { CostGuardView, DaySummary } from '#server/billing/schemas.ts';
import MoneySummary, { action, loader } from './admin.money._index.tsx';
import Audit, { loader as auditLoader } from './admin.money.audit.tsx';

type Shown = { days?: DaySummary[]; guard?: CostGuardView; query?: string };

function show({ days = [], guard = makeGuard(), query = '' }: Shown) {
  const dailySummary = vi.fn(async (_input: unknown) => days);
  const setCostGuard = vi.fn(async (_input: unknown) => ({ ok: true }));
  const context = { trpc: { adminBilling: { dailySummary, costGuard: async () => guard, setCostGuard } } };
  const view = renderInApp(<MoneySummary />, {
    url: `/admin/money${query}`,
    loader: ({ request }) => loader({ request, context } as never),
    action: async ({ request }) => (await action({ request, context } as never)) ?? null,
  });
  return { dailySummary, setCostGuard, ...view };
}

const violationsOf = async (container: HTMLElement) => {
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  return violations.map((violation) => `${violation.id}: ${violation.help}`);
};

describe('the summary of money', () => {
  const days = [
    makeDay({ day: '2026-01-04', purchasedCredits: 1_000, ordersPaid: 1, revenue: { EUR: 990, JPY: 500 } }),
    makeDay({ day: '2026-01-05' }),
    makeDay({ day: '2026-01-06', chargedCredits: 40, moneyRefunded: { EUR: 90 } }),
  ];
  const factOf = (label: string) => screen.getByText(label).parentElement;

  it('totals money by currency, which is never added across', async () => {
    show({ days });
    expect(await screen.findByText('Paid in EUR')).toBeInTheDocument();
    expect(factOf('Paid in EUR')).toHaveTextContent('€9.90');
    expect(factOf('Paid in EUR')).toHaveTextContent('€0.90 paid back');
    expect(factOf('Paid in JPY')).toHaveTextContent('JP¥500');
    expect(factOf('Orders paid')).toHaveTextContent('1');
  });

  it('has every day of movement in a table, the newest first', async () => {
    show({ days });
    const [, newest, oldest, ...more] = within(
      await screen.findByRole('table', { name: 'Movements by day' }),
    ).getAllByRole('row');
    expect(newest).toHaveTextContent(/2026-01-06.*40 credits.*€0.90/);
    expect(oldest).toHaveTextContent(/2026-01-04.*1,000 credits.*€9.90, JP¥500/);
    expect(more).toEqual([]);
  });

  it.each([
    ['', 30],
    ['?days=7', 7],
    ['?days=90', 90],
    ['?days=36500', 30],
  ])('reads the range from the address (%j)', async (query, expected) => {
    const { dailySummary } = show({ query });
    expect(await screen.findByRole('link', { name: `${expected} days` })).toHaveAttribute(
      'aria-current',
      'page',
    );
    expect(dailySummary).toHaveBeenCalledWith({ days: expected });
  });

  it('says when nothing has moved, and has no accessibility violation', async () => {
    const { container } = show({});
    expect(await screen.findByText('Nothing has moved in these days')).toBeInTheDocument();
    expect(await violationsOf(container)).toEqual([]);
  });

  it('keeps the chart out of the server’s page, but not its room', () => {
    const html = renderToString(<DayChart days={days} />);
    expect(html).toContain('The chart needs scripts');
    expect(html).toContain('aria-hidden="true"');
    expect(html).not.toContain('recharts');
  });
});

describe('the cost guard', () => {
  it('shows the limits and what is set aside today', async () => {
    show({ guard: makeGuard({ taskCredits: 50, dayCredits: 1_000, spentTodayCredits: 120 }) });
    expect(await screen.findByLabelText('Most per task')).toHaveValue(50);
    expect(screen.getByLabelText('Most per person and day')).toHaveValue(null);
    expect(screen.getByText(/set aside today/)).toHaveTextContent(
      '120 credits set aside today (UTC) of 1,000 credits',
    );
  });

  it('takes an empty field as no limit, and 0 as nothing at all', async () => {
    const { setCostGuard } = show({ guard: makeGuard({ taskCredits: 50 }) });
    const task = await screen.findByLabelText('Most per task');
    await userEvent.clear(task);
    await userEvent.type(screen.getByLabelText('Most in total per day'), '0');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(setCostGuard).toHaveBeenCalledExactlyOnceWith({
        taskCredits: null,
        userDayCredits: null,
        dayCredits: 0,
      }),
    );
    expect(await screen.findByText('Saved.')).toBeInTheDocument();
  });

  it('refuses what is no limit beside its field', async () => {
    const { setCostGuard } = show({});
    await userEvent.type(await screen.findByLabelText('Most per task'), '-1');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('A limit is 0 or more.')).toBeInTheDocument();
    expect(screen.getByLabelText('Most per task')).toBeInvalid();
    expect(setCostGuard).not.toHaveBeenCalled();
  });
});

describe('the audit', () => {
  const showAudit = (mismatches: { check: string; id: string; detail: string }[]) => {
    const audit = async () => ({ checkedAt: new Date(), checks: ['balances', 'holds'], mismatches });
    const context = { trpc: { adminBilling: { audit } } };
    return renderInApp(<Audit />, {
      url: '/admin/money/audit',
      loader: ({ request }) => auditLoader({ request, context } as never),
    });
  };

  it('says that the books are right, and after how many checks', async () => {
    const { container } = showAudit([]);
    expect(await screen.findByText('The books are right')).toBeInTheDocument();
    expect(screen.getByText(/2 checks found nothing/)).toBeInTheDocument();
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
    expect(await violationsOf(container)).toEqual([]);
  });

  it('lists each mismatch with its check and row', async () => {
    showAudit([{ check: 'balances', id: 'u1', detail: 'The balance is 5, its entries make 4.' }]);
    expect(await screen.findByRole('alert')).toHaveTextContent('The books are wrong in 1 place');
    const row = within(screen.getByRole('table', { name: 'Mismatches' })).getAllByRole('row')[1];
    expect(row).toHaveTextContent(/The balance is 5, its entries make 4\.balancesu1/);
    expect(screen.queryByText('The books are right')).not.toBeInTheDocument();
  });
});
