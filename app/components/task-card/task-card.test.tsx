import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { WaysOnProvider, waysOnOf } from '#app/components/media/ways-on.ts';
import { LanguageProvider } from '#app/lib/language.tsx';
import { statesTexts } from '#app/locales/states.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { makeModel, makeMoney, makeOutput, makeTask } from '#app/testing/task-fixtures.ts';
import type { ModelView, MoneyView, TaskView } from '#server/generation/schemas.ts';
import { STATUSES } from '#server/generation/status.ts';
import { TaskCard } from './task-card.tsx';
import { TaskState } from './task-state.tsx';

function show(task: TaskView, models: readonly ModelView[] = []) {
  return renderInApp(
    <WaysOnProvider value={waysOnOf(models)}>
      <TaskCard task={task} returnTo="/workbench?make=image" requestKey="key" />
    </WaysOnProvider>,
  );
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

it('says of a removed file that it was removed, and offers only the others', () => {
  const outputs = [makeOutput({ removedAt: new Date() }), makeOutput({ id: 'out-2', ordinal: 1 })];
  const { container } = show(makeTask({ status: 'succeeded', outputs }));
  expect(screen.getByText('Removed by your retention setting.')).toBeVisible();
  expect(screen.getByRole('link', { name: /^Download image 2 of 2/ })).toBeInTheDocument();
  expect(container.innerHTML).not.toContain('/files/outputs/out-1');
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
  if (label === null) expect(screen.queryByRole('button', { name: /ancel/ })).not.toBeInTheDocument();
  else expect(screen.getByRole('button', { name: label })).toHaveAccessibleDescription(meaning);
  expect(screen.getByText(meaning)).toBeInTheDocument();
});

it('offers no second cancel and says what the first one waits for', () => {
  show(makeTask({ cancel: 'request', cancelRequested: true }));
  expect(screen.queryByRole('button', { name: /ancel/ })).not.toBeInTheDocument();
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

it.each([
  ['agent', 'Agent · Words One', '/workbench/agents/'],
  ['drama', 'Drama · Words One', '/workbench/dramas/'],
] as const)(
  'an %s at work names its kind, says how far it is, and leads to its own page',
  (kind, meta, page) => {
    const task = makeTask({
      kind,
      status: 'waiting',
      model: { slug: 'words', title: 'Words One' },
      waiting: '3 of 6 parts are done.',
      progress: 50,
      cancel: 'request',
      orderedOutputs: 4,
      money: makeMoney({ heldCredits: 50, chargedCredits: 20 }),
    });
    show(task);
    const card = screen.getByRole('article', { name: 'A lighthouse at dusk' });
    expect(card).toHaveTextContent(/3 of 6 parts are done\. 50 %/);
    expect(within(card).getByText(meta)).toBeInTheDocument();
    expect(within(card).getByText('20 credits of 50 credits spent')).toBeInTheDocument();
    expect(within(card).getByRole('progressbar')).toHaveAttribute('aria-valuenow', '50');
    expect(within(card).getByRole('link', { name: 'A lighthouse at dusk' })).toHaveAttribute(
      'href',
      `${page}${task.id}`,
    );
    expect(within(card).getByRole('button', { name: 'Cancel' })).toHaveAccessibleDescription(
      /parts that finish anyway are kept and charged/,
    );
  },
);

it('a film shows itself with its poster, without places for poster and captions', () => {
  const outputs = [
    makeOutput({
      id: 'film',
      kind: 'video',
      mime: 'video/mp4',
      width: 1280,
      height: 720,
      durationMs: 42_000,
    }),
    makeOutput({ id: 'poster', ordinal: 1 }),
    makeOutput({ id: 'srt', ordinal: 2, kind: 'text', mime: 'text/plain' }),
    makeOutput({ id: 'vtt', ordinal: 3, kind: 'text', mime: 'text/vtt' }),
  ];
  const { container } = show(makeTask({ kind: 'drama', status: 'succeeded', outputs, orderedOutputs: 4 }));
  const films = container.querySelectorAll('video');
  expect(films).toHaveLength(1);
  expect(films[0]).toHaveAttribute('poster', '/files/outputs/poster');
  expect(screen.queryByRole('img')).not.toBeInTheDocument();
  expect(screen.getByText('1 film, 1280 × 720, 0:42')).toBeInTheDocument();
});

it('a finished agent without a file says where its results are', () => {
  show(makeTask({ kind: 'agent', status: 'succeeded', orderedOutputs: 0 }));
  expect(screen.getByText('Done. What it made is on its page.')).toBeInTheDocument();
});

it('a film that has held nothing yet says so', () => {
  show(makeTask({ kind: 'drama', status: 'waiting', money: makeMoney({ state: 'none', heldCredits: 0 }) }));
  expect(screen.getByText('Nothing held')).toBeInTheDocument();
});

it('says in the place of what did not come that it did not, and what came back', () => {
  const money = makeMoney({ state: 'partly_charged', chargedCredits: 4, returnedCredits: 4 });
  const { container } = show(makeTask({ status: 'succeeded', outputs: [makeOutput()], money }));
  const places = container.querySelectorAll('[data-count="2"] > *');
  expect(places).toHaveLength(2);
  expect(places[1]).toHaveTextContent('Not delivered4 credits charged, 4 credits returned');
});

const PORTRAIT = makeTask({ params: { n: 1, size: '1024x1536' }, orderedOutputs: 1 });

function Delivering() {
  const [task, setTask] = useState(PORTRAIT);
  const deliver = () => setTask({ ...PORTRAIT, status: 'succeeded', outputs: [makeOutput()] });
  return (
    <>
      <button type="button" onClick={deliver}>
        Deliver
      </button>
      <TaskCard task={task} returnTo="/workbench" requestKey="key" />
    </>
  );
}

it('keeps its tiles in the shape that was ordered, whatever shape comes', async () => {
  const { container } = renderInApp(<Delivering />);
  const ratio = () =>
    container.querySelector<HTMLElement>('[data-count]')?.style.getPropertyValue('--ratio').slice(0, 5);
  expect(ratio()).toBe('0.666');
  await userEvent.setup().click(screen.getByRole('button', { name: 'Deliver' }));
  expect(screen.getByRole('img')).toBeInTheDocument();
  expect(ratio()).toBe('0.666');
});

it('offers to go on from a task: copies, its settings, its picture as reference or first frame', () => {
  const task = makeTask({
    status: 'succeeded',
    params: { n: 1, seed: 7 },
    outputs: [makeOutput()],
    orderedOutputs: 1,
  });
  const film = makeModel({ slug: 'film', kind: 'video', referenceRoles: ['first_frame'] });
  show(task, [makeModel(), film]);
  expect(screen.getByRole('button', { name: /^Copy the words of/ })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Copy the seed 7' })).toBeInTheDocument();
  const hrefOf = (name: RegExp) => screen.getByRole('link', { name }).getAttribute('href');
  expect(hrefOf(/^Reuse the settings/)).toBe(`/workbench?from=${task.id}`);
  expect(hrefOf(/^Use as reference/)).toBe(
    '/workbench?reference=out-1&role=reference&make=image&model=paint',
  );
  expect(hrefOf(/^Animate/)).toBe('/workbench?reference=out-1&role=first_frame&make=video&model=film');
});

it.each([
  ['image', [makeModel({ maxReferences: 0 })], []],
  ['video', [makeModel({ kind: 'video', takes: { reference: ['image', 'video'] } })], ['Use for a video']],
  ['audio', [makeModel({ kind: 'video', takes: { reference: ['image', 'audio'] } })], ['Use for a video']],
  ['audio', [makeModel({ kind: 'audio', takes: { reference: ['audio'] } })], ['Use for a sound']],
] as const)('offers for %s only what an enabled model takes', (kind, models, titles) => {
  const output = makeOutput({
    kind,
    mime: { image: 'image/png', video: 'video/mp4', audio: 'audio/mpeg' }[kind],
  });
  show(makeTask({ kind, status: 'succeeded', outputs: [output], orderedOutputs: 1 }), models);
  const links = screen
    .getAllByRole('link')
    .filter((link) => link.getAttribute('href')?.includes('reference='));
  expect(links.map((link) => link.getAttribute('title'))).toEqual(titles);
});

it.each([
  ['waits_for_you', 'Waiting for you'],
  ['paused', 'Paused'],
  ['steps_done', 'At work'],
  ['dramas_at_cap', 'Waiting for its turn'],
])('names the phase of a composite instead of “Waiting”: %s', (code, badge) => {
  const waitingReason = { code, values: { until: '2026-01-06T10:00:00.000Z', ended: 2, steps: 5, count: 1 } };
  show(makeTask({ kind: 'drama', status: 'waiting', waitingReason, orderedOutputs: 1 }));
  const card = screen.getByRole('article');
  expect(within(card).getByText(badge)).toBeInTheDocument();
  if (code === 'steps_done') expect(card).toHaveTextContent('2 of 5 steps');
});

it('says its place in line while it only waits for others', () => {
  const waitingReason = { code: 'next_in_line', values: {} };
  show(makeTask({ status: 'queued', waitingReason, queuePosition: 3 }));
  expect(screen.getByText('In line: number 3.')).toBeInTheDocument();
});

it('tells how long it has been at work and how long it usually takes', () => {
  const submittedAt = new Date(Date.now() - 65_000);
  show(makeTask({ submittedAt, expectedSeconds: 90 }));
  expect(screen.getByRole('timer')).toHaveTextContent(/^1:\d\d of about 1:30$/);
});

it('speaks Chinese on a Chinese page, also what the server names by code', () => {
  const failure = {
    code: 'moderated',
    message: 'The provider’s content rules stopped this request. It said: no hats',
    reason: { code: 'moderated', values: {}, and: { code: 'it_said', values: { note: 'no hats' } } },
  };
  renderInApp(
    <LanguageProvider value="zh-CN">
      <TaskCard task={makeTask({ status: 'failed', failure })} returnTo="/workbench" requestKey="key" />
    </LanguageProvider>,
  );
  expect(screen.getByText('服务商的内容规则拦截了这个请求。对方说明：no hats')).toBeInTheDocument();
  expect(screen.getByText('失败')).toBeInTheDocument();
});

it('says by its code why an agent failed that says it in its own words', () => {
  const failure = { code: 'steps_used_up', message: 'All 20 steps were used.', reason: null };
  renderInApp(
    <LanguageProvider value="zh-CN">
      <TaskCard
        task={makeTask({ kind: 'agent', status: 'failed', failure })}
        returnTo="/workbench"
        requestKey="key"
      />
    </LanguageProvider>,
  );
  expect(screen.getByText(statesTexts.in('zh-CN')('failures.steps_used_up'))).toBeInTheDocument();
});

it('shows the server’s own English where the page does not know a code', () => {
  const waitingReason = { code: 'from_the_future', values: {} };
  show(makeTask({ status: 'queued', waiting: 'It waits for the moon.', waitingReason }));
  expect(screen.getByText('It waits for the moon.')).toBeInTheDocument();
});
