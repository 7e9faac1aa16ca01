import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import type { Redeemed } from '#server/billing/redeem/schemas.ts';
import { AppError } from '#server/lib/app-error.ts';
import Redeem, { action, loader } from './redeem.tsx';

const redeemed: Redeemed = {
  credits: 500,
  expiresAt: new Date('2027-01-05T10:00:00Z'),
  title: 'Spring fair',
  paidDebtCredits: 0,
  repeated: false,
};

function show({ query = '', answer = {} }: { query?: string; answer?: Partial<Redeemed> } = {}) {
  const redeem = vi.fn(async (_input: unknown) => ({ ...redeemed, ...answer }));
  const context = { user: { id: 'u' }, trpc: { billing: { redeem } } };
  const view = renderInApp(<Redeem />, {
    url: `/redeem${query}`,
    loader: ({ request }) => loader({ request, context } as never),
    action: ({ request }) => action({ request, context } as never),
  });
  return { redeem, ...view };
}

async function send(code: string) {
  await userEvent.type(await screen.findByLabelText(/^Code/), code);
  await userEvent.click(screen.getByRole('button', { name: 'Redeem' }));
}

describe('redeeming a code', () => {
  it('says what the code gave and until when, and is ready for another one', async () => {
    const { redeem } = show();
    await send('abcd-efgh');
    expect(await screen.findByRole('status')).toHaveTextContent(/Spring fair: 500 credits.*expire.*2027/);
    expect(redeem).toHaveBeenCalledExactlyOnceWith({ code: 'abcd-efgh' });
    expect(screen.getByLabelText(/^Code/)).toHaveValue('');
  });

  it.each<[string, Partial<Redeemed>, RegExp]>([
    ['never expires', { expiresAt: null }, /They never expire\.$/],
    [
      'paid a debt in part',
      { paidDebtCredits: 120 },
      /120 credits paid off what you owed\. The other 380 credits expire/,
    ],
    ['paid a debt in whole', { paidDebtCredits: 500 }, /500 credits paid off what you owed\.\s*$/],
    [
      'was redeemed before',
      { repeated: true },
      /had redeemed this code already.*500 credits then, and nothing moved/,
    ],
  ])('tells it of credits where the code %s', async (_case, answer, words) => {
    show({ answer });
    await send('abcd-efgh');
    expect((await screen.findByRole('status')).textContent).toMatch(words);
  });

  it('says beside the field what is wrong with a code, and keeps what was typed', async () => {
    const { redeem } = show();
    const cause = new AppError('not_found', 'There is no such code.', { field: 'code' });
    redeem.mockRejectedValueOnce(
      Object.assign(new Error(cause.message, { cause }), { name: 'TRPCError', code: 'NOT_FOUND' }),
    );
    await send('abcd-efgg');
    await vi.waitFor(() =>
      expect(screen.getByLabelText(/^Code/)).toHaveAccessibleDescription(/There is no such code\./),
    );
    expect(screen.getByLabelText(/^Code/)).toHaveValue('abcd-efgg');
    expect(screen.queryByRole('status')).toBeNull();
  });

  it('sends nothing when nothing was typed', async () => {
    const { redeem } = show();
    await userEvent.click(await screen.findByRole('button', { name: 'Redeem' }));
    expect(screen.getByText('Enter a code.')).toBeVisible();
    expect(redeem).not.toHaveBeenCalled();
  });

  it('takes the code of a link, which still has to be redeemed by hand', async () => {
    const { redeem } = show({ query: '?code=WXYZ-2345' });
    expect(await screen.findByLabelText(/^Code/)).toHaveValue('WXYZ-2345');
    expect(redeem).not.toHaveBeenCalled();
  });

  it('has no accessibility violation', async () => {
    const { container } = show();
    await send('abcd-efgh');
    await screen.findByRole('status');
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});
