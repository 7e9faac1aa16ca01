import type { ActionFunction } from '@remix-run/node';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { makeModel } from '#app/testing/task-fixtures.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import { Composer } from './composer.tsx';
import type { ComposerReply } from './composer-reply.ts';
import type { AskQuote } from './use-cost.ts';
import type { SendFile } from './use-uploads.ts';

type SetUp = {
  model?: ModelView;
  balance?: number;
  owed?: number;
  /** What the action answers, in order; null is a success. */
  answers?: (ComposerReply | null)[];
  askQuote?: AskQuote;
  sendFile?: SendFile;
  reply?: ComposerReply;
};

const KEY = 'key-from-the-server';

/** A page whose loader can run again: it makes a new key each time it does. */
function Page({
  model = makeModel(),
  balance = 100,
  owed,
  askQuote,
  sendFile,
  reply,
}: Omit<SetUp, 'answers'>) {
  const [runs, setRuns] = useState(0);
  return (
    <>
      <Composer
        model={model}
        action="/"
        balanceCredits={balance}
        owedCredits={owed}
        requestKey={runs === 0 ? KEY : `${KEY}-${runs}`}
        askQuote={askQuote}
        sendFile={sendFile}
        reply={reply}
      />
      <button type="button" onClick={() => setRuns((count) => count + 1)}>
        loader ran again
      </button>
    </>
  );
}

/** The composer in a route whose action notes each form it gets. */
function setUp({ answers = [], ...page }: SetUp = {}) {
  const sent: Record<string, string>[] = [];
  const action: ActionFunction = async ({ request }) => {
    sent.push(
      Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])),
    );
    const answer = answers[sent.length - 1] ?? null;
    return answer ?? { wayOn: '/' };
  };
  const view = renderInApp(<Page {...page} />, { action });
  return { sent, ...view };
}

const submit = () => screen.getByRole('button', { name: 'Generate' });
const promptBox = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Prompt' });
const currentKey = (container: HTMLElement) =>
  container.querySelector<HTMLInputElement>('input[name="requestKey"]')?.value;
const refused = (message: string, extra: Partial<ComposerReply> = {}): ComposerReply => ({
  reply: { status: 'error', error: { '': [message] } },
  ...extra,
});

it('renders every parameter of the schema with its default', async () => {
  setUp();
  expect(await screen.findByRole('radio', { name: '1' })).toBeChecked();
  expect(screen.getByRole('group', { name: 'Pictures' })).toBeInTheDocument();
  expect(screen.getAllByRole('radio')).toHaveLength(4 + 2);
  expect(screen.getByRole('radio', { name: '1024x1024' })).toBeChecked();
  expect(screen.getByRole('spinbutton', { name: 'Seed' })).toHaveValue(7);
  expect(screen.getByRole('textbox', { name: 'Style' })).toHaveAttribute('maxlength', '40');
  expect(screen.getByRole('switch', { name: 'Sharpen' })).toBeChecked();
});

it('sends what was chosen under the names that the action reads', async () => {
  const user = userEvent.setup();
  const { sent } = setUp();
  await user.type(promptBox(), '  A harbour  ');
  await user.click(screen.getByRole('radio', { name: '3' }));
  await user.click(screen.getByRole('switch', { name: 'Sharpen' }));
  await user.click(submit());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toEqual({
    kind: 'image',
    model: 'paint',
    requestKey: KEY,
    prompt: '  A harbour  ',
    'params.n': '3',
    'params.size': '1024x1024',
    'params.seed': '7',
    'params.style': '',
  });
});

it('shows the cost at once and what it is made of', async () => {
  const user = userEvent.setup();
  setUp();
  expect(screen.getByTestId('cost')).toHaveTextContent(/^4 credits$/);
  await user.click(screen.getByRole('radio', { name: '3' }));
  expect(screen.getByTestId('cost')).toHaveTextContent('12 credits = 3 outputs × 4 credits');
});

