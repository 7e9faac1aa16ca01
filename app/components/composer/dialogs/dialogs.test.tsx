import type { LoaderFunction } from '@remix-run/node';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { expect, it, vi } from 'vitest';
import { createTaskWatchHub, type WatchHandlers } from '#app/lib/task-watch-hub.ts';
import { TaskWatchProvider } from '#app/lib/use-task-watch.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { makeModel, makeMoney, makeOutput, makeTask } from '#app/testing/task-fixtures.ts';
import type { PresetView, TemplateView } from '#server/generation/prompts/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { Composer } from '../composer.tsx';
import type { PromptApi } from '../prompt-api.ts';

const TASK = '0190a0b0-0000-7000-8000-000000000009';

/** The procedures with a memory of their own. */
function makeApi(overrides: Partial<PromptApi> = {}) {
  let templates: TemplateView[] = [{ id: 't1', name: 'Dusk', prompt: 'at dusk, soft light' }];
  let presets: PresetView[] = [{ id: 'p1', name: 'Three wide', params: { n: 3, size: '1536x1024' } }];
  const api = {
    history: vi.fn<PromptApi['history']>(async ({ search }) =>
      ['A harbour at night', 'Two boats']
        .filter((prompt) => prompt.toLowerCase().includes(search.toLowerCase()))
        .map((prompt, index) => ({ taskId: `h${index}`, prompt, at: new Date(), times: index + 1 })),
    ),
    templates: vi.fn<PromptApi['templates']>(async () => ({ own: templates, house: null })),
    saveTemplate: vi.fn<PromptApi['saveTemplate']>(async ({ name, prompt }) => {
      templates = [...templates, { id: `t${name}`, name, prompt }];
      return { id: `t${name}` };
    }),
    renameTemplate: vi.fn<PromptApi['renameTemplate']>(async ({ id, name }) => {
      templates = templates.map((item) => (item.id === id ? { ...item, name } : item));
    }),
    removeTemplate: vi.fn<PromptApi['removeTemplate']>(async (id) => {
      templates = templates.filter((item) => item.id !== id);
    }),
    presets: vi.fn<PromptApi['presets']>(async () => presets),
    savePreset: vi.fn<PromptApi['savePreset']>(async ({ name, params }) => {
      presets = [...presets, { id: `p${name}`, name, params }];
      return { id: `p${name}` };
    }),
    removePreset: vi.fn<PromptApi['removePreset']>(async (id) => {
      presets = presets.filter((item) => item.id !== id);
    }),
    improveOptions: vi.fn<PromptApi['improveOptions']>(async () => [
      { model: 'small', title: 'Small Words', credits: 1 },
      { model: 'large', title: 'Large Words', credits: 200 },
    ]),
    improve: vi.fn<PromptApi['improve']>(async () => ({ taskId: TASK })),
    readText: vi.fn<PromptApi['readText']>(async () => ' A harbour in heavy rain, seen from the pier\n'),
    ...overrides,
  };
  return api satisfies PromptApi;
}

function setUp(api: PromptApi = makeApi(), loader?: LoaderFunction) {
  const user = userEvent.setup();
  let handlers: WatchHandlers | undefined;
  const hub = createTaskWatchHub({
    open(_ids, given) {
      handlers = given;
      return () => {};
    },
    fetch: async () => [],
    isHidden: () => false,
  });
  renderInApp(
    <TaskWatchProvider value={hub}>
      <Composer
        model={makeModel()}
        action="/"
        balanceCredits={100}
        requestKey="key-from-the-server"
        promptApi={api}
      />
    </TaskWatchProvider>,
    { loader },
  );
  /** What the stream tells of the task that improves. */
  const tell = (task: Partial<TaskView>): void =>
    act(() =>
      handlers?.onMessage({ type: 'update', tasks: [makeTask({ id: TASK, kind: 'text', ...task })] }),
    );
  return { user, tell };
}

