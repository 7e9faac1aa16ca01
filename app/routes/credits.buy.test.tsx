import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makeBalance, makeDebt, makePack, ORDER_ID, PACK_ID } from '#app/testing/money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { AppError } from '#server/lib/app-error.ts';
import type { ShopView } from '#server/orders/schemas.ts';
import BuyCredits, { action, loader } from './credits.buy.tsx';

type Made = { orderId: string; checkoutUrl: string | null };

function setUp(shop: Partial<ShopView> = {}, debts = [] as ReturnType<typeof makeDebt>[]) {
  const create = vi.fn(
    async (_input: unknown): Promise<Made> => ({
      orderId: ORDER_ID,
      checkoutUrl: 'https://pay.example.com/c/1',
    }),
  );
  const context = {
    trpc: {
      orders: { shop: async () => ({ open: true, test: false, packs: [makePack()], ...shop }), create },
      billing: { balance: async () => makeBalance({ debts }) },
    },
  };
  return { create, context };
}

function show(...given: Parameters<typeof setUp>) {
  const { create, context } = setUp(...given);
  const view = renderInApp(<BuyCredits />, {
    url: '/credits/buy',
    loader: ({ request }) => loader({ request, context } as never),
    action: ({ request }) => action({ request, context } as never),
  });
  return { create, ...view };
}

async function post(context: unknown, fields: Record<string, string>) {
  const request = new Request('https://site.example.com/credits/buy', {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  return (await action({ request, context } as never)) as Response;
}

const KEY = 'b3f0a8f2-5d3e-4a8c-9c57-0d6f2a1b4c11';

describe('buying credits', () => {
  it('shows each pack with its price in its currency and how long it lasts', async () => {
    show({
      packs: [
        makePack(),
        makePack({ id: 'p2', title: 'Tokyo', amountMinor: 500, currency: 'JPY', validDays: null }),
        makePack({ id: 'p3', title: 'Tiny', credits: 1, amountMinor: 5, currency: 'KWD', validDays: 1 }),
      ],
    });
    const packs = within(await screen.findByRole('list', { name: 'Credit packs' })).getAllByRole('listitem');
    expect(packs[0]).toHaveTextContent(/Starter1,000 credits€9\.90They expire 365 days after payment\./);
    expect(packs[1]).toHaveTextContent(/JP¥500They never expire\./);
    expect(packs[2]).toHaveTextContent(/1 credit.*KWD\s0\.005They expire a day after payment\./);
  });

  it('gives every pack a key of its own, so that a form sent twice is one order', async () => {
    const { create, context } = setUp({ packs: [makePack(), makePack({ id: 'p2' })] });
    const loaded = await loader({
      request: new Request('https://site.example.com/credits/buy'),
      context,
    } as never);
    const keys = loaded.packs.map((pack) => pack.requestKey);
    expect(new Set(keys).size).toBe(2);
    const [requestKey = ''] = keys;
    await Promise.all([1, 2].map(() => post(context, { packId: PACK_ID, requestKey })));
    expect(create.mock.calls).toEqual([[{ packId: PACK_ID, requestKey }], [{ packId: PACK_ID, requestKey }]]);
  });

  it('sends the payer where the server said, and nowhere that the form names', async () => {
    const { context } = setUp();
    const fields = { packId: PACK_ID, requestKey: KEY, checkoutUrl: 'https://evil.example.com/' };
    const response = await post(context, fields);
    expect(response.headers.get('location')).toBe('https://pay.example.com/c/1');
  });

  it('leads to the order when the payment service did not answer', async () => {
    const { create, context } = setUp();
    create.mockResolvedValueOnce({ orderId: ORDER_ID, checkoutUrl: null });
    const response = await post(context, { packId: PACK_ID, requestKey: KEY });
    expect(response.headers.get('location')).toBe(`/orders/${ORDER_ID}`);
  });

  it('sends the pack whose button was pressed, and says why there is no order', async () => {
    const { create } = show({ packs: [makePack({ id: KEY, title: 'Other' }), makePack()] });
    const cause = new AppError('not_found', 'This pack is not sold any more. Choose another one.');
    create.mockRejectedValueOnce(
      Object.assign(new Error(cause.message, { cause }), { name: 'TRPCError', code: 'NOT_FOUND' }),
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Buy Starter' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('This pack is not sold any more.');
    expect(create.mock.lastCall?.[0]).toMatchObject({ packId: PACK_ID });
  });

  it('says that test payments move no money, and that a debt takes its part first', async () => {
    show({ test: true }, [makeDebt()]);
    expect(await screen.findByText('Payments are played here: no money moves.')).toBeVisible();
    expect(screen.getByText('You owe 120 credits')).toBeVisible();
  });

  it.each<[string, Partial<ShopView>]>([
    ['Buying is closed', { open: false, packs: [] }],
    ['There is nothing to buy yet', { packs: [] }],
  ])('says what to do instead: %s', async (title, shop) => {
    show(shop);
    expect(await screen.findByText(title)).toBeVisible();
    expect(screen.queryByRole('list', { name: 'Credit packs' })).toBeNull();
  });

  it('has no accessibility violation', async () => {
    const { container } = show({ test: true });
    await screen.findByRole('list', { name: 'Credit packs' });
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});
