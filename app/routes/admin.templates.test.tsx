import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { LanguageProvider } from '#app/lib/language.tsx';
import { renderInApp } from '#app/testing/render.tsx';
import type { HouseTemplateView } from '#server/generation/prompts/schemas.ts';
import Templates, { action, loader } from './admin.templates.tsx';

const POSTER: HouseTemplateView = {
  id: '0190a0b0-0000-4000-8000-000000000001',
  kind: 'image',
  language: 'en',
  name: 'Poster',
  prompt: 'A poster for [event]',
  updatedAt: new Date('2026-01-05T10:00:00Z'),
};

function show(house: object, { query = '', language = 'en' as 'en' | 'zh-CN' } = {}) {
  const context = {
    user: { id: 'a1', email: 'ada@example.com', displayName: 'Ada', role: 'admin' },
    trpc: { prompts: { house: { list: async () => [POSTER], ...house } } },
  };
  return renderInApp(
    <LanguageProvider value={language}>
      <Templates />
    </LanguageProvider>,
    {
      url: `/admin/templates${query}`,
      loader: ({ request }) => loader({ request, context } as never),
      action: ({ request }) => action({ request, context } as never),
    },
  );
}

it('adds a template for everybody or for readers of one language', async () => {
  const user = userEvent.setup();
  const add = vi.fn(async () => ({ ids: ['t2'] }));
  show({ add });
  const form = await screen.findByRole('form', { name: 'New template' });
  await user.selectOptions(within(form).getByLabelText(/^Kind/), 'Video');
  await user.click(within(form).getByRole('button', { name: 'Offer it' }));
  expect(await within(form).findByText('Enter a name.')).toBeInTheDocument();
  expect(add).not.toHaveBeenCalled();
  await user.type(within(form).getByLabelText(/^Name/), 'Opening');
  await user.type(within(form).getByLabelText(/^Prompt/), 'A slow opening');
  await user.click(within(form).getByRole('button', { name: 'Offer it' }));
  expect(await screen.findByText('The template is offered now.')).toBeInTheDocument();
  expect(add).toHaveBeenCalledExactlyOnceWith({
    templates: [{ kind: 'video', name: 'Opening', prompt: 'A slow opening' }],
  });
});

it('changes the one that the address names, and removes one after asking', async () => {
  const user = userEvent.setup();
  const change = vi.fn(async () => ({ id: POSTER.id }));
  const remove = vi.fn(async () => ({ id: POSTER.id }));
  show({ change, remove }, { query: `?edit=${POSTER.id}` });
  const form = await screen.findByRole('form', { name: 'Change a template' });
  expect(within(form).getByLabelText('Offered to')).toHaveValue('en');
  const name = within(form).getByLabelText(/^Name/);
  await user.clear(name);
  await user.type(name, 'Placard');
  await user.click(within(form).getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The template is changed.')).toBeInTheDocument();
  const { id, kind, language, prompt } = POSTER;
  expect(change).toHaveBeenCalledExactlyOnceWith({ id, kind, language, name: 'Placard', prompt });
  await user.click(screen.getByRole('button', { name: 'Remove Poster' }));
  await user.click(screen.getByRole('button', { name: 'Remove it' }));
  expect(await screen.findByText('The template is not offered any more.')).toBeInTheDocument();
  expect(remove).toHaveBeenCalledExactlyOnceWith({ id: POSTER.id });
});

it('takes over what pages bring along for kinds without a template, in both languages', async () => {
  const user = userEvent.setup();
  const add = vi.fn(async (_input: { templates: { kind: string; language?: string; name: string }[] }) => ({
    ids: [],
  }));
  show({ add });
  const table = await screen.findByRole('table', { name: 'Ready-made prompts' });
  expect(within(table).queryByText('Image')).not.toBeInTheDocument();
  await user.click(within(table).getByRole('button', { name: 'Take over the ready-made prompts: Drama' }));
  expect(await screen.findByText(/are here now, to be changed\.$/)).toBeInTheDocument();
  const sent = add.mock.calls[0]?.[0].templates ?? [];
  expect(sent.map(({ kind, language }) => [kind, language])).toEqual([
    ['drama', 'en'],
    ['drama', 'zh-CN'],
  ]);
  expect(new Set(sent.map(({ name }) => name)).size).toBe(2);
});

it('is in Chinese for readers of it', async () => {
  show({}, { language: 'zh-CN' });
  expect(await screen.findByRole('heading', { level: 1, name: '模板' })).toBeInTheDocument();
  expect(screen.getByRole('table', { name: '站点模板' })).toHaveTextContent('使用英文的用户');
});
