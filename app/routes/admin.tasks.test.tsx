import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { makeTask } from '#app/testing/task-fixtures.ts';
import type { AdminTaskView } from '#server/generation/schemas.ts';
import Tasks, { loader } from './admin.tasks._index.tsx';
import BulkTasks, { action as bulkAction, loader as bulkLoader } from './admin.tasks.bulk.tsx';
import { loader as csvLoader } from './admin.tasks[.]csv.ts';

const violationsOf = async (container: HTMLElement) => {
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  return violations.map((violation) => `${violation.id}: ${violation.help}`);
};

const ID = '0190a0b0-0000-7000-8000-000000000001';
const OTHER = '0190a0b0-0000-7000-8000-000000000002';
const makeRow = (overrides: Partial<AdminTaskView> = {}): AdminTaskView => ({
  ...makeTask({ id: ID, prompt: 'A quiet harbour' }),
  userEmail: 'ada@example.com',
  nextDueAt: null,
  leaseUntil: null,
  workerId: null,
  errorCount: 0,
  lastErrorClass: null,
  upstreamStatus: null,
  ...overrides,
});

describe('the list of tasks', () => {
  function show(query = '', items = [makeRow()]) {
    const list = vi.fn(async (_input: unknown) => ({ items, nextCursor: `17.${ID}` }));
    const choices = async () => ({
      models: [{ id: OTHER, name: 'Paint One' }],
      channels: [{ id: OTHER, name: 'Main' }],
    });
    const context = { trpc: { adminTasks: { list, choices } } };
    const view = renderInApp(<Tasks />, {
      url: `/admin/tasks${query}`,
      loader: ({ request }) => loader({ request, context } as never),
    });
    return { list, ...view };
  }

  it('reads every filter and its order from the address, and leads on under the same ones', async () => {
    const query = `?status=failed&kind=video&model=${OTHER}&who=ada@example.com&upstream=job-7&prompt=harbour&from=2026-01-01&to=nonsense&sort=finished.asc&cursor=17.${ID}`;
    const { list, container } = show(query);
    expect(await screen.findByRole('link', { name: 'A quiet harbour' })).toBeInTheDocument();
    expect(list).toHaveBeenCalledWith(
      expect.objectContaining({
        status: 'failed',
        kind: 'video',
        modelId: OTHER,
        channelId: undefined,
        who: 'ada@example.com',
        upstreamId: 'job-7',
        prompt: 'harbour',
        from: '2026-01-01',
        to: undefined,
        sort: 'finished',
        order: 'asc',
        cursor: `17.${ID}`,
      }),
    );
    expect(screen.getByLabelText('Words of the prompt')).toHaveValue('harbour');
    const file = screen.getByRole('link', { name: 'Download as CSV' }).getAttribute('href') ?? '';
    expect(file).toMatch(/^\/admin\/tasks\.csv\?status=failed&.*sort=finished\.asc/);
    expect(file).not.toContain('cursor');
    expect(screen.getByRole('link', { name: 'Next page' })).toHaveAttribute(
      'href',
      expect.stringContaining('prompt=harbour'),
    );
    expect(await violationsOf(container)).toEqual([]);
  });

  it('takes an edited address for what is left of it, and says when a page has to look further', async () => {
    const { list } = show('?cursor=elsewhere&sort=money.up&status=odd&model=x', []);
    expect(await screen.findByText(/The next page looks further/)).toBeInTheDocument();
    expect(list).toHaveBeenCalledWith(
      expect.objectContaining({ cursor: undefined, sort: 'submitted', order: 'desc', status: undefined }),
    );
  });

  it('chooses every row of the page at once', async () => {
    const { container } = show('', [makeRow(), makeRow({ id: OTHER, prompt: 'A loud harbour' })]);
    await userEvent.click(await screen.findByLabelText('Choose all on this page'));
    for (const box of screen.getAllByRole('checkbox', { name: /^Choose: / })) expect(box).toBeChecked();
    const form = container.querySelector<HTMLFormElement>('#bulk-choice');
    expect(new FormData(form ?? undefined).getAll('id')).toEqual([ID, OTHER]);
  });
});

