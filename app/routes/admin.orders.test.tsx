import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { TRPCError } from '@trpc/server';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makeAdminOrder, makePaymentEvent, makePaymentRefund } from '#app/testing/admin-money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { AppError } from '#server/lib/app-error.ts';
import type { AdminOrderDetail, PaymentEventView } from '#server/orders/schemas.ts';
import Orders, { loader as ordersLoader } from './admin.orders._index.tsx';
import AdminOrder, { action as orderAction, loader as orderLoader } from './admin.orders.$orderId.tsx';
import Mismatches, {
  action as mismatchAction,
  loader as mismatchLoader,
} from './admin.orders.mismatches.tsx';

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

describe('the list of orders', () => {
  it('takes its filters from the address, ignores nonsense, and shows disputes', async () => {
    const order = makeAdminOrder({ dispute: 'open' });
    const list = vi.fn(async (_input: unknown) => ({ items: [order], nextCursor: null }));
    const { container } = renderInApp(<Orders />, {
      url: `/admin/orders?status=paid&user=nobody`,
      loader: ({ request }) =>
        ordersLoader({ request, context: { trpc: { adminOrders: { list } } } } as never),
    });
    expect(await screen.findByRole('table', { name: 'Orders' })).toHaveTextContent(/Paid.*Disputed.*€9\.00/);
    expect(list.mock.lastCall?.[0]).toMatchObject({ status: 'paid', userId: undefined });
    expect(screen.getByLabelText('Status')).toHaveValue('paid');
    expect(screen.getByRole('link', { name: 'Payments that do not fit' })).toHaveAttribute(
      'href',
      '/admin/orders/mismatches',
    );
    expect(await violationsOf(container)).toEqual([]);
  });
});

function showOrder(changes: Partial<AdminOrderDetail> = {}) {
  const order = makeAdminOrder(changes);
  const close = vi.fn(async (_input: unknown) => ({ ok: true }));
  const refund = vi.fn(async (_input: { key: string }) => ({ refundId: 'r1' }));
  const endDispute = vi.fn(async (_input: unknown) => ({ ok: true }));
  const context = { trpc: { adminOrders: { get: async () => order, close, refund, endDispute } } };
  const view = renderInApp(<AdminOrder />, {
    url: `/admin/orders/${order.id}`,
    loader: ({ request }) => orderLoader({ request, params: { orderId: order.id }, context } as never),
    action: async ({ request }) => (await orderAction({ request, context } as never)) ?? null,
  });
  return { order, close, refund, endDispute, ...view };
}

