import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makeInvite, makeMyInvites, makeTerms } from '#app/testing/money-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { InviteLanding, MyInvites } from '#server/invites/schemas.ts';
import { AppError } from '#server/lib/app-error.ts';
import Invite, { action as inviteAction, loader as inviteLoader } from './invite.$code.tsx';
import Invites, { action, loader } from './invites.tsx';

const refusal = (message: string) => {
  const cause = new AppError('conflict', message, { field: 'code' });
  return Object.assign(new Error(message, { cause }), { name: 'TRPCError', code: 'CONFLICT' });
};

async function violationsIn(container: Element) {
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  return violations.map((violation) => `${violation.id}: ${violation.help}`);
}

describe('my invites', () => {
  function show(mine: Partial<MyInvites> = {}) {
    const bind = vi.fn(async (_input: unknown) => ({ inviterName: 'Grace' }));
    const context = { trpc: { invites: { mine: async () => makeMyInvites(mine), bind } } };
    const view = renderInApp(<Invites />, {
      url: '/invites',
      loader: ({ request }) => loader({ request, context } as never),
      action: ({ request }) => action({ request, context } as never),
    });
    return { bind, ...view };
  }

  it('gives the link to take away, the code, and the terms with this month’s count', async () => {
    show();
    const link = await screen.findByLabelText('Your invite link');
    expect((link as HTMLInputElement).value).toMatch(/^https?:\/\/[^/]+\/invite\/ABCD2345$/);
    expect(link).toHaveAttribute('readonly');
    expect(screen.getByText('ABCD2345')).toBeVisible();
    expect(screen.getByRole('region', { name: 'How it works' })).toHaveTextContent(
      /You get 200 credits, and they get 100 credits.*Rewarded this month: 3 of 20\./,
    );
  });

  it('shows what became of each invite, why there is no reward, and when one comes', async () => {
    const dueAt = new Date('2026-01-12T10:00:00Z');
    show({
      invites: [
        makeInvite({ id: 'i1' }),
        makeInvite({ id: 'i2', status: 'qualified', dueAt }),
        makeInvite({ id: 'i3', status: 'rewarded', rewardedAt: dueAt }),
        makeInvite({ id: 'i4', status: 'refused', note: 'The order was refunded.' }),
        makeInvite({ id: 'i5', status: 'clawed_back', note: 'The order was refunded later.' }),
      ],
    });
    const rows = within(await screen.findByRole('table', { name: 'Invites' }))
      .getAllByRole('row')
      .slice(1);
    expect(rows[0]).toHaveTextContent(/Signed up.*Waits for the first paid order\..*none yet/);
    expect(rows[1]).toHaveTextContent(/Has ordered.*Reward on .*2026.* if the order stands\..*none yet/);
    expect(rows[2]).toHaveTextContent(/Rewarded.*\+200/);
    expect(rows[3]).toHaveTextContent(/No reward.*The order was refunded\..*none$/);
    expect(rows[4]).toHaveTextContent(/Taken back.*The order was refunded later\..*none$/);
  });

  it('takes a code while none was entered, and says beside the field why it does not count', async () => {
    const { bind } = show();
    bind.mockRejectedValueOnce(refusal('This is your own code.'));
    await userEvent.type(await screen.findByLabelText(/^Invite code/), 'abcd2345');
    await userEvent.click(screen.getByRole('button', { name: 'Enter the code' }));
    await vi.waitFor(() =>
      expect(screen.getByLabelText(/^Invite code/)).toHaveAccessibleDescription(/This is your own code\./),
    );
    expect(bind).toHaveBeenCalledExactlyOnceWith({ code: 'ABCD2345' });
  });

  it('says who invited me and what comes of it, and takes no second code', async () => {
    const invitedBy = { name: 'Grace', status: 'rewarded', inviteeCredits: 100, dueAt: null } as const;
    show({ invitedBy, mayBind: false });
    expect(await screen.findByRole('region', { name: 'Who invited you' })).toHaveTextContent(
      'Grace invited you. You got 100 credits for it.',
    );
    expect(screen.queryByLabelText(/^Invite code/)).toBeNull();
  });

  it('offers no code field after the first purchase', async () => {
    show({ mayBind: false });
    await screen.findByLabelText('Your invite link');
    expect(screen.queryByLabelText(/^Invite code/)).toBeNull();
  });

  it('promises nothing while rewards are switched off', async () => {
    show({ terms: makeTerms({ open: false, inviterCredits: 0, inviteeCredits: 0 }) });
    expect(await screen.findByText('Rewards are switched off')).toBeVisible();
    expect(screen.queryByText(/You get/)).toBeNull();
  });

  it('has no accessibility violation', async () => {
    const { container } = show({ invites: [makeInvite({ status: 'rewarded', rewardedAt: new Date() })] });
    await screen.findByRole('table', { name: 'Invites' });
    expect(await violationsIn(container)).toEqual([]);
  });
});

