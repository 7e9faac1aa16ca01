import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { AppError } from '#server/lib/app-error.ts';
import SignUp, { action, loader } from './_auth.signup.tsx';

const PERSON = { displayName: 'Ada', email: 'ada@example.com', password: 'a short sentence' };

/** The sign-up page at an address; every attempt is refused with the given error. */
function show(query: string, error = new AppError('forbidden', 'Sign-up is closed.')) {
  const signUp = vi.fn(async (_input: unknown) => {
    throw Object.assign(new Error(error.message, { cause: error }), { name: 'TRPCError', code: 'FORBIDDEN' });
  });
  renderInApp(<SignUp />, {
    url: `/signup${query}`,
    loader: ({ request }) => loader({ request, context: { user: null } } as never),
    action: ({ request }) => action({ request, context: { trpc: { auth: { signUp } } } } as never),
  });
  return signUp;
}

async function fill() {
  await userEvent.type(await screen.findByLabelText(/^Name/), PERSON.displayName);
  await userEvent.type(screen.getByLabelText(/^E-mail/), PERSON.email);
  await userEvent.type(screen.getByLabelText(/^Password/), PERSON.password);
}

const send = () => userEvent.click(screen.getByRole('button', { name: 'Create account' }));

it('carries the code of an invite into the new account, in sight of who signs up', async () => {
  const signUp = show('?invite=WXYZ6789');
  expect(await screen.findByLabelText(/^Invite code/)).toHaveValue('WXYZ6789');
  await fill();
  await send();
  await vi.waitFor(() =>
    expect(signUp).toHaveBeenCalledExactlyOnceWith({ ...PERSON, inviteCode: 'WXYZ6789' }),
  );
});

it('goes on without an invite when the code is emptied', async () => {
  const signUp = show('?invite=WXYZ6789');
  await fill();
  await userEvent.clear(screen.getByLabelText(/^Invite code/));
  await send();
  await vi.waitFor(() => expect(signUp).toHaveBeenCalledExactlyOnceWith(PERSON));
});

it('says beside the code that nobody invites with it', async () => {
  const cause = new AppError('not_found', 'Nobody invites with this code.', { field: 'inviteCode' });
  show('?invite=NOBODY22', cause);
  await fill();
  await send();
  await vi.waitFor(() =>
    expect(screen.getByLabelText(/^Invite code/)).toHaveAccessibleDescription(
      /Nobody invites with this code\./,
    ),
  );
});

it('asks nobody for a code who was not invited', async () => {
  show('');
  await screen.findByLabelText(/^Name/);
  expect(screen.queryByLabelText(/^Invite code/)).toBeNull();
});

it('marks what is required before its schema is there, and says what is wrong once it is', async () => {
  show('');
  const address = await screen.findByLabelText(/^E-mail/);
  expect(address).toBeRequired();
  await userEvent.type(address, 'ada');
  await userEvent.tab();
  // The first blur may come before the schema has; the next one finds it.
  await waitFor(async () => {
    address.focus();
    await userEvent.tab();
    expect(address).toHaveAccessibleDescription(/Enter an e-mail address such as/);
  });
});
