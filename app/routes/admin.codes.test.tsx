import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makeBatch, USER_ID } from '#app/testing/admin-money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { BatchView, CodeView } from '#server/billing/redeem/schemas.ts';
import Codes, { action as createAction, loader as listLoader } from './admin.codes._index.tsx';
import Batch, { action, loader } from './admin.codes.$batchId.tsx';
import { loader as csvLoader } from './admin.codes.$batchId_.codes[.]csv.ts';

const violationsOf = async (container: HTMLElement) => {
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  return violations.map((violation) => `${violation.id}: ${violation.help}`);
};

function showList(items: BatchView[]) {
  const create = vi.fn(async (_input: { key: string }) => ({ batchId: makeBatch().id }));
  const context = { trpc: { adminRedeem: { list: async () => ({ items, nextCursor: null }), create } } };
  const results: unknown[] = [];
  const view = renderInApp(<Codes />, {
    url: '/admin/codes',
    loader: ({ request }) => listLoader({ request, context } as never),
    action: async ({ request }) => {
      const result = await createAction({ request, context } as never);
      results.push(result);
      // The page that it leads to is no part of this test.
      return result instanceof Response ? null : (result ?? null);
    },
  });
  return { create, results, ...view };
}

describe('batches of codes', () => {
  it('show their state and counts', async () => {
    const { container } = showList([
      makeBatch(),
      makeBatch({ id: 'b', title: 'Old', state: 'revoked', redeemedCount: 100 }),
    ]);
    const [, spring, old] = within(await screen.findByRole('table', { name: 'Batches' })).getAllByRole('row');
    expect(spring).toHaveTextContent(/Spring fair.*Open.*3 of 100.*20 credits.*always/);
    expect(old).toHaveTextContent(/Revoked.*100 of 100/);
    expect(await violationsOf(container)).toEqual([]);
  });

  it('are made with an end of day in UTC, once per key, and lead to their codes', async () => {
    const { create, results } = showList([]);
    const form = within(await screen.findByRole('form', { name: 'Make codes' }));
    await userEvent.type(form.getByLabelText(/^Name/), 'Spring fair');
    await userEvent.type(form.getByLabelText(/^How many/), '100');
    await userEvent.type(form.getByLabelText(/^Credits per/), '20');
    await userEvent.type(form.getByLabelText(/^Last day/), '2026-12-31');
    await userEvent.click(form.getByRole('button', { name: 'Make the codes' }));
    await waitFor(() => expect(create).toHaveBeenCalledTimes(1));
    expect(create).toHaveBeenCalledWith({
      title: 'Spring fair',
      codeCount: 100,
      credits: 20,
      oncePerUser: true,
      validDays: null,
      expiresAt: new Date('2027-01-01T00:00:00Z'),
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const [led] = results as Response[];
    expect(led?.headers.get('location')).toBe(`/admin/codes/${makeBatch().id}`);
  });

  it('are refused beside the fields', async () => {
    const { create } = showList([]);
    const form = within(await screen.findByRole('form', { name: 'Make codes' }));
    await userEvent.type(form.getByLabelText(/^How many/), '10001');
    await userEvent.click(form.getByRole('button', { name: 'Make the codes' }));
    expect(await form.findByText('Name the batch.')).toBeInTheDocument();
    expect(form.getByText('At most 10,000 codes per batch.')).toBeInTheDocument();
    expect(form.getByText('Enter a whole number of credits.')).toBeInTheDocument();
    expect(create).not.toHaveBeenCalled();
  });
});

const CODES: CodeView[] = [
  { id: 'c1', code: 'AAAA-BBBB', redeemedBy: null, redeemedByEmail: null, redeemedAt: null },
  {
    id: 'c2',
    code: 'CCCC-DDDD',
    redeemedBy: USER_ID,
    redeemedByEmail: 'ada@example.com',
    redeemedAt: new Date('2026-01-05T10:00:00Z'),
  },
];

describe('a batch', () => {
  function show(batch: BatchView) {
    const revoke = vi.fn(async (_input: unknown) => ({ ok: true }));
    const codes = async () => ({ items: CODES, nextCursor: null });
    const context = { trpc: { adminRedeem: { get: async () => batch, codes, revoke } } };
    const view = renderInApp(<Batch />, {
      url: `/admin/codes/${batch.id}`,
      loader: ({ request }) => loader({ request, params: { batchId: batch.id }, context } as never),
      action: async ({ request }) => (await action({ request, context } as never)) ?? null,
    });
    return { revoke, ...view };
  }

  it('shows its codes and who redeemed them, and downloads them', async () => {
    const { container } = show(makeBatch());
    const [, free, used] = within(await screen.findByRole('table', { name: 'Codes' })).getAllByRole('row');
    expect(free).toHaveTextContent(/AAAA-BBBB.*nobody yet/);
    expect(within(used as HTMLElement).getByRole('link', { name: 'ada@example.com' })).toHaveAttribute(
      'href',
      `/admin/users/${USER_ID}`,
    );
    expect(screen.getByRole('link', { name: 'Download as CSV' })).toHaveAttribute(
      'href',
      `/admin/codes/${makeBatch().id}/codes.csv`,
    );
    expect(await violationsOf(container)).toEqual([]);
  });

  it('is revoked with a reason and a second press, and only once', async () => {
    const { revoke, unmount } = show(makeBatch());
    const form = within(await screen.findByRole('form', { name: 'Revoke Spring fair' }));
    await userEvent.type(form.getByRole('textbox'), 'They leaked.');
    await userEvent.click(form.getByRole('button', { name: 'Revoke' }));
    expect(revoke).not.toHaveBeenCalled();
    await userEvent.click(form.getByRole('button', { name: 'Revoke it' }));
    await waitFor(() =>
      expect(revoke).toHaveBeenCalledExactlyOnceWith({ batchId: makeBatch().id, reason: 'They leaked.' }),
    );
    unmount();
    show(makeBatch({ state: 'revoked', revokedAt: new Date('2026-01-06T10:00:00Z') }));
    await screen.findByRole('table', { name: 'Codes' });
    expect(screen.queryByRole('form')).not.toBeInTheDocument();
  });
});

describe('the codes as CSV', () => {
  const load = (role: 'admin' | 'user') => {
    const codes = vi.fn(async ({ cursor }: { cursor?: string }) =>
      cursor === undefined
        ? { items: CODES.slice(0, 1), nextCursor: 'c1' }
        : { items: CODES.slice(1), nextCursor: null },
    );
    const user = { id: 'u', email: 'root@example.com', displayName: 'Root', role };
    const batchId = makeBatch().id;
    const request = new Request(`http://site.invalid/admin/codes/${batchId}/codes.csv`);
    const context = { user, trpc: { adminRedeem: { codes } } };
    return { codes, answer: csvLoader({ request, params: { batchId }, context } as never) };
  };

  it('are all of them, page by page', async () => {
    const { codes, answer } = load('admin');
    expect((await (await answer).text()).trim().split('\r\n')).toEqual([
      'code,redeemed at,redeemed by',
      'AAAA-BBBB,,',
      'CCCC-DDDD,2026-01-05T10:00:00.000Z,ada@example.com',
    ]);
    expect(codes).toHaveBeenCalledTimes(2);
  });

  it('are no page for others, who read nothing', async () => {
    const { codes, answer } = load('user');
    await expect(answer).rejects.toMatchObject({ status: 404 });
    expect(codes).not.toHaveBeenCalled();
  });
});
