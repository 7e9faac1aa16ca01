import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { runForm } from '#app/lib/form.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { closeAccountInput } from '#server/retention/schemas.ts';
import { CloseAccountPanel } from './close-account-panel.tsx';

const nothing = { runningTasks: 0, balanceCredits: 0, owedCredits: 0 };

it('says what becomes of credits, debts, tasks and orders before anything is closed', () => {
  renderInApp(<CloseAccountPanel before={{ runningTasks: 2, balanceCredits: 1_200, owedCredits: 30 }} />);
  expect(screen.getByText(/Your 1,200 credits are lost/)).toBeVisible();
  expect(screen.getByText(/The 30 credits that you owe stay on record/)).toBeVisible();
  expect(screen.getByText(/The 2 tasks under way are cancelled/)).toBeVisible();
  expect(screen.getByText(/Orders that are not paid are cancelled/)).toBeVisible();
});

it('closes only with the password and the sentence, and shows what is wrong beside the field', async () => {
  const sent: unknown[] = [];
  renderInApp(<CloseAccountPanel before={nothing} />, {
    action: async ({ request }) =>
      (await runForm(request, await request.formData(), {
        name: 'close-account',
        schema: closeAccountInput,
        secrets: ['password'],
        run: async (input) => {
          sent.push(input);
          return {};
        },
      })) ?? null,
  });
  const user = userEvent.setup();
  const button = screen.getByRole('button', { name: 'Close the account' });
  await user.click(button);
  expect(screen.getByText('Enter your password.')).toBeVisible();
  await user.type(screen.getByLabelText(/^Your password/), 'a long password');
  await user.type(screen.getByLabelText(/^Type/), 'yes');
  await user.click(button);
  expect(screen.getByText('Type: delete my account')).toBeVisible();
  expect(sent).toEqual([]);

  await user.clear(screen.getByLabelText(/^Type/));
  await user.type(screen.getByLabelText(/^Type/), 'delete my account');
  await user.click(button);
  expect(sent).toEqual([{ password: 'a long password', confirm: 'delete my account' }]);
});
