import { screen } from '@testing-library/react';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makeAdminInvite } from '#app/testing/admin-money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import Invites, { loader as invitesLoader } from './admin.invites.tsx';

const violationsOf = async (container: HTMLElement) => {
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  return violations.map((violation) => `${violation.id}: ${violation.help}`);
};

describe('invites', () => {
  it('show both people, the rewards and why one was refused, filtered by the address', async () => {
    const list = vi.fn(async (_input: unknown) => ({
      items: [makeAdminInvite({ status: 'refused', note: 'The monthly cap is reached.' })],
      nextCursor: null,
    }));
    const { container } = renderInApp(<Invites />, {
      url: '/admin/invites?status=refused',
      loader: ({ request }) =>
        invitesLoader({ request, context: { trpc: { adminInvites: { list } } } } as never),
    });
    expect(await screen.findByRole('table', { name: 'Invites' })).toHaveTextContent(
      /ben@example\.com.*by ada@example\.com.*Refused.*The monthly cap is reached\./,
    );
    expect(list).toHaveBeenCalledWith(expect.objectContaining({ status: 'refused' }));
    expect(await violationsOf(container)).toEqual([]);
  });
});