describe('an order', () => {
  it('shows what was reported with its outcome, and the money that went back', async () => {
    const { container } = showOrder({ events: [makePaymentEvent()], refunds: [makePaymentRefund()] });
    expect(await screen.findByRole('table', { name: 'Payment notifications' })).toHaveTextContent(
      /payment\.succeeded.*Does not fit.*€0\.01.*The amount is not the order’s\./,
    );
    expect(screen.getByRole('table', { name: 'Money refunds' })).toHaveTextContent(/Needs you.*€4\.50/);
    expect(await violationsOf(container)).toEqual([]);
  });

  it('is closed while nobody has paid, with a reason and a second press', async () => {
    const { order, close } = showOrder({ status: 'pending', paidAt: null });
    const form = await formOf('Close the order');
    await userEvent.click(form.getByRole('button', { name: 'Close' }));
    await userEvent.click(form.getByRole('button', { name: 'Close it' }));
    expect(await form.findByText('Say why.')).toBeInTheDocument();
    expect(close).not.toHaveBeenCalled();
    await sayWhyAnd(form, 'Close', 'Close it');
    await waitFor(() => expect(close).toHaveBeenCalledExactlyOnceWith({ orderId: order.id, reason: REASON }));
    expect(screen.queryByRole('form', { name: 'Refund' })).not.toBeInTheDocument();
  });

  it('names the price of both refunds, and asks for one of them', async () => {
    const { order, refund } = showOrder();
    const form = await formOf('Refund');
    expect(form.getByLabelText('What is not spent: €4.50')).not.toBeChecked();
    expect(form.getByLabelText('Everything: €9.00')).not.toBeChecked();
    expect(
      form.getByText(/at most 50 credits, other credits of the buyer; what is missing becomes a debt/),
    ).toBeInTheDocument();
    await sayWhyAnd(form, 'Refund', 'Refund it now');
    expect(await form.findByText('Choose what to pay back.')).toBeInTheDocument();
    expect(refund).not.toHaveBeenCalled();
    await userEvent.click(form.getByLabelText('What is not spent: €4.50'));
    await userEvent.click(form.getByRole('button', { name: 'Refund' }));
    await userEvent.click(form.getByRole('button', { name: 'Refund it now' }));
    expect(await screen.findByText(/the money is on its way to the payer/)).toBeInTheDocument();
    expect(refund).toHaveBeenCalledExactlyOnceWith({
      orderId: order.id,
      mode: 'unspent',
      reason: REASON,
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('repeats a refund whose answer was an error under the same key', async () => {
    const { refund } = showOrder();
    const message = 'This order changed meanwhile. Try again.';
    refund.mockRejectedValueOnce(
      new TRPCError({ code: 'CONFLICT', message, cause: new AppError('conflict', message) }),
    );
    const form = await formOf('Refund');
    await userEvent.click(form.getByLabelText('Everything: €9.00'));
    await sayWhyAnd(form, 'Refund', 'Refund it now');
    expect(await form.findByRole('alert')).toHaveTextContent(message);
    await userEvent.click(form.getByRole('button', { name: 'Refund' }));
    await userEvent.click(form.getByRole('button', { name: 'Refund it now' }));
    await waitFor(() => expect(refund).toHaveBeenCalledTimes(2));
    const [first, second] = refund.mock.calls.map(([input]) => input.key);
    expect(second).toBe(first);
  });

  it('offers everything alone when no credit is left, and no debt when none is spent', async () => {
    const { unmount } = showOrder({ unspentCredits: 0, unspentMinor: 0 });
    const form = await formOf('Refund');
    expect(form.getAllByRole('radio')).toHaveLength(1);
    expect(
      form.getByText(/at most 100 credits, other credits of the buyer; what is missing becomes a debt/),
    ).toBeInTheDocument();
    unmount();
    showOrder({ unspentCredits: 100, unspentMinor: 900 });
    expect(await screen.findByText(/Nothing was spent, so no debt remains/)).toBeInTheDocument();
  });

  it('whose dispute is open is told how it ended, with a reason and a second press', async () => {
    const { order, endDispute, container } = showOrder({ status: 'refunding', dispute: 'open' });
    const form = await formOf('End the dispute');
    expect(await violationsOf(container)).toEqual([]);
    await sayWhyAnd(form, 'End the dispute', 'End it now');
    expect(await form.findByText('Choose how it ended.')).toBeInTheDocument();
    expect(endDispute).not.toHaveBeenCalled();
    await userEvent.click(form.getByLabelText('Lost: the payer has the money'));
    await userEvent.click(form.getByRole('button', { name: 'End the dispute' }));
    await userEvent.click(form.getByRole('button', { name: 'End it now' }));
    await waitFor(() =>
      expect(endDispute).toHaveBeenCalledExactlyOnceWith({
        orderId: order.id,
        verdict: 'lost',
        reason: REASON,
      }),
    );
  });

  it.each(['won', 'lost'] as const)('whose dispute was %s has none to end', async (dispute) => {
    showOrder({ dispute });
    await formOf('Refund');
    expect(screen.queryByRole('form', { name: 'End the dispute' })).not.toBeInTheDocument();
  });

  it.each(['expired', 'cancelled', 'refunding', 'refunded'] as const)(
    'can neither be closed nor refunded when it is %s',
    async (status) => {
      showOrder({ status });
      await screen.findByText('The order');
      expect(screen.queryByRole('form')).not.toBeInTheDocument();
    },
  );
});

describe('payments that do not fit', () => {
  function show(events: PaymentEventView[]) {
    const resolveMismatch = vi.fn(async (_input: unknown) => ({ ok: true }));
    const context = { trpc: { adminOrders: { mismatches: async () => events, resolveMismatch } } };
    const view = renderInApp(<Mismatches />, {
      url: '/admin/orders/mismatches',
      loader: ({ request }) => mismatchLoader({ request, context } as never),
      action: async ({ request }) => (await mismatchAction({ request, context } as never)) ?? null,
    });
    return { resolveMismatch, ...view };
  }

  it.each([
    ['Return €0.01', 'Return the money', 'Return it now', 'return'],
    ['Leave €0.01 as it is', 'Leave it', 'Note it as looked at', 'dismiss'],
  ])('are decided: %s', async (name, button, confirm, verdict) => {
    const { container, resolveMismatch } = show([makePaymentEvent()]);
    const form = await formOf(name);
    expect(await violationsOf(container)).toEqual([]);
    await sayWhyAnd(form, button, confirm);
    await waitFor(() =>
      expect(resolveMismatch).toHaveBeenCalledExactlyOnceWith({
        eventId: makePaymentEvent().id,
        verdict,
        reason: REASON,
      }),
    );
  });

  it('show a refusal in the form that was sent, and in no other', async () => {
    const other = makePaymentEvent({ id: '0190a0b0-0000-7000-8000-0000000000f3', amountMinor: 2 });
    const { resolveMismatch } = show([makePaymentEvent(), other]);
    const message = 'Somebody has decided on it already.';
    resolveMismatch.mockRejectedValueOnce(
      new TRPCError({ code: 'CONFLICT', message, cause: new AppError('conflict', message) }),
    );
    const form = await formOf('Return €0.02');
    await sayWhyAnd(form, 'Return the money', 'Return it now');
    expect(await form.findByRole('alert')).toHaveTextContent(message);
    expect(screen.getAllByRole('alert')).toHaveLength(1);
  });

  it('cannot be returned without a payment to return', async () => {
    show([makePaymentEvent({ paymentId: null, orderId: null })]);
    await formOf(/^Leave/);
    expect(screen.queryByRole('form', { name: /^Return/ })).not.toBeInTheDocument();
    expect(screen.getByText('names none of ours')).toBeInTheDocument();
  });

  it('say when there is none', async () => {
    show([]);
    expect(await screen.findByText('Nothing to decide')).toBeInTheDocument();
  });
});
