import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { TRPCError } from '@trpc/server';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import {
  makeAdminEntry,
  makeAdminOrder,
  makePerson,
  makeStanding,
  makeUserMoney,
  USER_ID,
} from '#app/testing/admin-money-fixtures.ts';
import { makeDebt } from '#app/testing/money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { UserMoneyInput, UserMoneyList, UserMoneyView } from '#server/billing/schemas.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { UserStandingView } from '#server/users/schemas.ts';
import People, { loader as peopleLoader } from './admin.users._index.tsx';
import Person, { action, loader } from './admin.users.$userId.tsx';
import { loader as csvLoader } from './admin.users.$userId_.ledger[.]csv.ts';

const violationsOf = async (container: HTMLElement) => {
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  return violations.map((violation) => `${violation.id}: ${violation.help}`);
};

describe('the list of people', () => {
  function show(page: Partial<UserMoneyList>, query = '') {
    const findUsers = vi.fn(async (_input: unknown) => ({ items: [], nextCursor: null, ...page }));
    const context = { trpc: { adminBilling: { findUsers } } };
    const view = renderInApp(<People />, {
      url: `/admin/users${query}`,
      loader: ({ request }) => peopleLoader({ request, context } as never),
    });
    return { findUsers, ...view };
  }

  it('shows what each has, holds and owes, and marks closed and disabled accounts', async () => {
    const { container } = show({
      items: [
        makePerson({ owedCredits: 5 }),
        makePerson({ userId: 'b', email: 'ben@example.com', disabled: true }),
        makePerson({ userId: 'c', email: 'Deleted user', deleted: true }),
      ],
    });
    const [, ada, ben, gone] = within(await screen.findByRole('table', { name: 'People' })).getAllByRole(
      'row',
    );
    expect(ada).toHaveTextContent(/ada@example\.com.*400 credits.*20 credits.*5 credits/);
    expect(ben).toHaveTextContent('Disabled');
    expect(gone).toHaveTextContent('Closed');
    expect(screen.getByRole('link', { name: 'ada@example.com' })).toHaveAttribute(
      'href',
      `/admin/users/${USER_ID}`,
    );
    expect(await violationsOf(container)).toEqual([]);
  });

  it('searches by what the address says, and tells no match from nobody', async () => {
    const { findUsers, unmount } = show({}, '?who=%20ada%20');
    expect(await screen.findByText('No people here')).toBeInTheDocument();
    expect(findUsers).toHaveBeenCalledWith(expect.objectContaining({ search: 'ada' }));
    expect(screen.getByLabelText('E-mail, name or id')).toHaveValue('ada');
    expect(screen.getByRole('link', { name: 'Show all of them' })).toHaveAttribute('href', '/admin/users');
    unmount();
    show({});
    expect(await screen.findByText('No people yet')).toBeInTheDocument();
  });
});

const REASON = 'They were charged twice.';

/** `answers`: what the next adjustments come to; a success by default. */
function showPerson(
  money: Partial<UserMoneyView> = {},
  query = '',
  standing: Partial<UserStandingView> = {},
) {
  const userMoney = vi.fn(async (_input: UserMoneyInput) => makeUserMoney(money));
  const adjust = vi.fn(async (_input: { key: string }) => ({ moved: true }));
  const list = vi.fn(async (_input: unknown) => ({ items: [makeAdminOrder()], nextCursor: null }));
  const setDisabled = vi.fn(async (_input: unknown) => ({ ok: true }));
  const setLimits = vi.fn(async (_input: unknown) => ({ ok: true }));
  const get = async () => makeStanding(standing);
  const context = {
    trpc: {
      adminBilling: { userMoney, adjust },
      adminOrders: { list },
      adminUsers: { get, setDisabled, setLimits },
    },
  };
  const view = renderInApp(<Person />, {
    url: `/admin/users/${USER_ID}${query}`,
    loader: ({ request }) => loader({ request, params: { userId: USER_ID }, context } as never),
    action: async ({ request }) => (await action({ request, context } as never)) ?? null,
  });
  return { userMoney, adjust, list, setDisabled, setLimits, ...view };
}

const adjustForm = async () => within(await screen.findByRole('form', { name: 'Adjust' }));
const keyOnPage = () =>
  document.querySelector<HTMLInputElement>('form[aria-label="Adjust"] [name="key"]')?.value;