it('a tier changes the cost as soon as its value is chosen', async () => {
  const user = userEvent.setup();
  const parameters: ModelView['parameters'] = {
    n: { type: 'integer', label: 'Pictures', minimum: 1, maximum: 4, default: 2 },
    size: { type: 'choice', label: 'Size', options: ['small', 'large'], default: 'small' },
    hd: { type: 'boolean', label: 'Sharpen', default: false },
  };
  const tiers: ModelView['price']['tiers'] = [
    { when: { size: 'large', hd: true }, credits: 9 },
    { when: { size: 'large' }, credits: 6 },
  ];
  setUp({ model: makeModel({ price: { unit: 'output', credits: 4, tiers }, parameters }) });
  const cost = () => screen.getByTestId('cost').textContent;
  expect(cost()).toBe('8 credits = 2 outputs × 4 credits');
  await user.click(screen.getByRole('radio', { name: 'large' }));
  expect(cost()).toBe('12 credits = 2 outputs × 6 credits');
  await user.click(screen.getByRole('switch', { name: 'Sharpen' }));
  expect(cost()).toBe('18 credits = 2 outputs × 9 credits');
});

it('a price per block of tokens counts the prompt as it is typed, and asks the server with its bytes', async () => {
  const user = userEvent.setup();
  const askQuote = vi.fn<AskQuote>(async () => ({ credits: 7, balanceCredits: 100, affordable: true }));
  const parameters: ModelView['parameters'] = {
    max_tokens: { type: 'integer', label: 'Longest answer', minimum: 1, maximum: 1_000, default: 200 },
  };
  const price = { unit: 'tokens' as const, credits: 3, blockTokens: 100 };
  setUp({ model: makeModel({ price, parameters }), askQuote });
  const cost = () => screen.getByTestId('cost').textContent;
  expect(cost()).toBe('6 credits = 2 blocks of 100 tokens at most × 3 credits');
  expect(screen.getByText(/What is not used of it comes back/)).toBeInTheDocument();
  await user.type(promptBox(), ' é ');
  expect(cost()).toBe('9 credits = 3 blocks of 100 tokens at most × 3 credits');
  await waitFor(() =>
    expect(askQuote).toHaveBeenLastCalledWith(expect.objectContaining({ promptBytes: 2 }), expect.anything()),
  );
});

it.each([
  ['call', { unit: 'call', credits: 5 }, '5 credits'],
  ['second', { unit: 'second', credits: 3 }, '24 credits = 8 seconds × 3 credits'],
  ['nothing', { unit: 'call', credits: 0 }, 'Free'],
] as const)('prices per %s', (_name, price, text) => {
  const parameters: ModelView['parameters'] = {
    seconds: { type: 'choice', label: 'Length', options: ['4', '8'], default: '8' },
  };
  setUp({ model: makeModel({ price, parameters }) });
  expect(screen.getByTestId('cost').textContent).toBe(text);
});

it('asks the server to confirm the price and believes it', async () => {
  const user = userEvent.setup();
  const askQuote = vi.fn<AskQuote>(async ({ params }) => ({
    credits: Number(params.n) * 5,
    balanceCredits: 12,
    affordable: Number(params.n) * 5 <= 12,
  }));
  setUp({ askQuote });
  await waitFor(() => expect(screen.getByTestId('cost')).toHaveTextContent('5 credits'));
  await user.click(screen.getByRole('radio', { name: '3' }));
  await waitFor(() => expect(screen.getByTestId('cost')).toHaveTextContent('15 credits'));
  expect(askQuote.mock.calls.at(-1)?.[0]).toEqual({
    kind: 'image',
    model: 'paint',
    params: { n: 3, size: '1024x1024', seed: 7, style: '', sharpen: true },
  });
  expect(screen.getByText(/Not enough credits: you have 12, 3 too few/)).toBeInTheDocument();
  expect(submit()).toBeDisabled();
});

