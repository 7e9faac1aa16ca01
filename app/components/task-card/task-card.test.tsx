import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { expect, it } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { makeMoney, makeOutput, makeTask } from '#app/testing/task-fixtures.ts';
import type { MoneyView, TaskView } from '#server/generation/schemas.ts';
import { STATUSES } from '#server/generation/status.ts';
import { TaskCard } from './task-card.tsx';
import { TaskState } from './task-state.tsx';

function show(task: TaskView) {
  return renderInApp(<TaskCard task={task} returnTo="/workbench?make=image" requestKey="key" />);
}

const UNTIL = new Date('2026-01-06T10:00:00Z');
const OF_STATUS: Record<(typeof STATUSES)[number], { task: Partial<TaskView>; badge: string; says: RegExp }> =
  {
    queued: { task: {}, badge: 'Queued', says: /In line/ },
    dispatching: { task: {}, badge: 'Sending', says: /handed to Paint One/ },
    running: { task: { progress: 40 }, badge: 'Running', says: /at work.*40 %/ },
    uncertain: {
      task: { uncertain: { reason: 'no_answer', until: UNTIL } },
      badge: 'Uncertain',
      says: /answer never reached us.*not sent again.*If nothing is known by.*credits come back/,
    },
    archiving: { task: {}, badge: 'Saving', says: /being saved/ },
    waiting: { task: {}, badge: 'Waiting', says: /Waiting for its parts/ },
    succeeded: {
      task: { outputs: [makeOutput()] },
      badge: 'Done',
      says: /1 of 2 ordered images, 1024 × 1024/,
    },
    failed: {
      task: { failure: { code: 'moderated', message: 'The model refused this prompt.' } },
      badge: 'Failed',
      says: /The model refused this prompt\./,
    },
    cancelled: { task: {}, badge: 'Cancelled', says: /Cancelled\./ },
  };

it.each(STATUSES)('says in words what %s means', (status) => {
  const { task, badge, says } = OF_STATUS[status];
  show(makeTask({ status, ...task }));
  const card = screen.getByRole('article', { name: 'A lighthouse at dusk' });
  expect(within(card).getByText(badge)).toBeInTheDocument();
  expect(card).toHaveTextContent(says);
});

it('prefers the server’s own words for why it is waiting', () => {
  show(makeTask({ status: 'queued', waiting: 'Two of your tasks are running; this one is next.' }));
  expect(screen.getByText(/this one is next/)).toBeInTheDocument();
});

it.each([
  ['overdue', /longer than it should/],
  ['missing', /no longer shows this job/],
] as const)('explains uncertain because of %s', (reason, words) => {
  show(makeTask({ status: 'uncertain', uncertain: { reason, until: UNTIL } }));
  expect(screen.getByText(words)).toHaveTextContent(/It is not started again/);
});

it('answers on its page what happened, what is next, by when, and what the reader has to do', () => {
  const task = makeTask({ status: 'uncertain', uncertain: { reason: 'no_answer', until: UNTIL } });
  renderInApp(<TaskState task={task} />);
  const definitionOf = (term: string) => screen.getByText(term).nextElementSibling;
  expect(definitionOf('What happened')).toHaveTextContent(/its answer never reached us/);
  expect(definitionOf('What happens next')).toHaveTextContent(/not sent again: that could run twice/);
  expect(definitionOf('By when')).toHaveTextContent(/2026.*\(.+\)\. If nothing is known by then/);
  expect(definitionOf('What you can do')).toHaveTextContent(/Nothing has to be done/);
});

it.each<[MoneyView['state'], Partial<MoneyView>, string]>([
  ['held', {}, '8 credits held'],
  ['charged', { chargedCredits: 8 }, '8 credits charged'],
  ['partly_charged', { chargedCredits: 4, returnedCredits: 4 }, '4 credits charged, 4 credits returned'],
  ['refund_pending', {}, 'Refund of 8 credits pending'],
  ['refund_manual', {}, 'Refund of 8 credits delayed'],
  ['refunded', { returnedCredits: 8 }, 'Refunded 8 credits'],
])('says what the credits did: %s', (state, amounts, text) => {
  show(makeTask({ status: 'failed', money: makeMoney({ state, ...amounts }) }));
  expect(screen.getByText(text)).toBeInTheDocument();
});

it('keeps one place per ordered output and fills those that have come', () => {
  const { container } = show(
    makeTask({ orderedOutputs: 3, status: 'archiving', outputs: [makeOutput({ ordinal: 1 })] }),
  );
  expect(container.querySelectorAll('[data-count="3"] > *')).toHaveLength(3);
  const image = screen.getByRole('img', { name: 'image 2 of 3: A lighthouse at dusk' });
  expect(image).toHaveAttribute('width', '1024');
  expect(image).toHaveAttribute('height', '1024');
});