const promptBox = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Prompt' });
const open = async (user: ReturnType<typeof userEvent.setup>, button: string, title: string | RegExp) => {
  await user.click(screen.getByRole('button', { name: button }));
  return within(await screen.findByRole('dialog', { name: title }));
};

it('history: found by a part of it, used in the place of what was typed, and undone', async () => {
  const api = makeApi();
  const { user } = setUp(api);
  await user.type(promptBox(), 'Half a thought');
  const dialog = await open(user, 'History', 'Earlier prompts');
  await dialog.findByText('Two boats');
  await user.type(dialog.getByRole('searchbox', { name: 'Search' }), 'harbour');
  await waitFor(() => expect(dialog.queryByText('Two boats')).not.toBeInTheDocument());
  await user.click(dialog.getByRole('button', { name: 'Use “A harbour at night”' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(promptBox()).toHaveValue('A harbour at night');
  expect(screen.getByText('18 / 500', { exact: false })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(promptBox()).toHaveValue('Half a thought');
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
});

it('templates: saved from the prompt, renamed, deleted and taken back, and inserted where one writes', async () => {
  const api = makeApi();
  const { user } = setUp(api);
  await user.type(promptBox(), 'A harbour,');
  let dialog = await open(user, 'Templates', 'Templates');
  // The house's own, beside the person's.
  await dialog.findByText('Portrait');
  await user.type(dialog.getByRole('textbox', { name: /present prompt as a template/ }), 'Mine');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await dialog.findByText('“Mine” was saved.');
  expect(api.saveTemplate).toHaveBeenCalledWith({ kind: 'image', name: 'Mine', prompt: 'A harbour,' });

  await user.click(await dialog.findByRole('button', { name: 'Rename “Mine”' }));
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await user.clear(name);
  await user.type(name, 'Ours{Enter}');
  await user.click(await dialog.findByRole('button', { name: 'Delete “Ours”' }));
  await dialog.findByText('“Ours” was deleted.');
  await waitFor(() => expect(dialog.queryByText('Ours')).not.toBeInTheDocument());
  await user.click(dialog.getByRole('button', { name: 'Undo' }));
  await dialog.findByRole('button', { name: 'Use “Ours”' });
  const { violations } = await axe.run(screen.getByRole('dialog'), {
    rules: { 'color-contrast': { enabled: false } },
  });
  expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  // Nothing that is typed or sent in a dialog belongs to the form behind it.
  expect(promptBox()).toHaveValue('A harbour,');
  expect(screen.queryByText('Write a prompt.')).not.toBeInTheDocument();

  await user.click(dialog.getByRole('button', { name: 'Close' }));
  dialog = await open(user, 'Templates', 'Templates');
  await user.click(await dialog.findByRole('button', { name: 'Insert “Dusk”' }));
  expect(promptBox()).toHaveValue('A harbour, at dusk, soft light');
});

it('presets: applied to the fields and the price, and saved from them', async () => {
  const api = makeApi();
  const { user } = setUp(api);
  await screen.findByRole('switch', { name: 'Sharpen' });
  let dialog = await open(user, 'Presets', 'Presets of Paint One');
  await dialog.findByText('Pictures 3 · Size 1536x1024');
  await user.click(dialog.getByRole('button', { name: 'Apply “Three wide”' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.getByRole('radio', { name: '3' })).toBeChecked();
  expect(screen.getByRole('radio', { name: '1536x1024' })).toBeChecked();
  expect(screen.getByTestId('cost')).toHaveTextContent('12 credits');

  await user.click(screen.getByRole('radio', { name: '4' }));
  dialog = await open(user, 'Presets', 'Presets of Paint One');
  await user.type(dialog.getByRole('textbox', { name: /present parameters/ }), 'Four{Enter}');
  await dialog.findByText('Pictures 4 · Size 1536x1024 · Seed 7 · Sharpen ✓');
  expect(api.savePreset).toHaveBeenCalledWith({
    model: 'paint',
    name: 'Four',
    params: { n: 4, size: '1536x1024', seed: 7, style: '', sharpen: true },
  });
});

it('improve: the cheapest model and its price first, then an offer that can be used and undone', async () => {
  const api = makeApi();
  const { user, tell } = setUp(api);
  await user.type(promptBox(), 'A harbour');
  let dialog = await open(user, 'Improve', 'Improve the prompt');
  await user.selectOptions(await dialog.findByRole('combobox', { name: 'Language model' }), 'large');
  expect(dialog.getByText(/you have 100, this needs 200/)).toBeInTheDocument();
  expect(dialog.getByRole('button', { name: 'Improve for 200 credits' })).toBeDisabled();
  await user.selectOptions(dialog.getByRole('combobox'), 'small');
  await user.click(dialog.getByRole('button', { name: 'Improve for 1 credit' }));
  expect(await dialog.findByText('A better wording is being written…')).toBeInTheDocument();
  expect(api.improve).toHaveBeenCalledExactlyOnceWith({
    kind: 'image',
    prompt: 'A harbour',
    model: 'small',
    requestKey: expect.stringMatching(/^[0-9a-f]{32}$/),
    quotedCredits: 1,
  });
  // Closed meanwhile: the offer is there when it is opened again.
  await user.click(dialog.getByRole('button', { name: 'Close' }));
  dialog = await open(user, 'Improve', 'Improve the prompt');
  tell({ status: 'succeeded', version: 9, outputs: [makeOutput({ kind: 'text' })] });
  expect(await dialog.findByText('A harbour in heavy rain, seen from the pier')).toBeInTheDocument();
  expect(promptBox()).toHaveValue('A harbour');
  await user.click(dialog.getByRole('button', { name: 'Use this prompt' }));
  expect(promptBox()).toHaveValue('A harbour in heavy rain, seen from the pier');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(promptBox()).toHaveValue('A harbour');
});

it('improve: a failure says why and what became of the credits, a lost answer keeps its key', async () => {
  const improve = vi
    .fn<PromptApi['improve']>()
    .mockRejectedValueOnce(new TypeError('Failed to fetch'))
    .mockResolvedValueOnce({ taskId: TASK });
  const { user, tell } = setUp(makeApi({ improve }));
  await user.type(promptBox(), 'A harbour');
  const dialog = await open(user, 'Improve', 'Improve the prompt');
  const start = await dialog.findByRole('button', { name: 'Improve for 1 credit' });
  await user.click(start);
  expect(await dialog.findByText('This could not be saved. Try again.')).toBeInTheDocument();
  await user.click(start);
  await dialog.findByText('A better wording is being written…');
  const keys = improve.mock.calls.map(([input]) => input.requestKey);
  expect(keys[1]).toBe(keys[0]);
  tell({
    status: 'failed',
    version: 9,
    failure: { code: 'content_policy', message: 'It was refused.' },
    money: makeMoney({ state: 'refunded' }),
  });
  expect(await dialog.findByRole('alert')).toHaveTextContent(
    'No better wording came: It was refused. Your credits are back.',
  );
  await user.click(dialog.getByRole('button', { name: 'Keep mine' }));
  expect(promptBox()).toHaveValue('A harbour');
});

it('the page loads again once a better wording was ordered, though the dialog shows something else by then', async () => {
  const loader = vi.fn(() => null);
  const { user } = setUp(makeApi(), loader);
  await screen.findByRole('button', { name: 'Improve' });
  await user.type(promptBox(), 'A harbour');
  const dialog = await open(user, 'Improve', /wording|Improve/);
  expect(loader).toHaveBeenCalledTimes(1);
  await user.click(await dialog.findByRole('button', { name: 'Improve for 1 credit' }));
  await waitFor(() => expect(loader).toHaveBeenCalledTimes(2));
});