it('sends the price that was confirmed, and asks for it anew after an answer', async () => {
  const user = userEvent.setup();
  const askQuote = vi.fn<AskQuote>(async () => ({
    // Not what the page computes by itself, so that the confirmed price can be told from it.
    credits: sent.length === 0 ? 5 : 6,
    balanceCredits: 20,
    affordable: true,
  }));
  const { sent } = setUp({ askQuote, answers: [refused('The price has changed.')] });
  await user.type(promptBox(), 'A harbour');
  await waitFor(() => expect(screen.getByTestId('cost')).toHaveTextContent('5 credits'));
  await user.click(submit());
  await waitFor(() => expect(screen.getByTestId('cost')).toHaveTextContent('6 credits'));
  await waitFor(() => expect(submit()).toBeEnabled());
  await user.click(submit());
  await waitFor(() => expect(sent.map((form) => form.quotedCredits)).toEqual(['5', '6']));
});

it('says before the submit that credits are short, and by how much', () => {
  setUp({ balance: 1 });
  expect(screen.getByText(/Not enough credits: you have 1, 3 too few/)).toBeInTheDocument();
  expect(submit()).toBeDisabled();
});

it('says before the submit that a debt comes first, and sends nothing', () => {
  setUp({ owed: 90 });
  expect(screen.getByText(/You owe 90 credits/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'buy credits' })).toHaveAttribute('href', '/credits/buy');
  expect(submit()).toBeDisabled();
});

it('says before the submit that a cancelled run is charged', () => {
  setUp({ model: makeModel({ chargedWhenCancelled: true }) });
  expect(screen.getByText(/charges in full when it is cancelled/)).toBeInTheDocument();
});

it('keeps the form and shows the sentence when a prompt is missing', async () => {
  const user = userEvent.setup();
  const { sent } = setUp();
  await screen.findByRole('switch', { name: 'Sharpen' });
  await user.click(submit());
  expect(await screen.findByText('Write a prompt.')).toBeInTheDocument();
  expect(promptBox()).toHaveAttribute('aria-invalid', 'true');
  expect(sent).toHaveLength(0);
});

it('names the range beside a number that is out of it', async () => {
  const user = userEvent.setup();
  const { sent } = setUp();
  await user.type(promptBox(), 'A harbour');
  fireEvent.input(screen.getByRole('spinbutton', { name: 'Seed' }), { target: { value: '100000' } });
  await user.click(submit());
  expect(await screen.findByText('Seed is a whole number from 0 to 99999.')).toBeInTheDocument();
  expect(sent).toHaveLength(0);
});

it('counts characters and refuses a prompt that is too long', async () => {
  const { container } = setUp();
  fireEvent.input(promptBox(), { target: { value: 'x'.repeat(501) } });
  expect(await screen.findByText('This prompt is too long.')).toBeInTheDocument();
  expect(container).toHaveTextContent('501 / 500 characters');
});

it('shows what the server refused and keeps everything that was typed, under the same key', async () => {
  const user = userEvent.setup();
  const { sent, container } = setUp({ answers: [refused('The channel is paused. Try again in a minute.')] });
  await user.type(promptBox(), 'A harbour');
  await user.click(screen.getByRole('radio', { name: '2' }));
  await user.click(submit());
  expect(await screen.findByText('The channel is paused. Try again in a minute.')).toBeInTheDocument();
  expect(promptBox()).toHaveValue('A harbour');
  expect(screen.getByRole('radio', { name: '2' })).toBeChecked();
  expect(screen.getByLabelText('Reference files')).not.toHaveFocus();
  expect(currentKey(container)).toBe(KEY);

  await user.click(submit());
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent.map((form) => form.requestKey)).toEqual([KEY, KEY]);
  await waitFor(() => expect(screen.queryByText(/channel is paused/)).not.toBeInTheDocument());
});

