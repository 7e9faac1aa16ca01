import { MantineProvider } from '@mantine/core';
import { useLocation } from '@remix-run/react';
import { createRemixStub } from '@remix-run/testing';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import type { LibraryItem } from '#server/library/schemas.ts';
import { LibraryGrid } from './library-grid.tsx';
import type { SelectionReply } from './selection-intents.ts';

const ID = '0190a0b0-0000-7000-8000-00000000000';

function makeItem(number: number, overrides: Partial<LibraryItem> = {}): LibraryItem {
  const id = `${ID}${number}`;
  return {
    id,
    taskId: id,
    ordinal: 0,
    kind: 'image',
    mime: 'image/png',
    bytes: 1_400_000,
    width: 1024,
    height: 768,
    durationMs: null,
    url: `/files/outputs/${id}`,
    previewUrl: `/files/outputs/${id}/preview`,
    prompt: `Picture ${number}`,
    model: { slug: 'paint', title: 'Paint One' },
    madeBy: 'own',
    isFavorite: false,
    submittedAt: new Date('2026-01-05T10:00:00Z'),
    trashedAt: null,
    ...overrides,
  };
}

const ITEMS = [
  makeItem(1),
  makeItem(2, { isFavorite: true }),
  makeItem(3, { kind: 'text', previewUrl: null }),
];

type Options = { filter?: Parameters<typeof LibraryGrid>[0]['filter']; answer?: SelectionReply };

function renderGrid({ filter = {}, answer }: Options = {}) {
  const sent: Record<string, string[]>[] = [];
  const action = vi.fn(async ({ request }: { request: Request }) => {
    const form = await request.formData();
    sent.push({ intent: form.getAll('intent').map(String), output: form.getAll('output').map(String) });
    return answer ?? { done: 'favorite', count: 1, outputIds: [], someKept: false };
  });
  const collections = [{ id: `${ID}9`, name: 'Harbours', outputs: 1 }];
  renderInApp(
    <LibraryGrid
      items={ITEMS}
      filter={filter}
      collections={collections}
      action="/library"
      reply={undefined}
      empty={null}
    />,
    { url: '/library', action },
  );
  return { sent };
}

const button = (name: string) => screen.getByRole('button', { name });

test('the actions wait for a choice, and comparing for exactly two', async () => {
  renderGrid();
  const user = userEvent.setup();
  await screen.findByText('Choose files to download, collect or throw away.');
  expect(button('Throw away').hasAttribute('disabled')).toBe(true);
  await user.click(screen.getByRole('checkbox', { name: 'Choose Image: Picture 1' }));
  await screen.findByText('1 file chosen');
  expect([button('Throw away'), button('Compare')].map((each) => each.hasAttribute('disabled'))).toEqual([
    false,
    true,
  ]);
  await user.click(screen.getByRole('checkbox', { name: 'Choose Text: Picture 3' }));
  expect(button('Compare').hasAttribute('disabled')).toBe(false);
  await user.click(screen.getByRole('checkbox', { name: 'All on this page' }));
  await screen.findByText('3 files chosen');
  expect(button('Compare').hasAttribute('disabled')).toBe(true);
});

test('what is thrown away is sent by id, said in place, and can be taken back from there', async () => {
  const trashed = [`${ID}1`];
  const { sent } = renderGrid({ answer: { done: 'trash', count: 1, outputIds: trashed, someKept: true } });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('checkbox', { name: 'Choose Image: Picture 1' }));
  await user.click(button('Throw away'));
  await screen.findByText(/1 file is in the trash\. Files of tasks that are under way stay/);
  await user.click(button('Undo'));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent).toEqual([
    { intent: ['trash'], output: trashed },
    { intent: ['restore'], output: trashed },
  ]);
});

test('deleting for good is asked about first', async () => {
  const { sent } = renderGrid({ filter: { trash: true }, answer: { ask: 'delete', outputIds: [`${ID}1`] } });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('checkbox', { name: 'Choose Image: Picture 1' }));
  expect(screen.queryByRole('button', { name: /favourites/ })).toBeNull();
  await user.click(button('Delete for good'));
  const notice = (await screen.findByText('Delete 1 file for good? It cannot be taken back.')).parentElement;
  await user.click(within(notice as HTMLElement).getByRole('button', { name: 'Delete for good' }));
  await waitFor(() => expect(sent.map(({ intent }) => intent)).toEqual([['delete'], ['delete-confirmed']]));
});

test('a star is set by one press, and a picture opens over the page and goes on by keys', async () => {
  const { sent } = renderGrid();
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Take out of favourites: Image: Picture 2' }));
  await waitFor(() => expect(sent).toEqual([{ intent: [`unfavorite:${ID}2`], output: [] }]));

  const first = screen.getByRole('link', { name: 'Open Image: Picture 1' });
  await user.click(first);
  const viewer = await screen.findByRole('dialog', { name: 'Viewer' });
  await within(viewer).findByText('1 of 3');
  await user.keyboard('{ArrowRight}');
  await within(viewer).findByText('2 of 3');
  expect(within(viewer).getByRole('link', { name: 'Download' }).getAttribute('href')).toBe(
    `/files/outputs/${ID}2?download=1`,
  );
  await user.keyboard('{ArrowLeft}{ArrowLeft}');
  await within(viewer).findByText('1 of 3');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(first));
});

const Nothing = () => null;
const Grid = () => (
  <LibraryGrid items={ITEMS} filter={{}} collections={[]} action="/library" reply={undefined} empty={null} />
);
function Comparison() {
  return <p>Side by side {useLocation().search}</p>;
}

test('a comparison opens once this page has loaded its data anew, and not before', async () => {
  const user = userEvent.setup();
  let finish = () => {};
  const reloaded = new Promise<null>((resolve) => {
    finish = () => resolve(null);
  });
  const loader = vi.fn<() => Promise<null>>(() => reloaded).mockResolvedValueOnce(null);
  const compare = [ITEMS[0]?.id ?? '', ITEMS[1]?.id ?? ''];
  const Stub = createRemixStub([
    {
      path: '/library',
      loader,
      action: async () => ({ compare }),
      HydrateFallback: Nothing,
      Component: Grid,
    },
    { path: '/library/compare', Component: Comparison },
  ]);
  render(
    <MantineProvider env="test">
      <Stub initialEntries={['/library']} future={{ v3_fetcherPersist: true, v3_relativeSplatPath: true }} />
    </MantineProvider>,
  );
  for (const number of [1, 2])
    await user.click(await screen.findByRole('checkbox', { name: `Choose Image: Picture ${number}` }));
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  await waitFor(() => expect(loader).toHaveBeenCalledTimes(2));
  expect(screen.queryByText(/^Side by side/)).not.toBeInTheDocument();
  finish();
  expect(await screen.findByText(/^Side by side/)).toHaveTextContent(compare[1] ?? '');
});
