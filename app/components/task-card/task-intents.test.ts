import { expect, it, vi } from 'vitest';
import { runTaskIntent } from './task-intents.ts';

const ID = '0190a0b0-0000-7000-8000-000000000001';

function makeForm(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

function procedures(answer: 'cancelled' | 'requested' | 'unsupported' | 'finished' = 'cancelled') {
  return {
    cancel: vi.fn(async () => ({ answer })),
    retry: vi.fn(async () => ({ taskId: 'new' })),
  };
}

it('cancels and goes back to the list as it was filtered', async () => {
  const calls = procedures('requested');
  const form = makeForm({ intent: 'cancel', returnTo: '/workbench?kind=image&state=active' });
  expect(await runTaskIntent(ID, form, calls)).toEqual({ redirectTo: '/workbench?kind=image&state=active' });
  expect(calls.cancel).toHaveBeenCalledWith({ taskId: ID });
});

it.each([
  ['unsupported', /cannot be stopped/],
  ['finished', /had finished/],
] as const)('says so when a cancel came to nothing: %s', async (answer, words) => {
  const result = await runTaskIntent(ID, makeForm({ intent: 'cancel' }), procedures(answer));
  expect(result).toMatchObject({ status: 409, error: expect.stringMatching(words) });
});

it('retries under the form’s key and shows the new task', async () => {
  const calls = procedures();
  const fromTask = makeForm({
    intent: 'retry',
    requestKey: 'a-key-of-the-form',
    returnTo: `/workbench/tasks/${ID}`,
  });
  expect(await runTaskIntent(ID, fromTask, calls)).toEqual({ redirectTo: '/workbench/tasks/new' });
  expect(calls.retry).toHaveBeenCalledWith({ taskId: ID, requestKey: 'a-key-of-the-form' });

  const fromList = makeForm({
    intent: 'retry',
    requestKey: 'k',
    returnTo: '/workbench?make=video&state=failed&cursor=x',
  });
  expect(await runTaskIntent(ID, fromList, calls)).toEqual({ redirectTo: '/workbench?make=video&made=new' });
});

it.each(['https://evil.example', '//evil.example', '/workbench/../login', '/workbench?\\evil', '/settings'])(
  'never leaves the workbench: %s',
  async (returnTo) => {
    const result = await runTaskIntent(ID, makeForm({ intent: 'cancel', returnTo }), procedures());
    expect(result).toEqual({ redirectTo: `/workbench/tasks/${ID}` });
  },
);

it('refuses an unknown intent and calls nothing', async () => {
  const calls = procedures();
  expect(await runTaskIntent(ID, makeForm({ intent: 'delete' }), calls)).toMatchObject({ status: 400 });
  expect(calls.cancel).not.toHaveBeenCalled();
  expect(calls.retry).not.toHaveBeenCalled();
});

it('shows a procedure’s own sentence and hides what was not meant for people', async () => {
  const refused = Object.assign(new Error('You have 1 credit.'), {
    name: 'TRPCError',
    code: 'PAYMENT_REQUIRED',
  });
  const calls = {
    ...procedures(),
    retry: vi.fn().mockRejectedValueOnce(refused).mockRejectedValueOnce(new Error('secret')),
  };
  const form = makeForm({ intent: 'retry', requestKey: 'k' });
  expect(await runTaskIntent(ID, form, calls)).toEqual({ error: 'You have 1 credit.', status: 402 });
  const result = await runTaskIntent(ID, form, calls);
  expect(result).toMatchObject({ status: 500, unexpected: expect.any(Error) });
  expect('error' in result && result.error).not.toContain('secret');
});