it('keeps its key when the loader runs again and makes a new one after a success', async () => {
  const user = userEvent.setup();
  const { sent, container } = setUp();
  await user.type(promptBox(), 'A harbour');
  await user.click(screen.getByRole('button', { name: 'loader ran again' }));
  expect(currentKey(container)).toBe(KEY);

  await user.click(submit());
  await waitFor(() => expect(promptBox()).toHaveValue(''));
  expect(sent[0]?.requestKey).toBe(KEY);
  const second = currentKey(container);
  expect(second).not.toBe(KEY);
  expect(second).toMatch(/^[0-9a-f]{32}$/);
  expect(screen.queryByText('Write a prompt.')).not.toBeInTheDocument();
});

it('takes a new key when the old one belongs to another task', async () => {
  const user = userEvent.setup();
  const answer = refused('This form was sent before with another prompt.', { newRequestKey: 'ffff' });
  const { container } = setUp({ answers: [answer] });
  await user.type(promptBox(), 'A harbour');
  await user.click(submit());
  await screen.findByText(/sent before with another prompt/);
  await waitFor(() => expect(currentKey(container)).not.toBe(KEY));
  expect(promptBox()).toHaveValue('A harbour');
});

it('can be pressed again after a lost answer, though its own hold has used up the balance', async () => {
  const user = userEvent.setup();
  let balance = 4;
  const askQuote: AskQuote = async () => ({ credits: 4, balanceCredits: balance, affordable: balance >= 4 });
  const { sent } = setUp({
    balance: 4,
    askQuote,
    answers: [refused('The answer did not arrive.', { lost: true })],
  });
  await user.type(promptBox(), 'A harbour');
  await user.click(submit());
  await screen.findByText('The answer did not arrive.');
  balance = 0;
  fireEvent.input(screen.getByRole('spinbutton', { name: 'Seed' }), { target: { value: '8' } });
  await screen.findByText(/Not enough credits/);
  expect(submit()).toBeEnabled();
  await user.click(submit());
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.requestKey).toBe(KEY);
});

it('submits with Ctrl+Enter and sends one request for two', async () => {
  const { sent } = setUp();
  fireEvent.input(promptBox(), { target: { value: 'A harbour' } });
  fireEvent.keyDown(promptBox(), { key: 'Enter', ctrlKey: true });
  fireEvent.keyDown(promptBox(), { key: 'Enter', ctrlKey: true });
  await waitFor(() => expect(sent.length).toBeGreaterThan(0));
  await waitFor(() => expect(promptBox()).toHaveValue(''));
  expect(new Set(sent.map((form) => form.requestKey))).toEqual(new Set([KEY]));
});

it('shows a reply to a form that was sent without JavaScript, with what was typed', () => {
  setUp({
    reply: {
      reply: {
        status: 'error',
        initialValue: { model: 'paint', prompt: 'Typed before', params: { n: '2', seed: 'x' } },
        error: { 'params.seed': ['Seed is a whole number from 0 to 99999.'] },
      },
    },
  });
  expect(promptBox()).toHaveValue('Typed before');
  expect(screen.getByRole('radio', { name: '2' })).toBeChecked();
  expect(screen.getByText('Seed is a whole number from 0 to 99999.')).toBeInTheDocument();
});

it('uploads reference files when they are chosen and submits their ids', async () => {
  const user = userEvent.setup();
  URL.createObjectURL = () => 'blob:preview';
  URL.revokeObjectURL = () => {};
  const ids = ['0190a0b0-0000-4000-8000-000000000001', '0190a0b0-0000-4000-8000-000000000002'];
  const left = [...ids];
  const sendFile: SendFile = async () => left.shift() ?? '';
  const { sent } = setUp({ sendFile });
  await user.type(promptBox(), 'A harbour');
  const input = screen.getByLabelText('Reference files');
  await user.upload(input, [
    new File(['a'], 'first.png', { type: 'image/png' }),
    new File(['b'], 'second.png', { type: 'image/png' }),
  ]);
  expect(await screen.findByAltText('Reference 1: first.png')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Remove first\.png/ }));
  expect(screen.queryByAltText(/first\.png/)).not.toBeInTheDocument();
  await user.click(submit());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({ 'references[0]': ids[1] });
  expect(sent[0]).not.toHaveProperty('references[1]');
});