describe('the page of an invite', () => {
  type Reader = { user?: { id: string } | null; mine?: Partial<MyInvites>; landing?: Partial<InviteLanding> };

  function show({ user = null, mine = {}, landing = {} }: Reader = {}) {
    const view = { code: 'WXYZ6789', inviterName: 'Grace', terms: makeTerms(), ...landing };
    const invites = {
      landing: vi.fn(async (_input: unknown): Promise<InviteLanding> => view),
      mine: async () => makeMyInvites(mine),
      bind: vi.fn(async (_input: unknown) => ({ inviterName: 'Grace' })),
    };
    const context = { user, trpc: { invites } };
    const params = { code: 'wxyz6789' };
    const leads = vi.fn((_location: string | null) => {});
    const rendered = renderInApp(<Invite />, {
      url: '/invite/wxyz6789',
      loader: ({ request }) => inviteLoader({ request, params, context } as never),
      action: async ({ request }) => {
        const answer = await inviteAction({ request, params, context } as never);
        if (!(answer instanceof Response)) return answer;
        leads(answer.headers.get('location'));
        return null;
      },
    });
    return { invites, context, params, leads, ...rendered };
  }

  const title = () => screen.findByRole('heading', { name: 'Grace invites you' });

  it('tells a guest who invites and what both get, and carries the code to the sign-up', async () => {
    show();
    await title();
    expect(screen.getByRole('region', { name: 'What you get' })).toHaveTextContent(
      /You get 100 credits.*whoever invited you gets 200 credits/,
    );
    expect(screen.getByRole('link', { name: 'Create an account' })).toHaveAttribute(
      'href',
      '/signup?invite=WXYZ6789',
    );
    expect(screen.getByRole('link', { name: 'I have one already' })).toHaveAttribute(
      'href',
      '/login?next=/invite/WXYZ6789',
    );
  });

  it('lets someone who is signed in accept with one button', async () => {
    const { invites, leads } = show({ user: { id: 'u' } });
    await userEvent.click(await screen.findByRole('button', { name: 'Accept the invite of Grace' }));
    await vi.waitFor(() => expect(leads).toHaveBeenCalledExactlyOnceWith('/invites'));
    expect(invites.bind).toHaveBeenCalledExactlyOnceWith({ code: 'WXYZ6789' });
  });

  it('says why an invite could not be accepted', async () => {
    const { invites } = show({ user: { id: 'u' } });
    invites.bind.mockRejectedValueOnce(refusal('You invited the owner of this code.'));
    await userEvent.click(await screen.findByRole('button', { name: 'Accept the invite of Grace' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('You invited the owner of this code.');
  });

  it.each<[string, Partial<MyInvites>, RegExp]>([
    ['its owner', { code: 'WXYZ6789' }, /This is your own invite/],
    ['who was invited or has bought', { mayBind: false }, /An invite counts once/],
  ])('offers nothing to press to %s', async (_who, mine, words) => {
    show({ user: { id: 'u' }, mine });
    await title();
    expect(screen.getByText(words)).toBeVisible();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('promises nothing while rewards are switched off', async () => {
    show({ landing: { terms: makeTerms({ open: false }) } });
    await title();
    expect(screen.getByText(/There is no reward for invites at the moment/)).toBeVisible();
  });

  it.each(['NOT_FOUND', 'BAD_REQUEST'])(
    'answers a code that is none (%s) with 404 and a way on',
    async (code) => {
      const { invites, context, params } = show();
      const error = () => Object.assign(new Error('No such code.'), { name: 'TRPCError', code });
      invites.landing.mockRejectedValue(error());
      const request = new Request('https://site.example.com/invite/x');
      const answer = await inviteLoader({ request, params, context } as never);
      expect(answer.init?.status).toBe(404);
      expect(answer.data.landing).toBeNull();
    },
  );

  it.each([
    [false, 'Create an account', '/signup'],
    [true, 'To your invites', '/invites'],
  ])('shows the way on of an unknown code (signed in: %s), accessibly', async (signedIn, name, href) => {
    const { container } = renderInApp(<Invite />, {
      url: '/invite/NOBODY22',
      loader: () => ({ landing: null, reader: 'guest', signedIn }),
    });
    expect(await screen.findByRole('heading', { name: 'Nobody invites with this code' })).toBeVisible();
    expect(screen.getByRole('link', { name })).toHaveAttribute('href', href);
    expect(await violationsIn(container)).toEqual([]);
  });
});
