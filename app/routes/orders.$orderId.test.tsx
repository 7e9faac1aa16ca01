import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makeBalance, makeBucket, makeOrder, ORDER_ID } from '#app/testing/money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { BucketView } from '#server/billing/schemas.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { OrderView } from '#server/orders/schemas.ts';
import OrderPage, { action, loader } from './orders.$orderId.tsx';

type Shown = { order?: Partial<OrderView>; buckets?: BucketView[]; query?: string };

/** In an hour, so that no clock ends the order during a test. */
const soon = () => new Date(Date.now() + 3_600_000);

function show({ order = {}, buckets = [], query = '' }: Shown = {}) {
  const view = makeOrder({ expiresAt: soon(), ...order });
  const orders = {
    get: vi.fn(async (_input: unknown) => view),
    cancel: vi.fn(async (_input: unknown): Promise<void> => {}),
    checkout: vi.fn(async (_input: unknown) => ({ checkoutUrl: 'https://pay.example.com/c/2' })),
  };
  const context = { trpc: { orders, billing: { balance: async () => makeBalance({ buckets }) } } };
  const rendered = renderInApp(<OrderPage />, {
    url: `/orders/${ORDER_ID}${query}`,
    loader: ({ request }) => loader({ request, params: { orderId: ORDER_ID }, context } as never),
    action: ({ request }) => action({ request, params: { orderId: ORDER_ID }, context } as never),
  });
  return { orders, ...rendered };
}

const state = () => screen.findByRole('region', { name: 'State' });
const facts = () => screen.getByRole('region', { name: 'What was ordered' });

describe('the page of an order', () => {
  it('shows a pending order with the time left, the way to pay where the server said, and cancel', async () => {
    show();
    const panel = within(await state());
    expect(panel.getByRole('status')).toHaveTextContent(/Waiting for payment.*Pay before the time is up/);
    expect(panel.getByRole('timer').textContent).toMatch(/^(\d\d:\d\d|1:00:00)$/);
    expect(panel.getByRole('link', { name: 'Pay now' })).toHaveAttribute(
      'href',
      'https://pay.example.com/c/1',
    );
    expect(panel.getByRole('button', { name: 'Cancel' })).toBeVisible();
    expect(facts()).toHaveTextContent(/Credits\s*1,000 credits/);
    expect(facts()).toHaveTextContent(/Price\s*€9\.90/);
  });

  it('keeps the running clock out of what screen readers are told', async () => {
    show();
    const panel = within(await state());
    expect(within(panel.getByRole('status')).queryByRole('timer')).toBeNull();
  });

  it('waits for the confirmation after the payment page, and does not call on anyone to pay again', async () => {
    show({ query: '?paid=1' });
    const panel = within(await state());
    expect(panel.getByRole('status')).toHaveTextContent(/Waiting for the payment’s confirmation/);
    expect(panel.queryByRole('link', { name: 'Pay now' })).toBeNull();
    expect(panel.getByRole('link', { name: 'Back to the payment page' })).toBeVisible();
  });

  it('shows paid credits with what is left of them and their expiry, and nothing to press', async () => {
    show({
      order: { status: 'paid', checkoutUrl: null, paidAt: new Date(), endedAt: null },
      buckets: [makeBucket({ orderId: null }), makeBucket({ remainingCredits: 400 })],
      query: '?paid=1',
    });
    const panel = within(await state());
    expect(panel.getByRole('status')).toHaveTextContent(/Paid.*its credits are yours/);
    expect(panel.queryByRole('button')).toBeNull();
    expect(panel.queryByRole('timer')).toBeNull();
    expect(screen.queryByText(/confirmation/)).toBeNull();
    expect(facts()).toHaveTextContent(/Left of its credits\s*400 credits/);
    expect(facts()).toHaveTextContent(/They expire.*2027/);
  });

  it('says of payments that could not be taken where their money is', async () => {
    show({
      order: {
        status: 'paid',
        paidAt: new Date(),
        returned: [{ currency: 'EUR', onItsWayMinor: 500, paidBackMinor: 990 }],
      },
    });
    const status = within(await state()).getByRole('status');
    expect(status).toHaveTextContent('A payment of €5.00 that we could not take is on its way back.');
    expect(status).toHaveTextContent('A payment of €9.90 that we could not take was paid back.');
  });

  it('says nothing of such payments where there is none', async () => {
    show({ order: { status: 'paid', paidAt: new Date() } });
    expect(await state()).not.toHaveTextContent(/could not take/);
  });

  it('says of spent credits that none is left', async () => {
    show({ order: { status: 'paid', paidAt: new Date() } });
    await state();
    expect(facts()).toHaveTextContent(/Left of its credits\s*0 credits/);
    expect(facts()).not.toHaveTextContent(/They expire/);
  });

  it.each<[string, Partial<OrderView>, RegExp]>([
    ['expired', { status: 'expired', checkoutUrl: null }, /Expired.*nothing was charged/],
    [
      'cancelled',
      { status: 'cancelled', cancelledBy: 'user', checkoutUrl: null },
      /Cancelled.*You cancelled it/,
    ],
  ])('leads from an %s order to the packs', async (_status, order, words) => {
    show({ order });
    const panel = within(await state());
    expect(panel.getByRole('status')).toHaveTextContent(words);
    expect(panel.getByRole('link', { name: 'Choose a pack again' })).toHaveAttribute('href', '/credits/buy');
    expect(panel.queryByRole('link', { name: 'Pay now' })).toBeNull();
  });

  it('shows money and credits that went back', async () => {
    show({
      order: {
        status: 'refunding',
        paidAt: new Date(),
        refundedMinor: 490,
        clawedBackCredits: 500,
      },
    });
    const panel = within(await state());
    expect(panel.getByRole('status')).toHaveTextContent(/Being refunded.*on its way back/);
    expect(facts()).toHaveTextContent(/Paid back\s*€4\.90/);
    expect(facts()).toHaveTextContent(/Credits taken back\s*500 credits/);
  });

  it('does not say of a disputed payment that its money is on its way back', async () => {
    show({ order: { status: 'refunding', paidAt: new Date(), clawedBackCredits: 1_000, dispute: 'open' } });
    const status = within(await state()).getByRole('status');
    expect(status).toHaveTextContent(
      /Disputed.*disputed with the payer’s bank.*1,000 credits of this order are/,
    );
    expect(status).not.toHaveTextContent(/on its way/);
  });

  it('asks once more before it cancels', async () => {
    const { orders } = show();
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
    expect(orders.cancel).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Cancel the order' }));
    await vi.waitFor(() => expect(orders.cancel).toHaveBeenCalledExactlyOnceWith({ orderId: ORDER_ID }));
  });

  it('asks for a payment page when there is none yet, and says why there is still none', async () => {
    const { orders } = show({ order: { checkoutUrl: null } });
    const cause = new AppError('unavailable', 'The payment provider does not answer. Your order is kept.');
    orders.checkout.mockRejectedValueOnce(
      Object.assign(new Error(cause.message, { cause }), { name: 'TRPCError', code: 'SERVICE_UNAVAILABLE' }),
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Pay now' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('The payment provider does not answer.');
    expect(orders.checkout).toHaveBeenCalledExactlyOnceWith({ orderId: ORDER_ID });
  });

  it('has no accessibility violation', async () => {
    const { container } = show({ query: '?paid=1' });
    await state();
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});