async function fillIn({ credits = '25', take = false, days = '' }) {
  const form = await adjustForm();
  if (take) await userEvent.click(form.getByLabelText('Take credits'));
  await userEvent.type(form.getByLabelText(/^Credits/), credits);
  if (days) await userEvent.type(form.getByLabelText('Valid for days'), days);
  await userEvent.type(form.getByLabelText(/^Why/), REASON);
}

async function confirm() {
  const form = await adjustForm();
  await userEvent.click(form.getByRole('button', { name: 'Adjust' }));
  await userEvent.click(form.getByRole('button', { name: 'Adjust it now' }));
}

describe('the money of a person', () => {
  it('shows debts, buckets, orders, and each movement with its actor and key', async () => {
    const { container } = showPerson({
      user: makePerson({ owedCredits: 120 }),
      balance: { ...makeUserMoney().balance, debts: [makeDebt()] },
    });
    expect(await screen.findByRole('table', { name: 'Debts' })).toHaveTextContent(/120 credits/);
    expect(screen.getByRole('table', { name: 'Buckets' })).toHaveTextContent(/Bought.*400 credits/);
    expect(screen.getByRole('table', { name: 'Orders' })).toBeInTheDocument();
    expect(screen.getByRole('table', { name: 'Movements' })).toHaveTextContent(/systemgrant:sign-up/);
    expect(await violationsOf(container)).toEqual([]);
  });

  it('filters by the address, and downloads under the same filters', async () => {
    const { userMoney } = showPerson({}, '?kind=adjustment&from=2026-01-01&to=nonsense');
    expect(await screen.findByRole('link', { name: 'Download as CSV' })).toHaveAttribute(
      'href',
      `/admin/users/${USER_ID}/ledger.csv?kind=adjustment&from=2026-01-01`,
    );
    expect(userMoney.mock.lastCall?.[0]).toMatchObject({ kind: 'adjustment', from: '2026-01-01' });
    expect(userMoney.mock.lastCall?.[0]).not.toHaveProperty('to');
  });

  it('gives with a reason after a second press, under the key of the page, and then has a new key', async () => {
    const { adjust } = showPerson();
    await fillIn({ days: '30' });
    const key = keyOnPage();
    const form = await adjustForm();
    await userEvent.click(form.getByRole('button', { name: 'Adjust' }));
    expect(adjust).not.toHaveBeenCalled();
    await userEvent.click(form.getByRole('button', { name: 'Adjust it now' }));
    expect(await screen.findByText('The balance is adjusted.')).toBeInTheDocument();
    expect(adjust).toHaveBeenCalledExactlyOnceWith({
      userId: USER_ID,
      credits: 25,
      validDays: 30,
      reason: REASON,
      key,
    });
    await waitFor(() => expect(keyOnPage()).not.toBe(key));
    expect((await adjustForm()).getByLabelText(/^Credits/)).toHaveValue(null);
  });

  it('takes as a negative number, and no validity', async () => {
    const { adjust } = showPerson();
    await fillIn({ take: true, days: '30' });
    await confirm();
    await waitFor(() =>
      expect(adjust).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ credits: -25, validDays: null }),
      ),
    );
  });

  it('repeats a form whose try failed under the same key, with the reason beside its field', async () => {
    const { adjust } = showPerson();
    const message = 'Only 7 credits can be taken from this user: nothing was done. Enter at most that.';
    adjust.mockRejectedValueOnce(
      new TRPCError({
        code: 'UNPROCESSABLE_CONTENT',
        message,
        cause: new AppError('unprocessable', message, { field: 'credits' }),
      }),
    );
    await fillIn({ take: true });
    await confirm();
    expect(await screen.findByText(message)).toBeInTheDocument();
    expect((await adjustForm()).getByLabelText(/^Credits/)).toBeInvalid();
    await confirm();
    await waitFor(() => expect(adjust).toHaveBeenCalledTimes(2));
    const [first, second] = adjust.mock.calls.map(([input]) => input.key);
    expect(second).toBe(first);
  });

  it('says that a form sent twice moved nothing the second time', async () => {
    const { adjust } = showPerson();
    adjust.mockResolvedValueOnce({ moved: false });
    await fillIn({});
    await confirm();
    expect(await screen.findByText(/nothing moved a second time/)).toBeInTheDocument();
  });

  it('wants a reason and a number', async () => {
    const { adjust } = showPerson();
    await confirm();
    const form = await adjustForm();
    expect(await form.findByText('Enter a whole number of credits.')).toBeInTheDocument();
    expect(form.getByText('Say why.')).toBeInTheDocument();
    expect(adjust).not.toHaveBeenCalled();
  });

  it('adjusts no closed account', async () => {
    showPerson({ user: makePerson({ deleted: true }) });
    await screen.findByText('Closed');
    expect(screen.queryByRole('form', { name: 'Adjust' })).not.toBeInTheDocument();
  });
});

