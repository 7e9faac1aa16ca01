import type { ActionFunction } from '@remix-run/node';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { makeAdminModel } from '#app/testing/channel-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { ModelTable } from './model-table.tsx';

const MODELS = [
  makeAdminModel({ id: 'i', title: 'Picture', kind: 'image' }),
  makeAdminModel({ id: 'a', title: 'First' }),
  makeAdminModel({ id: 'b', title: 'Second', enabled: false }),
];
const NUMBERS = [
  {
    modelId: 'a',
    title: 'First',
    kind: 'video' as const,
    submitted: 4,
    succeeded: 3,
    failed: 1,
    p50Seconds: 65,
    p95Seconds: 130,
  },
];

it('moves a model among those of its kind only, and shows how models did', async () => {
  const user = userEvent.setup();
  const sent: Record<string, string>[] = [];
  const action: ActionFunction = async ({ request }) => {
    const form = [...(await request.formData())];
    sent.push(Object.fromEntries(form.map(([name, value]) => [name, String(value)])));
    return { done: 'yes' };
  };
  renderInApp(<ModelTable models={MODELS} withChannel numbers={NUMBERS} isOrdered />, { action });
  const buttons = screen
    .getAllByRole('button', { name: /^Move/ })
    .map((button) => button.getAttribute('aria-label'));
  expect(buttons).toEqual(['Move First down', 'Move Second up']);
  expect(screen.getByRole('row', { name: /First/ })).toHaveTextContent(
    /4 tasks75 % succeeded.*1:05up to 2:10/,
  );
  expect(screen.getByRole('row', { name: /Second/ })).toHaveTextContent(/0 tasks.*none.*Off.*Turn on/);
  await user.click(screen.getByRole('button', { name: 'Move Second up' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({ intent: 'move-model', modelId: 'b', direction: 'up' });
});

it('moves nothing where the rows are not in order', () => {
  renderInApp(<ModelTable models={MODELS} withChannel={false} />);
  expect(screen.queryByRole('button', { name: /^Move/ })).not.toBeInTheDocument();
  expect(screen.queryByRole('columnheader', { name: 'Typical time' })).not.toBeInTheDocument();
});