describe('many tasks at once', () => {
  function show(query: string) {
    const list = vi.fn(async ({ ids }: { ids: string[] }) => ({
      items: ids.map((id) => makeRow({ id, prompt: `Task ${id.slice(-1)}` })),
      nextCursor: null,
    }));
    const bulk = vi.fn(async (_input: unknown) => ({
      results: [
        { id: ID, ok: true, message: null },
        { id: OTHER, ok: false, message: 'This task has ended: there is nothing to do.' },
      ],
    }));
    const context = { trpc: { adminTasks: { list, bulk } } };
    const view = renderInApp(<BulkTasks />, {
      url: `/admin/tasks/bulk${query}`,
      loader: ({ request }) => bulkLoader({ request, context } as never),
      action: async ({ request }) => (await bulkAction({ request, context } as never)) ?? null,
    });
    return { list, bulk, ...view };
  }

  it('are shown before anything is done, want a reason, and tell afterwards what became of each', async () => {
    const { bulk, container } = show(`?do=cancel&id=${ID}&id=${OTHER}&id=no&back=%3Fstatus%3Dqueued`);
    const press = await screen.findByRole('button', { name: 'Cancel 2 tasks' });
    expect(await violationsOf(container)).toEqual([]);
    await userEvent.click(press);
    expect(await screen.findByText('Say why.')).toBeInTheDocument();
    expect(bulk).not.toHaveBeenCalled();
    await userEvent.type(screen.getByRole('textbox', { name: 'Why?' }), 'The provider is down.');
    await userEvent.click(press);
    await waitFor(() =>
      expect(bulk).toHaveBeenCalledExactlyOnceWith({
        deed: 'cancel',
        taskIds: [ID, OTHER],
        reason: 'The provider is down.',
      }),
    );
    expect(await screen.findByText('Done to 1 row')).toBeInTheDocument();
    const [, first, second] = within(screen.getByRole('table', { name: 'Rows' })).getAllByRole('row');
    expect(first).toHaveTextContent(/Task 1.*Done/);
    expect(second).toHaveTextContent(/Task 2.*Refused.*This task has ended/);
    expect(screen.getByRole('link', { name: 'Back to the list' })).toHaveAttribute(
      'href',
      '/admin/tasks?status=queued',
    );
    expect(screen.queryByRole('button', { name: 'Cancel 2 tasks' })).not.toBeInTheDocument();
  });

  it('are all that match the filters, counted before, done in parts and told after', async () => {
    const ended = makeRow({ id: OTHER, finishedAt: new Date() });
    const list = vi.fn(async (_input: Record<string, unknown>) => ({
      items: [makeRow(), ended],
      nextCursor: null,
    }));
    const bulk = vi.fn(async (_input: unknown) => ({
      results: [{ id: ID, ok: false, message: 'This task has ended: there is nothing to do.' }],
    }));
    const context = { trpc: { adminTasks: { list, bulk } } };
    const { container } = renderInApp(<BulkTasks />, {
      url: '/admin/tasks/bulk?do=wake&all=on&back=%3Fstatus%3Dqueued%26sort%3Ddue.asc%26cursor%3D17.x',
      loader: ({ request }) => bulkLoader({ request, context } as never),
      action: async ({ request }) => (await bulkAction({ request, context } as never)) ?? null,
    });
    // The order that was chosen leaves ended tasks out.
    expect(await screen.findByText('1 row matches the filters of the list')).toBeInTheDocument();
    expect(list.mock.calls[0]?.[0]).toMatchObject({
      status: 'queued',
      sort: 'submitted',
      order: 'desc',
      cursor: expect.stringMatching(/-7fff-bfff-ffffffffffff$/),
    });
    expect(await violationsOf(container)).toEqual([]);
    await userEvent.type(screen.getByRole('textbox', { name: 'Why?' }), 'The provider is back.');
    await userEvent.click(screen.getByRole('button', { name: /1 task/ }));
    expect(await screen.findByText('Done to 0 rows')).toBeInTheDocument();
    expect(bulk).toHaveBeenCalledExactlyOnceWith({
      deed: 'wake',
      taskIds: [ID],
      reason: 'The provider is back.',
    });
    expect(screen.getByText(/1 row was refused/)).toBeInTheDocument();
    expect(screen.getByRole('cell', { name: /This task has ended/ })).toBeInTheDocument();
  });

  it('are none when nothing was chosen, and the way back leads nowhere else', async () => {
    show('?do=cancel&back=https://elsewhere.example');
    expect(await screen.findByRole('heading', { name: 'Nothing to do' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Back to the list' })).toHaveAttribute('href', '/admin/tasks');
  });
});

it('the CSV has every page, runs no formula, and is no page for others', async () => {
  const pages = [
    { items: [makeRow({ prompt: '=HYPERLINK("x")' })], nextCursor: 'next' },
    { items: [makeRow({ id: OTHER, prompt: 'two\nlines' })], nextCursor: null },
  ];
  const list = vi.fn(async ({ cursor }: { cursor?: string }) => pages[cursor === undefined ? 0 : 1]);
  const load = (role: 'admin' | 'user') =>
    csvLoader({
      request: new Request('http://site.invalid/admin/tasks.csv?status=failed&cursor=x'),
      context: { user: { id: 'u', role }, trpc: { adminTasks: { list } } },
    } as never);
  await expect(load('user')).rejects.toMatchObject({ status: 404 });
  expect(list).not.toHaveBeenCalled();
  const response = await load('admin');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const lines = (await response.text()).trim().split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^\uFEFF?id,user,kind,status,model,prompt,/);
  expect(lines[1]).toContain(`"'=HYPERLINK(""x"")"`);
  expect(lines[2]).toContain('"two\nlines"');
  expect(list).toHaveBeenLastCalledWith(expect.objectContaining({ status: 'failed', cursor: 'next' }));
});