it('has a bar with the value while it is known, and without one while it is not', () => {
  const { unmount } = show(makeTask({ progress: 40 }));
  expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40');
  unmount();
  show(makeTask({ progress: null }));
  expect(screen.getByRole('progressbar')).not.toHaveAttribute('aria-valuenow');
});

it('opens an image over the page and goes through the others with the arrow keys', async () => {
  const user = userEvent.setup();
  const outputs = [makeOutput(), makeOutput({ id: 'out-2', ordinal: 1 })];
  show(makeTask({ status: 'succeeded', outputs }));
  await user.click(screen.getByRole('link', { name: 'Open image 1 of 2: A lighthouse at dusk' }));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByText('1 of 2')).toBeInTheDocument();
  await user.keyboard('{ArrowRight}');
  expect(within(dialog).getByText('2 of 2')).toBeInTheDocument();
  expect(within(dialog).getByRole('link', { name: 'Download' })).toHaveAttribute(
    'href',
    '/files/outputs/out-2?download=1',
  );
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it('plays video and audio with metadata only until somebody presses play', () => {
  const video = makeOutput({ kind: 'video', mime: 'video/mp4', previewUrl: '/files/outputs/out-1/preview' });
  const { container, unmount } = show(makeTask({ kind: 'video', status: 'succeeded', outputs: [video] }));
  expect(container.querySelector('video')).toMatchObject({ controls: true, preload: 'metadata' });
  expect(container.querySelector('video')).toHaveAttribute('poster', '/files/outputs/out-1/preview');
  unmount();

  const audio = makeOutput({ kind: 'audio', mime: 'audio/mpeg', width: null, height: null });
  const second = show(makeTask({ kind: 'audio', status: 'succeeded', outputs: [audio] }));
  expect(second.container.querySelector('audio')).toMatchObject({ controls: true, preload: 'metadata' });
});

it('links each output for download, with its size', () => {
  const outputs = [makeOutput(), makeOutput({ id: 'out-2', ordinal: 1, bytes: 900 })];
  show(makeTask({ status: 'succeeded', outputs }));
  expect(screen.getByRole('link', { name: /^Download image 1 of 2.*\(1\.4 MB\)$/ })).toHaveAttribute(
    'href',
    '/files/outputs/out-1?download=1',
  );
  expect(screen.getByRole('link', { name: /^Download image 2 of 2.*\(900 B\)$/ })).toBeInTheDocument();
});

it('numbers the files of an order that brought more than it asked for', () => {
  const sound = { kind: 'audio', mime: 'audio/mpeg', width: null, height: null } as const;
  const outputs = [makeOutput(sound), makeOutput({ ...sound, id: 'out-2', ordinal: 1 })];
  show(makeTask({ kind: 'audio', status: 'succeeded', orderedOutputs: 1, outputs }));
  for (const number of [1, 2]) {
    const name = new RegExp(`^Download sound ${number} of 2`);
    // The number is what sighted people see of the link.
    expect(screen.getByRole('link', { name })).toHaveTextContent(String(number));
  }
});

it.each<[TaskView['cancel'], string | null, RegExp]>([
  ['free', 'Cancel', /Nothing has been sent yet.*8 credits come back at once/],
  ['request', 'Ask to cancel', /Only a request: if the model finishes first, you keep the result and pay/],
  ['unsupported', null, /cannot be stopped once it has started/],
])('says what a cancel would do: %s', (cancel, label, meaning) => {
  show(makeTask({ cancel }));
  if (label === null) expect(screen.queryByRole('button')).not.toBeInTheDocument();
  else expect(screen.getByRole('button', { name: label })).toHaveAccessibleDescription(meaning);
  expect(screen.getByText(meaning)).toBeInTheDocument();
});

it('offers no second cancel and says what the first one waits for', () => {
  show(makeTask({ cancel: 'request', cancelRequested: true }));
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
  expect(screen.getByText(/You asked to cancel\. If it stops/)).toBeInTheDocument();
});

it('says that a retry is a new task with a new hold, and sends it with a key', () => {
  const money = makeMoney({ state: 'refunded', heldCredits: 0, returnedCredits: 8 });
  const { container } = show(makeTask({ status: 'failed', canRetry: true, money }));
  expect(screen.getByRole('button', { name: 'Run again: A lighthouse at dusk' })).toHaveAccessibleDescription(
    'Makes a new task and holds 8 credits for it.',
  );
  const form = container.querySelector('form');
  expect(form).toHaveAttribute('action', '/workbench/tasks/0190a0b0-0000-7000-8000-000000000001');
  expect(form).toHaveAttribute('method', 'post');
  const data = new FormData(form as HTMLFormElement);
  expect(String(data.get('requestKey'))).toMatch(/^key-/);
  expect(data.get('returnTo')).toBe('/workbench?make=image');
});

it.each(STATUSES)('has no accessibility violation when %s', async (status) => {
  const { container } = show(makeTask({ status, cancel: 'request', ...OF_STATUS[status].task }));
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
});