describe('the account of a person', () => {
  it('is disabled with a reason and a second press', async () => {
    const { setDisabled } = showPerson();
    const form = within(await screen.findByRole('form', { name: 'Disable the account' }));
    await userEvent.type(form.getByRole('textbox'), 'Sold the account.');
    await userEvent.click(form.getByRole('button', { name: 'Disable the account' }));
    expect(setDisabled).not.toHaveBeenCalled();
    await userEvent.click(form.getByRole('button', { name: 'Disable it' }));
    expect(await screen.findByText(/its sessions and API tokens have ended/)).toBeInTheDocument();
    expect(setDisabled).toHaveBeenCalledExactlyOnceWith({
      userId: USER_ID,
      disabled: true,
      reason: 'Sold the account.',
    });
  });

  it('has limits of its own; an empty field is the general one', async () => {
    const { setLimits } = showPerson({}, '', { inFlightLimit: 3, dayCreditsLimit: 40 });
    const form = within(await screen.findByRole('form', { name: 'Limits' }));
    expect(form.getByLabelText('Tasks under way at once')).toHaveValue(3);
    await userEvent.clear(form.getByLabelText('Credits a day (UTC)'));
    await userEvent.clear(form.getByLabelText('Tasks under way at once'));
    await userEvent.type(form.getByLabelText('Tasks under way at once'), '0');
    await userEvent.type(form.getByLabelText(/^Why/), 'Until it is paid.');
    await userEvent.click(form.getByRole('button', { name: 'Save the limits' }));
    await waitFor(() =>
      expect(setLimits).toHaveBeenCalledExactlyOnceWith({
        userId: USER_ID,
        inFlightLimit: 0,
        dayCreditsLimit: null,
        reason: 'Until it is paid.',
      }),
    );
  });
});

describe('the ledger as CSV', () => {
  const load = (role: 'admin' | 'user') => {
    const pages = [
      { items: [makeAdminEntry({ reason: '=HYPERLINK("x")' })], nextCursor: 'next' },
      { items: [makeAdminEntry({ id: 'second', key: 'adjust:1' })], nextCursor: null },
    ];
    const userMoney = vi.fn(async ({ cursor }: { cursor?: string }) =>
      makeUserMoney({ ledger: pages[cursor === undefined ? 0 : 1] ?? { items: [], nextCursor: null } }),
    );
    const user = { id: 'u', email: 'root@example.com', displayName: 'Root', role };
    const request = new Request(`http://site.invalid/admin/users/${USER_ID}/ledger.csv?kind=grant&cursor=x`);
    const context = { user, trpc: { adminBilling: { userMoney } } };
    return { userMoney, answer: csvLoader({ request, params: { userId: USER_ID }, context } as never) };
  };

  it('has every page with actor and key, runs no formula, and is kept by no cache', async () => {
    const { userMoney, answer } = load('admin');
    const response = await answer;
    expect(response.headers.get('cache-control')).toBe('no-store');
    const lines = (await response.text()).trim().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('id,date,kind,credits,balance after,reason,actor,key,task,order');
    expect(lines[1]).toContain("'=HYPERLINK");
    expect(lines[2]).toContain('adjust:1');
    expect(userMoney).toHaveBeenCalledTimes(2);
    expect(userMoney).toHaveBeenLastCalledWith(expect.objectContaining({ kind: 'grant', cursor: 'next' }));
  });

  it('is no page for others, who read nothing', async () => {
    const { userMoney, answer } = load('user');
    await expect(answer).rejects.toMatchObject({ status: 404 });
    expect(userMoney).not.toHaveBeenCalled();
  });
});
