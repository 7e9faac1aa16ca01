import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { runForm } from '#app/lib/form.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { createTokenInput } from '#server/auth/schemas.ts';
import { TokensPanel } from './tokens-panel.tsx';

it('leads to a first token, and refuses one without a name or scope', async () => {
  const sent: unknown[] = [];
  renderInApp(<TokensPanel tokens={[]} created={null} />, {
    action: async ({ request }) =>
      (await runForm(request, await request.formData(), {
        name: 'create-token',
        schema: createTokenInput,
        run: async (input) => {
          sent.push(input);
          return {};
        },
      })) ?? null,
  });
  expect(screen.getByText('No tokens')).toBeVisible();
  await userEvent.click(screen.getByLabelText(/^Read/));
  await userEvent.click(screen.getByRole('button', { name: 'Create token' }));
  expect(screen.getByText('Name the token.')).toBeVisible();
  expect(sent).toEqual([]);

  await userEvent.type(screen.getByLabelText(/^Name/), 'render farm');
  await userEvent.click(screen.getByLabelText(/^Cancel/));
  await userEvent.click(screen.getByRole('button', { name: 'Create token' }));
  expect(sent).toEqual([{ name: 'render farm', scopes: ['cancel'] }]);
});

it('shows a new secret once, to select or copy, and lists tokens by their prefix alone', () => {
  const token = {
    id: 't1',
    name: 'render farm',
    prefix: 'sdl_Ab12Cd',
    scopes: ['read' as const],
    createdAt: new Date(),
    lastUsedAt: null,
  };
  const { unmount } = renderInApp(
    <TokensPanel tokens={[token]} created={{ name: 'render farm', secret: 'sdl_whole-secret' }} />,
  );
  expect(screen.getByLabelText('Secret of token render farm')).toHaveValue('sdl_whole-secret');
  expect(screen.getByRole('button', { name: 'Copy' })).toBeVisible();
  unmount();
  const { container } = renderInApp(<TokensPanel tokens={[token]} created={null} />);
  expect(container.innerHTML).not.toContain('sdl_whole-secret');
  expect(screen.getByText('sdl_Ab12Cd…')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Revoke token render farm' })).toBeVisible();
});
