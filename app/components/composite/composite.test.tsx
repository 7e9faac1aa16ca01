import type { ActionFunction } from '@remix-run/node';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { createTaskWatchHub, type WatchHandlers } from '#app/lib/task-watch-hub.ts';
import { TaskWatchProvider } from '#app/lib/use-task-watch.ts';
import { COMPOSITE_ID, makeBudget, makeChild, makeComposite } from '#app/testing/composite-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { makeOutput, makeTask } from '#app/testing/task-fixtures.ts';
import type { CompositeView } from '#server/generation/composite/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { BudgetPanel } from './budget-panel.tsx';
import { ChildTile } from './child-tile.tsx';
import { CompositeActions, type CompositeFailure } from './composite-actions.tsx';
import { CompositeBadge } from './composite-badge.tsx';
import { VersionsList } from './versions-list.tsx';
import { WaitingNotice } from './waiting-notice.tsx';

const UNTIL = new Date('2026-01-06T10:00:00Z');

describe('the budget', () => {
  const figure = (label: string) => screen.getByText(label).nextElementSibling;

  it('shows estimated against actual, the cap, and what is under way and free', () => {
    renderInApp(<BudgetPanel budget={makeBudget()} />);
    const panel = screen.getByRole('region', { name: 'Budget' });
    expect(panel).toHaveTextContent(
      '12 credits spent so far, about 30 expected. It never costs more than 50 credits.',
    );
    expect(figure('Estimated')).toHaveTextContent('30 credits');
    expect(figure('Held, the most it can cost')).toHaveTextContent('50 credits');
    expect(figure('Spent')).toHaveTextContent('12 credits');
    expect(figure('Held by parts under way')).toHaveTextContent('8 credits');
    expect(figure('Not used yet')).toHaveTextContent('30 credits');
    expect(screen.getByRole('img', { name: '12 credits of 50 credits spent' })).toBeInTheDocument();
  });

  it('says of an ended one that the rest went back', () => {
    renderInApp(<BudgetPanel budget={makeBudget({ openCredits: 0, freeCredits: 38 })} ended />);
    expect(screen.getByText(/The rest of the budget goes back to your balance/)).toBeInTheDocument();
    expect(figure('Returned')).toHaveTextContent('38 credits');
    expect(screen.queryByText('Held by parts under way')).not.toBeInTheDocument();
  });

  it('says of an ended one that nothing is left', () => {
    const budget = makeBudget({ spentCredits: 50, openCredits: 0, freeCredits: 0 });
    renderInApp(<BudgetPanel budget={budget} ended />);
    expect(
      screen.getByText('50 credits spent, about 30 expected. Nothing of the budget is left.'),
    ).toBeVisible();
  });

  it('says that nothing is held yet', () => {
    const budget = makeBudget({ heldCredits: null, spentCredits: 0, openCredits: 0, freeCredits: 0 });
    renderInApp(<BudgetPanel budget={budget} />);
    expect(screen.getByText('No budget is held yet.')).toBeInTheDocument();
    expect(screen.queryByText('Held, the most it can cost')).not.toBeInTheDocument();
    expect(screen.queryByRole('img')).not.toBeInTheDocument();
  });
});

describe('a part', () => {
  it('shows its result, its state, its cost, and links to its own page', () => {
    renderInApp(<ChildTile child={makeChild()} label="Shot 1, picture" />);
    expect(screen.getByRole('img', { name: 'image: Shot 1, picture' })).toHaveAttribute(
      'src',
      '/files/outputs/child-out-1',
    );
    expect(screen.getByText('Done')).toBeInTheDocument();
    expect(screen.getByText('4 credits')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Paint One, details of Shot 1, picture' })).toHaveAttribute(
      'href',
      `/workbench/tasks/${makeChild().taskId}`,
    );
  });

  it('has a bar while it works, busy where nothing is known', () => {
    const { unmount } = renderInApp(
      <ChildTile child={makeChild({ status: 'running', progress: 40, outputs: [] })} label="A" />,
    );
    expect(screen.getByRole('progressbar', { name: 'Progress of A' })).toHaveAttribute('aria-valuenow', '40');
    expect(screen.getByText('4 credits held')).toBeInTheDocument();
    unmount();
    renderInApp(
      <ChildTile child={makeChild({ status: 'dispatching', progress: null, outputs: [] })} label="B" />,
    );
    expect(screen.getByRole('progressbar', { name: 'Progress of B' })).not.toHaveAttribute('aria-valuenow');
  });

  it('says why it failed and that it was not charged', () => {
    const child = makeChild({
      status: 'failed',
      failure: 'The model refused this prompt.',
      chargedCredits: 0,
      outputs: [],
    });
    renderInApp(<ChildTile child={child} label="A" />);
    expect(screen.getByText('The model refused this prompt.')).toBeInTheDocument();
    expect(screen.getByText('not charged')).toBeInTheDocument();
  });

  it('says what an unknown outcome means and until when it may last', () => {
    const child = makeChild({ status: 'uncertain', uncertainUntil: UNTIL, outputs: [] });
    renderInApp(<ChildTile child={child} label="A" />);
    expect(screen.getByText(/not sent again: that could run twice/)).toHaveTextContent(/2026/);
  });

  it('is live while it works: progress and result come before the page loads again', async () => {
    const streams: { ids: string[]; handlers: WatchHandlers }[] = [];
    const hub = createTaskWatchHub({
      open(ids, handlers) {
        streams.push({ ids, handlers });
        return () => {};
      },
      fetch: async () => [],
      isHidden: () => false,
    });
    const child = makeChild({ status: 'running', progress: null, outputs: [] });
    renderInApp(
      <TaskWatchProvider value={hub}>
        <ChildTile child={child} label="A" />
      </TaskWatchProvider>,
    );
    await waitFor(() => expect(streams[0]?.ids).toEqual([child.taskId]));
    const hear = (task: Partial<TaskView>) =>
      act(async () =>
        streams[0]?.handlers.onMessage({ type: 'update', tasks: [makeTask({ id: child.taskId, ...task })] }),
      );
    await hear({ version: 2, progress: 70 });
    expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '70');
    await hear({
      version: 3,
      status: 'succeeded',
      orderedOutputs: 1,
      outputs: [makeOutput({ id: 'fresh' })],
    });
    expect(screen.getByRole('img', { name: 'image: A' })).toHaveAttribute('src', '/files/outputs/fresh');
  });
});

