import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { TRPCError } from '@trpc/server';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makeTaskRefund } from '#app/testing/admin-money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { TaskRefundView } from '#server/billing/schemas.ts';
import { AppError } from '#server/lib/app-error.ts';
import TaskRefunds, { action, loader } from './admin.refunds._index.tsx';

const violationsOf = async (container: HTMLElement) => {
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  return violations.map((violation) => `${violation.id}: ${violation.help}`);
};

describe('refunds of tasks', () => {
  function show(items: TaskRefundView[]) {
    const retryRefund = vi.fn(async (_input: unknown) => ({ ok: true }));
    const voidRefund = vi.fn(async (_input: unknown) => ({ ok: true }));
    const refunds = async () => ({ items, nextCursor: null });
    const context = { trpc: { adminBilling: { refunds, retryRefund, voidRefund } } };
    const view = renderInApp(<TaskRefunds />, {
      url: '/admin/refunds',
      loader: ({ request }) => loader({ request, context } as never),
      action: async ({ request }) => (await action({ request, context } as never)) ?? null,
    });
    return { retryRefund, voidRefund, ...view };
  }

  it('show tries, the reason they stopped, and the way to task and person', async () => {
    const { container } = show([
      makeTaskRefund(),
      makeTaskRefund({ id: 'b', status: 'pending', attempts: 1, nextAttemptAt: new Date() }),
    ]);
    const [, stuck, going] = within(
      await screen.findByRole('table', { name: 'Refunds of tasks' }),
    ).getAllByRole('row');
    expect(stuck).toHaveTextContent(/Needs you.*8 credits.*The ledger refused the entry\.8 tries/);
    expect(going).toHaveTextContent(/On its way.*1 try, the next/);
    expect(within(going as HTMLElement).queryByRole('button')).not.toBeInTheDocument();
    expect(await violationsOf(container)).toEqual([]);
  });

  it('say why one cannot be tried again', async () => {
    const { retryRefund } = show([makeTaskRefund()]);
    const message = 'This refund is settled and waits for nobody. Reload the page.';
    retryRefund.mockRejectedValueOnce(
      new TRPCError({ code: 'CONFLICT', message, cause: new AppError('conflict', message) }),
    );
    await userEvent.click(await screen.findByRole('button', { name: /^Try again/ }));
    expect(await screen.findByRole('alert')).toHaveTextContent(message);
    expect(retryRefund).toHaveBeenCalledExactlyOnceWith({ refundId: makeTaskRefund().id });
  });

  it('are voided with a reason and a second press; a refusal keeps the form open', async () => {
    const { voidRefund } = show([makeTaskRefund()]);
    const message = 'This refund is settled and waits for nobody. Reload the page.';
    voidRefund.mockRejectedValueOnce(
      new TRPCError({ code: 'CONFLICT', message, cause: new AppError('conflict', message) }),
    );
    await userEvent.click(await screen.findByText('Void it', { selector: 'summary' }));
    const element = screen.getByRole('form', { name: 'Void the refund to ada@example.com' });
    const form = within(element);
    await userEvent.type(form.getByRole('textbox'), 'Paid by hand already.');
    await userEvent.click(form.getByRole('button', { name: 'Void it' }));
    expect(voidRefund).not.toHaveBeenCalled();
    await userEvent.click(form.getByRole('button', { name: 'Pay nothing' }));
    expect(await form.findByRole('alert')).toHaveTextContent(message);
    expect(element.closest('details')).toHaveAttribute('open');
    await userEvent.click(form.getByRole('button', { name: 'Void it' }));
    await userEvent.click(form.getByRole('button', { name: 'Pay nothing' }));
    await waitFor(() => expect(voidRefund).toHaveBeenCalledTimes(2));
    expect(voidRefund).toHaveBeenLastCalledWith({
      refundId: makeTaskRefund().id,
      reason: 'Paid by hand already.',
    });
    expect(await screen.findByText(/pays nothing/)).toBeInTheDocument();
  });
});
