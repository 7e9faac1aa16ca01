import { createRemixStub } from '@remix-run/testing';
import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useActionKey } from './use-action-key.ts';

function Page() {
  return <input aria-label="key" readOnly value={useActionKey('from the server')} />;
}

/** The page as it comes back from a form that was sent without a script. */
function open(actionData: unknown): void {
  const Stub = createRemixStub([{ id: 'page', path: '/', Component: Page }]);
  render(<Stub hydrationData={{ loaderData: {}, actionData: { page: actionData } }} />);
}

it('keeps the key of a try that failed, without scripts too: it may have acted, and acts once', () => {
  open({
    form: 'adjust',
    reply: { status: 'error', initialValue: { key: 'tried' }, error: { '': ['No.'] } },
  });
  expect(screen.getByLabelText('key')).toHaveValue('tried');
});

it('takes a new one after a success, and for a form that has none', () => {
  open({ done: 'Done.', deed: 'adjust', key: 'tried' });
  expect(screen.getByLabelText('key')).toHaveValue('from the server');
});