describe('what can be done', () => {
  function setUp(can: Partial<CompositeView['can']>, failure?: CompositeFailure) {
    const sent: string[] = [];
    const action: ActionFunction = async ({ request }) => {
      sent.push(String((await request.formData()).get('intent')));
      return failure ?? { wayOn: '/' };
    };
    const all = { pause: false, resume: false, stop: false, cancel: false, ...can };
    renderInApp(<CompositeActions view={{ taskId: COMPOSITE_ID, can: all }} action="/" />, { action });
    return { sent };
  }

  it('offers only what can be asked for now, each with what it means', () => {
    setUp({ resume: true, cancel: true });
    expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual(['Resume', 'Cancel']);
    expect(screen.getByRole('button', { name: 'Cancel' })).toHaveAccessibleDescription(
      /Resume: it goes on.*Cancel: what has not been sent is dropped/,
    );
  });

  it('draws nothing when there is nothing to ask for', () => {
    setUp({});
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });

  it('pauses at once', async () => {
    const { sent } = setUp({ pause: true });
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
    await waitFor(() => expect(sent).toEqual(['pause']));
  });

  it.each([
    ['stop', 'Stop with what is there', 'Stop it now'],
    ['cancel', 'Cancel', 'Cancel it now'],
  ] as const)('asks once more before a %s', async (intent, label, confirm) => {
    const { sent } = setUp({ stop: true, cancel: true });
    await userEvent.click(screen.getByRole('button', { name: label }));
    expect(sent).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: confirm }));
    await waitFor(() => expect(sent).toEqual([intent]));
  });

  it('says what went wrong', async () => {
    setUp({ pause: true }, { error: 'This has ended already.' });
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('This has ended already.');
  });
});

describe('what it waits for', () => {
  const show = (view: Partial<CompositeView>, task: Partial<TaskView> = {}) =>
    renderInApp(
      <WaitingNotice
        view={{ ...makeComposite(view), task: makeTask({ kind: 'agent', status: 'waiting', ...task }) }}
      />,
    );

  it.each<[string, Partial<CompositeView>, Partial<TaskView>, RegExp]>([
    [
      'a person',
      { waitingFor: 'user', waitingUntil: UNTIL },
      {},
      /It waits for you.*If nothing happens by.*2026/,
    ],
    [
      'to be resumed',
      { paused: true, waitingFor: 'resume', waitingUntil: UNTIL },
      {},
      /Paused.*until you resume.*2026/,
    ],
    ['its end after a stop', { stopRequested: true, waitingUntil: UNTIL }, {}, /Stopping with what is there/],
    ['its end after a cancel', { waitingUntil: UNTIL }, { cancelRequested: true }, /Being cancelled/],
  ])('says that it waits for %s', (_case, view, task, words) => {
    const { container } = show(view, task);
    expect(container).toHaveTextContent(words);
    if (view.stopRequested || task.cancelRequested)
      expect(container).not.toHaveTextContent(/If nothing happens/);
  });

  it('is silent while it works, and when it has ended', () => {
    show({ waitingUntil: UNTIL });
    show({ waitingFor: 'user' }, { status: 'succeeded' });
    expect(screen.queryByText(/waits for you/)).not.toBeInTheDocument();
    expect(screen.queryByText(/If nothing happens/)).not.toBeInTheDocument();
  });

  it.each<[Partial<CompositeView>, string]>([
    [{}, 'At work'],
    [{ waitingFor: 'user' }, 'Waits for you'],
    [{ paused: true, waitingFor: 'children' }, 'Paused'],
    [{ stopRequested: true, paused: true }, 'Stopping'],
  ])('names the state %j', (view, label) => {
    renderInApp(
      <CompositeBadge view={makeComposite(view)} task={makeTask({ kind: 'agent', status: 'waiting' })} />,
    );
    expect(screen.getByText(label)).toBeInTheDocument();
  });
});

it('lists versions with the one that is shown marked', async () => {
  const versions: CompositeView['versions'] = [
    { taskId: 'first', status: 'succeeded', submittedAt: UNTIL },
    { taskId: COMPOSITE_ID, status: 'waiting', submittedAt: UNTIL },
  ];
  const { container } = renderInApp(
    <VersionsList view={makeComposite({ versions })} hrefFor={(id) => `/workbench/dramas/${id}`} />,
  );
  const [first, second] = within(screen.getByRole('list', { name: 'Versions' })).getAllByRole('link');
  expect(first).toHaveAttribute('href', '/workbench/dramas/first');
  expect(first).not.toHaveAttribute('aria-current');
  expect(second).toHaveAttribute('aria-current', 'page');
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations).toEqual([]);
});
