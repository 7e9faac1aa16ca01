import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makeAdminPack } from '#app/testing/admin-money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { AdminPackView } from '#server/orders/schemas.ts';
import Packs, { action as packAction, loader as packLoader } from './admin.packs.tsx';

const violationsOf = async (container: HTMLElement) => {
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  return violations.map((violation) => `${violation.id}: ${violation.help}`);
};

describe('packs', () => {
  function show(packs: AdminPackView[], query = '') {
    const savePack = vi.fn(async (_input: unknown) => ({ packId: makeAdminPack().id }));
    const context = { trpc: { adminOrders: { packs: async () => packs, savePack } } };
    const view = renderInApp(<Packs />, {
      url: `/admin/packs${query}`,
      loader: ({ request }) => packLoader({ request, context } as never),
      action: async ({ request }) => (await packAction({ request, context } as never)) ?? null,
    });
    return { savePack, ...view };
  }

  it('are added with a price as people write it', async () => {
    const { container, savePack } = show([]);
    const form = within(await screen.findByRole('form', { name: 'Add a pack' }));
    expect(await violationsOf(container)).toEqual([]);
    await userEvent.type(form.getByLabelText(/^Name/), 'Small');
    await userEvent.type(form.getByLabelText(/^Credits/), '100');
    await userEvent.type(form.getByLabelText(/^Price/), '9.905');
    await userEvent.type(form.getByLabelText(/^Currency/), 'eur');
    await userEvent.click(form.getByRole('button', { name: 'Add the pack' }));
    expect(await form.findByText('EUR has 2 digits after the point.')).toBeInTheDocument();
    expect(savePack).not.toHaveBeenCalled();
    await userEvent.type(form.getByLabelText(/^Price/), '{Backspace}');
    await userEvent.click(form.getByRole('button', { name: 'Add the pack' }));
    await waitFor(() =>
      expect(savePack).toHaveBeenCalledExactlyOnceWith({
        key: expect.stringMatching(/^[0-9a-f-]{36}$/),
        title: 'Small',
        credits: 100,
        amountMinor: 990,
        currency: 'EUR',
        validDays: null,
        enabled: true,
        position: 0,
      }),
    );
  });

  it('are changed under their address, and taken off sale', async () => {
    const pack = makeAdminPack({ validDays: 30 });
    const { savePack } = show([pack], `?edit=${pack.id}`);
    const form = within(await screen.findByRole('form', { name: 'Change the pack' }));
    expect(form.getByLabelText(/^Price/)).toHaveValue('9.90');
    await userEvent.click(form.getByLabelText('On sale'));
    await userEvent.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(savePack).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ packId: pack.id, enabled: false, validDays: 30, amountMinor: 990 }),
      ),
    );
  });
});