it('names each file by what it is for, and the next one takes the place of one that is removed', async () => {
  const user = userEvent.setup();
  URL.createObjectURL = () => 'blob:preview';
  URL.revokeObjectURL = () => {};
  const sendFile: SendFile = async () => '0190a0b0-0000-4000-8000-000000000001';
  setUp({ sendFile, model: makeModel({ referenceRoles: ['first_frame', 'last_frame'] }) });
  const input = screen.getByLabelText('First frame, last frame');
  expect(
    screen.getByText(/Up to 2 files, in this order: first frame, then last frame\./),
  ).toBeInTheDocument();
  await user.upload(input, [
    new File(['a'], 'start.png', { type: 'image/png' }),
    new File(['b'], 'end.png', { type: 'image/png' }),
  ]);
  expect(await screen.findByAltText('First frame: start.png')).toBeInTheDocument();
  expect(screen.getByAltText('Last frame: end.png')).toBeInTheDocument();
  expect(screen.getByText('Last frame', { exact: true })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Remove start\.png/ }));
  expect(screen.getByAltText('First frame: end.png')).toBeInTheDocument();
});

it('sends a seed only when one is typed', async () => {
  const user = userEvent.setup();
  const model = makeModel({ parameters: { seed: { type: 'seed', label: 'Seed', maximum: 99 } } });
  const askQuote = vi.fn<AskQuote>(async () => ({ credits: 4, balanceCredits: 100, affordable: true }));
  const { sent } = setUp({ model, askQuote });
  const seed = screen.getByRole('spinbutton', { name: 'Seed' });
  expect(seed).toHaveValue(null);
  await user.type(promptBox(), 'A harbour');
  fireEvent.input(seed, { target: { value: '100' } });
  await user.click(submit());
  expect(await screen.findByText('Seed is a whole number from 0 to 99, or empty.')).toBeInTheDocument();
  expect(sent).toHaveLength(0);
  await user.clear(seed);
  await user.click(submit());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({ 'params.seed': '' });
  for (const [order] of askQuote.mock.calls) expect(order.params).toStrictEqual({});
});

it('waits for uploads and says which one failed and why', async () => {
  const user = userEvent.setup();
  let fail: (error: Error) => void = () => {};
  const sendFile: SendFile = () =>
    new Promise((_resolve, reject) => {
      fail = reject;
    });
  setUp({ sendFile });
  await user.type(promptBox(), 'A harbour');
  await user.upload(
    screen.getByLabelText('Reference files'),
    new File(['a'], 'notes.txt', { type: 'text/plain' }),
  );
  expect(await screen.findByRole('status', { name: 'Uploading notes.txt' })).toBeInTheDocument();
  expect(submit()).toBeDisabled();
  fail(new Error('This kind of file is not taken.'));
  expect((await screen.findAllByText(/This kind of file is not taken\./)).length).toBeGreaterThan(0);
  await user.click(screen.getByRole('button', { name: /^Remove notes\.txt/ }));
  expect(submit()).toBeEnabled();
});

it('takes no more files than the model allows and offers none when it takes none', async () => {
  const user = userEvent.setup();
  const sendFile = vi.fn<SendFile>(async () => '0190a0b0-0000-4000-8000-000000000001');
  const { unmount } = setUp({ sendFile });
  const files = ['a', 'b', 'c'].map((name) => new File([name], `${name}.txt`, { type: 'text/plain' }));
  await user.upload(screen.getByLabelText('Reference files'), files);
  expect(await screen.findByText('This model takes at most 2 reference files.')).toBeInTheDocument();
  expect(sendFile).toHaveBeenCalledTimes(2);
  unmount();

  setUp({ model: makeModel({ maxReferences: 0 }) });
  expect(screen.queryByLabelText('Reference files')).not.toBeInTheDocument();
});

it('has no accessibility violation', async () => {
  const { container } = setUp({ balance: 1 });
  await screen.findByRole('switch', { name: 'Sharpen' });
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
});
