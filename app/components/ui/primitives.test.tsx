import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Coins } from 'lucide-react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';
import { LanguageProvider } from '#app/lib/language.tsx';
import { PageClockProvider } from '#app/lib/page-clock.tsx';
import { renderInApp } from '#app/testing/render.tsx';
import { STATUSES } from '#server/generation/status.ts';
import { ConfirmButton } from './confirm-button.tsx';
import { CreditAmount } from './credit-amount.tsx';
import { DataTable } from './data-table.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorMessage } from './error-message.tsx';
import { Pagination } from './pagination.tsx';
import { StatusBadge, statusLabel } from './status-badge.tsx';
import { TimeAgo } from './time-ago.tsx';

describe('StatusBadge', () => {
  it('has a word of its own for every status', () => {
    expect(new Set(STATUSES.map((status) => statusLabel(status))).size).toBe(STATUSES.length);
  });

  it('says that a cancel was asked for, until the task has ended', () => {
    renderInApp(
      <>
        <StatusBadge status="running" cancelRequested />
        <StatusBadge status="succeeded" cancelRequested />
      </>,
    );
    expect(screen.getByText('Running, cancel asked for')).toBeVisible();
    expect(screen.getByText('Done')).toBeVisible();
  });
});

describe('CreditAmount', () => {
  it('signs movements and keeps the word for screen readers', () => {
    const { container } = renderInApp(
      <>
        <CreditAmount credits={1} />
        <CreditAmount credits={40} signed compact />
        <CreditAmount credits={-1234} signed />
      </>,
    );
    expect(container).toHaveTextContent('1 credit+40 credits−1,234 credits');
  });
});

describe('TimeAgo', () => {
  it('renders the same UTC text on a server of any zone, and a distance after hydration', () => {
    const at = new Date(Date.now() - 3 * 60_000);
    const html = renderToString(<TimeAgo at={at} />);
    expect(html).toContain(`dateTime="${at.toISOString()}"`);
    expect(html).toContain('UTC</time>');
    renderInApp(<TimeAgo at={at.toISOString()} />);
    expect(screen.getByText('3 minutes ago')).toHaveAttribute('datetime', at.toISOString());
  });

  it('says the reader’s time already on the server when their zone is known, as the browser’s first render will', () => {
    const at = new Date('2026-11-29T15:00:00Z');
    const clock = { timeZone: 'Asia/Tokyo', renderedAt: at.getTime() + 3 * 60_000 };
    const html = renderToString(
      <LanguageProvider value="zh-CN">
        <PageClockProvider value={clock}>
          <TimeAgo at={at} style="both" />
        </PageClockProvider>
      </LanguageProvider>,
    );
    expect(html).toContain('2026年11月30日 00:00 (3分钟前)');
  });

  it('does not fall over a broken moment', () => {
    renderInApp(<TimeAgo at="never" />);
    expect(screen.getByText('unknown')).toBeVisible();
  });
});

describe('EmptyState and ErrorMessage', () => {
  it('say what to do, and errors are announced', () => {
    renderInApp(
      <>
        <EmptyState icon={Coins} title="Nothing yet">
          Ask for credits.
        </EmptyState>
        <ErrorMessage title="No" message="Try again." />
      </>,
    );
    expect(screen.getByText('Ask for credits.')).toBeVisible();
    expect(screen.getByRole('alert')).toHaveTextContent('NoTry again.');
  });
});

describe('ConfirmButton', () => {
  const form = (onSubmit: (value: string | null) => void) => (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { submitter } = event.nativeEvent as SubmitEvent;
        onSubmit(submitter?.getAttribute('value') ?? null);
      }}
    >
      <ConfirmButton confirmLabel="Revoke it" name="token" value="t1">
        Revoke
      </ConfirmButton>
    </form>
  );

  it('submits only after the second press, with its value', async () => {
    const onSubmit = vi.fn();
    renderInApp(form(onSubmit));
    await userEvent.click(screen.getByRole('button', { name: 'Revoke' }));
    expect(onSubmit).not.toHaveBeenCalled();
    expect(screen.getByRole('button', { name: 'Revoke it' })).toHaveFocus();
    await userEvent.click(screen.getByRole('button', { name: 'Revoke it' }));
    expect(onSubmit).toHaveBeenCalledExactlyOnceWith('t1');
    expect(await screen.findByRole('button', { name: 'Revoke' })).toBeVisible();
  });

  it('is left by Escape, and gives the focus back', async () => {
    const onSubmit = vi.fn();
    renderInApp(form(onSubmit));
    await userEvent.click(screen.getByRole('button', { name: 'Revoke' }));
    await userEvent.keyboard('{Escape}');
    expect(screen.getByRole('button', { name: 'Revoke' })).toHaveFocus();
    expect(onSubmit).not.toHaveBeenCalled();
  });
});

describe('Pagination', () => {
  it('keeps the filters and replaces the cursor', () => {
    renderInApp(<Pagination nextCursor="next" label="tasks" />, {
      url: '/admin/tasks?status=failed&cursor=here',
    });
    expect(screen.getByRole('navigation', { name: 'Pages of tasks' })).toBeVisible();
    expect(screen.getByRole('link', { name: 'Older' })).toHaveAttribute(
      'href',
      '/admin/tasks?status=failed&cursor=next',
    );
    expect(screen.getByRole('link', { name: 'Newest' })).toHaveAttribute(
      'href',
      '/admin/tasks?status=failed',
    );
  });

  it('draws nothing when one page holds all', () => {
    renderInApp(<Pagination nextCursor={null} label="tasks" />);
    expect(screen.queryByRole('navigation')).toBeNull();
  });
});

describe('DataTable', () => {
  it('is a named table with column heads', async () => {
    renderInApp(
      <DataTable
        label="Sessions"
        rows={[{ id: 'a' }]}
        rowKey={(row) => row.id}
        columns={[{ head: 'Browser', cell: (row) => `Browser ${row.id}` }]}
      />,
    );
    await waitFor(() => expect(screen.getByRole('table', { name: 'Sessions' })).toBeVisible());
    expect(screen.getByRole('columnheader', { name: 'Browser' })).toBeVisible();
    expect(screen.getByRole('cell', { name: 'Browser a' })).toBeVisible();
  });
});
