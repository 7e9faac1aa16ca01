import type { ActionFunction } from '@remix-run/node';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { expect, it, vi } from 'vitest';
import type { ComposerReply } from '#app/components/composer/composer-reply.ts';
import { type Draft, DraftProvider } from '#app/lib/use-draft.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { makeModel } from '#app/testing/task-fixtures.ts';
import { AgentComposer } from './agent-composer.tsx';
import type { AskAgentQuote } from './use-agent-cost.ts';

const KEY = 'key-from-the-server';
const MODELS = [
  makeModel(),
  makeModel({ slug: 'brush', title: 'Brush Two' }),
  makeModel({ slug: 'clip', kind: 'video', title: 'Clip One', price: { unit: 'second', credits: 3 } }),
  makeModel({ slug: 'mute', kind: 'text', title: 'Mute One' }),
  makeModel({
    slug: 'words',
    kind: 'text',
    title: 'Words One',
    converses: true,
    price: { unit: 'tokens', credits: 1, blockTokens: 1_000 },
  }),
];

type SetUp = {
  balance?: number;
  owed?: number;
  answers?: (ComposerReply | null)[];
  askQuote?: AskAgentQuote;
  drafts?: Map<string, Draft>;
  draftOwner?: string;
  reply?: ComposerReply;
};

/** The composer in a route whose action notes each form it gets; null is a success. */
function setUp({ balance = 500, owed, answers = [], drafts = new Map(), ...rest }: SetUp = {}) {
  const sent: [string, string][][] = [];
  const action: ActionFunction = async ({ request }) => {
    sent.push([...(await request.formData())].map(([name, value]) => [name, String(value)]));
    return answers[sent.length - 1] ?? { wayOn: '/' };
  };
  const view = renderInApp(
    <DraftProvider value={drafts}>
      <AgentComposer
        models={MODELS}
        action="/"
        balanceCredits={balance}
        owedCredits={owed}
        requestKey={KEY}
        {...rest}
      />
    </DraftProvider>,
    { action },
  );
  return { sent, drafts, ...view };
}

const goal = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Goal' });
const budget = () => screen.getByRole('spinbutton', { name: 'Budget in credits' });
const start = () => screen.getByRole('button', { name: 'Start' });
const keyIn = (container: HTMLElement) =>
  container.querySelector<HTMLInputElement>('input[name="requestKey"]')?.value;
const refused = (error: Record<string, string[]>, extra: Partial<ComposerReply> = {}): ComposerReply => ({
  reply: { status: 'error', error },
  ...extra,
});

it('offers language models that can call tools, and the others by kind with their prices', () => {
  setUp();
  const languages = screen.getByRole('combobox', { name: 'Language model' });
  expect(
    within(languages)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['Words One · 1 credit per 1,000 tokens']);
  const images = screen.getByRole('group', { name: 'Images' });
  expect(within(images).getAllByRole('checkbox')).toHaveLength(2);
  expect(within(images).getByRole('checkbox', { name: /^Paint One/ })).toBeChecked();
  const videos = within(screen.getByRole('group', { name: 'Videos' }));
  expect(videos.getByRole('checkbox', { name: 'Clip One 3 credits per second' })).not.toBeChecked();
  expect(screen.queryByRole('group', { name: 'Audio' })).not.toBeInTheDocument();
});

it('sends what was chosen under the names that the action reads, as a plain form would', async () => {
  const user = userEvent.setup();
  const { sent } = setUp();
  await user.type(goal(), 'Two lighthouses');
  await user.click(screen.getByRole('checkbox', { name: /^Clip One/ }));
  await user.clear(budget());
  await user.type(budget(), '60');
  await user.click(screen.getByRole('radio', { name: 'Ask before each result' }));
  await user.click(start());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toEqual([
    ['requestKey', KEY],
    ['goal', 'Two lighthouses'],
    ['model', 'words'],
    ['allowed', 'paint'],
    ['allowed', 'clip'],
    ['budgetCredits', '60'],
    ['maxSteps', '20'],
    ['approval', 'paid'],
  ]);
});

it('every approval mode says in a sentence what it means', () => {
  setUp();
  const modes = within(screen.getByRole('group', { name: 'Approval' })).getAllByRole('radio');
  expect(modes).toHaveLength(3);
  for (const mode of modes) expect(mode).toHaveAccessibleDescription(/\.$/);
  expect(modes[0]).toBeChecked();
});

it('starts by keyboard', async () => {
  const user = userEvent.setup();
  const { sent } = setUp();
  await user.type(goal(), 'A lighthouse{Control>}{Enter}{/Control}');
  await waitFor(() => expect(sent).toHaveLength(1));
});

it('shows the cap at once, then the estimate of the server, asked with what is in the form', async () => {
  const user = userEvent.setup();
  const askQuote = vi.fn<AskAgentQuote>(async ({ budgetCredits }) => ({
    estimateCredits: 24,
    capCredits: budgetCredits,
    turnCredits: 5,
    balanceCredits: 480,
    affordable: true,
  }));
  setUp({ askQuote });
  expect(screen.getByTestId('agent-cost')).toHaveTextContent('Never more than 100 credits');
  await user.clear(budget());
  await user.type(budget(), '60');
  await waitFor(() =>
    expect(screen.getByTestId('agent-cost')).toHaveTextContent(
      'About 24 credits, never more than 60 credits',
    ),
  );
  expect(askQuote.mock.lastCall?.[0]).toEqual({
    model: 'words',
    allowed: [{ kind: 'image', model: 'paint' }],
    budgetCredits: 60,
    maxSteps: 20,
  });
  expect(screen.getByText(/You have 480\. The whole budget is held at the start/)).toBeInTheDocument();
});

