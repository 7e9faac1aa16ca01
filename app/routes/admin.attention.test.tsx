import { screen, within } from '@testing-library/react';
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { makeRefund, makeUncertain } from '#app/testing/admin-fixtures.ts';
import { makePaymentEvent, makePaymentRefund } from '#app/testing/admin-money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { AttentionView } from '#server/generation/schemas.ts';
import type { PaymentEventView, PaymentRefundView } from '#server/orders/schemas.ts';
import Attention, { loader } from './admin.attention.tsx';

type Waiting = Partial<AttentionView> & {
  mismatches?: PaymentEventView[];
  moneyRefunds?: PaymentRefundView[];
};

function show({ mismatches = [], moneyRefunds = [], ...view }: Waiting) {
  const attention = async () => ({ uncertain: [], refunds: [], hasMore: false, ...view });
  const adminOrders = {
    mismatches: async () => mismatches,
    refunds: async () => ({ items: moneyRefunds, nextCursor: null }),
  };
  const context = { trpc: { adminTasks: { attention }, adminOrders } };
  return renderInApp(<Attention />, {
    url: '/admin/attention',
    loader: ({ request }) => loader({ request, context } as never),
  });
}

const itemOf = (name: RegExp) => screen.findByRole('article', { name });

describe('what needs attention', () => {
  it('says so when nothing waits', async () => {
    show({});
    expect(await screen.findByText('Nothing waits for you')).toBeInTheDocument();
    expect(screen.queryByRole('article')).not.toBeInTheDocument();
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
  });

  it('tells the story of an uncertain task, with our reference and the way to its answer', async () => {
    show({ uncertain: [makeUncertain({ isLookedUp: true, mayReport: true })] });
    const item = await itemOf(/Paint One for ada@example.com/);
    expect(item).toHaveTextContent(/got no clear answer.*may or may not have started the job/);
    expect(item).toHaveTextContent(/keep asking the provider for a job with our reference/);
    expect(item).toHaveTextContent(/its webhook would end the doubt/);
    expect(item).toHaveTextContent(/it fails, and the user gets 8 credits back/);
    expect(item.querySelector('time[datetime="2026-01-06T10:00:00.000Z"]')).toHaveTextContent(/\(.+\)/);
    expect(within(item).getByRole('textbox', { name: 'Our reference' })).toHaveValue(
      makeUncertain().clientRef,
    );
    expect(item).toHaveTextContent('Not known.');
    expect(within(item).getByRole('link', { name: 'Resolve it' })).toHaveAttribute(
      'href',
      `/admin/tasks/${makeUncertain().taskId}#resolve`,
    );
  });

  it('says that nothing more is done where nothing can be', async () => {
    show({ uncertain: [makeUncertain()] });
    const item = await itemOf(/Paint One/);
    expect(item).toHaveTextContent(/Nothing: this provider cannot be asked.*Only you can find out/);
    expect(item).not.toHaveTextContent(/We keep asking/);
  });

  it.each([
    ['overdue', /given no result within the time allowed/],
    ['missing', /says now that it does not know it/],
  ] as const)('tells %s from a lost answer, and shows the id that is asked for', async (reason, words) => {
    show({ uncertain: [makeUncertain({ reason, upstreamId: 'job-7', until: null })] });
    const item = await itemOf(/Paint One/);
    expect(item).toHaveTextContent(words);
    expect(item).toHaveTextContent(/keep asking the provider for the job by its id/);
    expect(item).toHaveTextContent(/It waits for evidence, with 8 credits held/);
    expect(within(item).getByRole('textbox', { name: 'The provider’s job id' })).toHaveValue('job-7');
  });

  it('lists refunds that could not be booked, with the reason', async () => {
    show({ refunds: [makeRefund(), makeRefund({ taskId: 'another', lastError: null })], hasMore: true });
    const table = await screen.findByRole('table', { name: 'Refunds that need a hand' });
    expect(within(table).getAllByRole('link', { name: 'ada@example.com' })[0]).toHaveAttribute(
      'href',
      `/admin/tasks/${makeRefund().taskId}`,
    );
    expect(table).toHaveTextContent('The ledger refused the entry.');
    expect(table).toHaveTextContent('No reason was noted.');
    expect(screen.getByRole('link', { name: 'Try again or void' })).toHaveAttribute(
      'href',
      '/admin/refunds?status=manual',
    );
    expect(screen.getByText(/more than fit on this page/)).toBeInTheDocument();
    expect(screen.queryByText('Nothing waits for you')).not.toBeInTheDocument();
  });

  it('lists payments that do not fit, with the way to their end', async () => {
    show({ mismatches: [makePaymentEvent(), makePaymentEvent({ id: 'another', orderId: null })] });
    const table = await screen.findByRole('table', { name: 'Payments that do not fit' });
    expect(table).toHaveTextContent(/The amount is not the order’s.*€0\.01/);
    expect(table).toHaveTextContent('It names no order of ours.');
    expect(screen.getByRole('link', { name: 'Decide on them' })).toHaveAttribute(
      'href',
      '/admin/orders/mismatches',
    );
    expect(screen.queryByText('Nothing waits for you')).not.toBeInTheDocument();
  });

  it('lists money that could not be paid back, with the reason and the way to its end', async () => {
    show({ moneyRefunds: [makePaymentRefund()] });
    const table = await screen.findByRole('table', { name: 'Money refunds that need a hand' });
    expect(table).toHaveTextContent(/ada@example\.com.*€4\.50.*The card is closed\./);
    expect(screen.getByRole('link', { name: 'Try again or end' })).toHaveAttribute(
      'href',
      '/admin/refunds/money?status=manual',
    );
    expect(screen.queryByText('Nothing waits for you')).not.toBeInTheDocument();
  });

  it('has no accessibility violation', async () => {
    const { container } = show({
      uncertain: [makeUncertain(), makeUncertain({ taskId: 'another', upstreamId: 'job-7' })],
      refunds: [makeRefund()],
      mismatches: [makePaymentEvent()],
      moneyRefunds: [makePaymentRefund()],
    });
    await screen.findAllByRole('table');
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});
