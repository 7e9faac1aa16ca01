import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makePaymentRefund } from '#app/testing/admin-money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { PaymentRefundView } from '#server/orders/schemas.ts';
import MoneyRefunds, { action as refundAction, loader as refundLoader } from './admin.refunds.money.tsx';

const REASON = 'The buyer asked for it.';

const violationsOf = async (container: HTMLElement) => {
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  return violations.map((violation) => `${violation.id}: ${violation.help}`);
};

const formOf = async (name: string | RegExp) => within(await screen.findByRole('form', { name }));

async function sayWhyAnd(form: ReturnType<typeof within>, button: string, confirm: string) {
  await userEvent.type(form.getByRole('textbox'), REASON);
  await userEvent.click(form.getByRole('button', { name: button }));
  await userEvent.click(form.getByRole('button', { name: confirm }));
}

describe('refunds of money', () => {
  function show(items: PaymentRefundView[], query = '') {
    const refunds = vi.fn(async (_input: unknown) => ({ items, nextCursor: null }));
    const retryRefund = vi.fn(async (_input: unknown) => ({ ok: true }));
    const resolveRefund = vi.fn(async (_input: unknown) => ({ ok: true }));
    const context = { trpc: { adminOrders: { refunds, retryRefund, resolveRefund } } };
    const view = renderInApp(<MoneyRefunds />, {
      url: `/admin/refunds/money${query}`,
      loader: ({ request }) => refundLoader({ request, context } as never),
      action: async ({ request }) => (await refundAction({ request, context } as never)) ?? null,
    });
    return { refunds, retryRefund, resolveRefund, ...view };
  }

  it('are tried again with one press', async () => {
    const { container, retryRefund } = show([makePaymentRefund()]);
    await userEvent.click(
      await screen.findByRole('button', { name: 'Try again: refund to ada@example.com' }),
    );
    expect(await screen.findByText('The refund is tried again.')).toBeInTheDocument();
    expect(retryRefund).toHaveBeenCalledExactlyOnceWith({ refundId: makePaymentRefund().id });
    expect(await violationsOf(container)).toEqual([]);
  });

  it.each([
    ['The refund to ada@example.com was paid by hand', 'It was paid', 'Note it as paid', 'paid'],
    ['Give up the refund to ada@example.com', 'Give it up', 'Pay nothing back', 'give_up'],
  ])('are ended by hand: %s', async (name, button, confirm, verdict) => {
    const { resolveRefund } = show([makePaymentRefund()]);
    await userEvent.click(await screen.findByText('End it by hand'));
    await sayWhyAnd(await formOf(name), button, confirm);
    await waitFor(() =>
      expect(resolveRefund).toHaveBeenCalledExactlyOnceWith({
        refundId: makePaymentRefund().id,
        verdict,
        reason: REASON,
      }),
    );
  });

  it.each(['pending', 'settled', 'given_up'] as const)('ask nothing of people when %s', async (status) => {
    show([makePaymentRefund({ status })]);
    await screen.findByRole('table');
    expect(screen.queryByRole('button', { name: /^Try again/ })).not.toBeInTheDocument();
    expect(screen.queryByText('End it by hand')).not.toBeInTheDocument();
  });

  it('are filtered by the address', async () => {
    const { refunds } = show([], '?status=manual');
    expect(await screen.findByText('No refunds here')).toBeInTheDocument();
    expect(refunds).toHaveBeenCalledWith(expect.objectContaining({ status: 'manual' }));
    expect(screen.getByRole('link', { name: 'Money of orders' })).toHaveAttribute('aria-current', 'page');
  });
});