it('says before it is pressed why the server would not take the order', async () => {
  const askQuote: AskAgentQuote = async () => ({ refusal: 'Allow at least 7 credits.' });
  setUp({ askQuote });
  expect(await screen.findByText('Allow at least 7 credits.')).toBeInTheDocument();
});

it('cannot be started above the balance, and says how much is missing', async () => {
  const user = userEvent.setup();
  setUp({ balance: 40 });
  expect(screen.getByText(/you have 40, 60 too few/)).toBeInTheDocument();
  expect(start()).toBeDisabled();
  await user.clear(budget());
  await user.type(budget(), '40');
  expect(start()).toBeEnabled();
});

it('cannot be started with a debt, and says how to pay it off', () => {
  setUp({ owed: 12 });
  expect(screen.getByText(/You owe 12 credits/)).toBeInTheDocument();
  expect(start()).toBeDisabled();
});

it('shows errors at their fields and keeps what was typed', async () => {
  const user = userEvent.setup();
  const answers = [refused({ budgetCredits: ['Allow at least 7 credits.'], '': ['Too many agents.'] })];
  const { sent } = setUp({ answers });
  await user.type(goal(), 'A lighthouse');
  await user.click(start());
  await waitFor(() => expect(sent).toHaveLength(1));
  await waitFor(() => expect(budget()).toHaveAccessibleDescription(/Allow at least 7 credits\./));
  expect(screen.getByRole('alert')).toHaveTextContent('Too many agents.');
  expect(goal()).toHaveValue('A lighthouse');
});

it('asks for a goal and a model before anything is sent', async () => {
  const user = userEvent.setup();
  const { sent } = setUp();
  await user.click(screen.getByRole('checkbox', { name: /^Paint One/ }));
  await user.click(start());
  await waitFor(() => expect(goal()).toBeInvalid());
  expect(screen.getByRole('group', { name: 'What it may use' })).toHaveAccessibleDescription(
    'Allow at least one model.',
  );
  expect(sent).toHaveLength(0);
});

it('keeps its key through a refusal and a lost answer, and takes a new one when it is spent', async () => {
  const user = userEvent.setup();
  const answers = [
    refused({ '': ['Not now.'] }),
    refused({ '': ['Lost.'] }, { lost: true }),
    refused({ '': ['Another order.'] }, { newRequestKey: 'spent' }),
  ];
  const { container, sent } = setUp({ answers });
  await user.type(goal(), 'A lighthouse');
  for (const [index, words] of ['Not now.', 'Lost.', 'Another order.'].entries()) {
    await user.click(start());
    await screen.findByText(words);
    expect(sent).toHaveLength(index + 1);
    if (index < 2) expect(keyIn(container)).toBe(KEY);
  }
  expect(keyIn(container)).not.toBe(KEY);
});

it('shows everything that was typed when a form without JavaScript comes back', () => {
  const reply: ComposerReply = {
    reply: {
      status: 'error',
      error: { budgetCredits: ['Too low.'] },
      initialValue: {
        goal: 'A harbour',
        model: 'words',
        allowed: ['brush', 'clip'],
        budgetCredits: '3',
        maxSteps: '9',
        approval: 'each',
      },
    },
  };
  setUp({ reply });
  expect(goal()).toHaveValue('A harbour');
  expect(budget()).toHaveValue(3);
  expect(screen.getByRole('spinbutton', { name: 'Most steps' })).toHaveValue(9);
  expect(screen.getByRole('checkbox', { name: /^Paint One/ })).not.toBeChecked();
  expect(screen.getByRole('checkbox', { name: /^Brush Two/ })).toBeChecked();
  expect(screen.getByRole('checkbox', { name: /^Clip One/ })).toBeChecked();
  expect(screen.getByRole('radio', { name: 'Ask before every step' })).toBeChecked();
});

it('keeps the draft while other pages of the workbench are looked at, and drops it once it is sent', async () => {
  const user = userEvent.setup();
  const drafts = new Map<string, Draft>();
  const first = setUp({ drafts });
  await user.type(goal(), 'A lighthouse');
  await user.click(screen.getByRole('checkbox', { name: /^Paint One/ }));
  await user.click(screen.getByRole('checkbox', { name: /^Clip One/ }));
  first.unmount();

  const { sent } = setUp({ drafts });
  expect(goal()).toHaveValue('A lighthouse');
  expect(screen.getByRole('checkbox', { name: /^Paint One/ })).not.toBeChecked();
  expect(screen.getByRole('checkbox', { name: /^Clip One/ })).toBeChecked();
  await user.click(start());
  await waitFor(() => expect(sent).toHaveLength(1));
  await waitFor(() => expect(drafts.size).toBe(0));
});

it('keeps the draft in this browser, for the next visit of the same person', async () => {
  const user = userEvent.setup();
  localStorage.clear();
  const first = setUp({ draftOwner: 'ada' });
  await user.type(goal(), 'A lighthouse');
  await user.click(screen.getByRole('checkbox', { name: /^Clip One/ }));
  first.unmount();

  const stranger = setUp({ draftOwner: 'bob' });
  expect(goal()).toHaveValue('');
  stranger.unmount();

  const { sent } = setUp({ draftOwner: 'ada' });
  await waitFor(() => expect(goal()).toHaveValue('A lighthouse'));
  expect(screen.getByRole('checkbox', { name: /^Clip One/ })).toBeChecked();
  await user.click(start());
  await waitFor(() => expect(sent).toHaveLength(1));
  await waitFor(() => expect(localStorage).toHaveLength(0));
});

it('has no accessibility violations', async () => {
  const { container } = setUp({
    reply: refused({ allowed: ['Allow at least one model.'], goal: ['Write one.'] }),
  });
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations).toEqual([]);
});
