import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { createTaskWatchHub, type TaskWatchHub, type WatchHandlers } from '#app/lib/task-watch-hub.ts';
import { TaskWatchProvider } from '#app/lib/use-task-watch.ts';
import {
  COMPOSITE_ID,
  makeAgent,
  makeAsk,
  makeChild,
  makeChildOutput,
  makeMake,
  makeTurn,
} from '#app/testing/composite-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { makeModel, makeTask } from '#app/testing/task-fixtures.ts';
import type { AgentDecisionInput, AgentView } from '#server/generation/agent/schemas.ts';
import AgentPage, { action, loader } from './workbench.agents.$taskId.tsx';
import { action as submitAction } from './workbench.agents.new.tsx';
import { loader as taskLoader } from './workbench.tasks.$taskId.tsx';

const HERE = `/workbench/agents/${COMPOSITE_ID}`;
const params = { taskId: COMPOSITE_ID };

function show(agent: Partial<AgentView> = {}, hub: TaskWatchHub | null = null) {
  const decide = vi.fn(async (_input: AgentDecisionInput) => ({ ok: true }));
  const stop = vi.fn(async (_input: unknown) => ({ ok: true }));
  const get = vi.fn(async (_input: unknown) => makeAgent(agent));
  const none = async () => ({ ok: true });
  const context = {
    trpc: {
      agents: { get, decide },
      composites: { stop, pause: none, resume: none },
      generation: { cancel: async () => ({ answer: 'requested' }) },
    },
  };
  const view = renderInApp(
    <TaskWatchProvider value={hub}>
      <AgentPage />
    </TaskWatchProvider>,
    {
      url: HERE,
      loader: ({ request }) => loader({ request, params, context } as never),
      action: ({ request }) => action({ request, params, context } as never),
    },
  );
  return { decide, stop, get, ...view };
}

const page = () => screen.findByRole('article', { name: 'Make three pictures of a lighthouse' });
const paid = makeMake({
  key: 'call:2:1',
  status: 'awaiting',
  child: null,
  endedAt: null,
  prompt: 'Fog at night',
});

describe('the page of an agent', () => {
  it('says how many results there are when it has finished, not how many summaries', async () => {
    const picture = makeMake({ key: 'call:1:1', child: makeChild() });
    show({
      task: makeTask({ kind: 'agent', status: 'succeeded' }),
      transcript: [
        makeTurn({ child: makeChild({ kind: 'text' }) }),
        picture,
        {
          ...picture,
          key: 'call:1:2',
          child: makeChild({ taskId: 'child-2', outputs: [makeChildOutput({ id: 'out-2' })] }),
        },
      ],
    });
    expect(await screen.findByText('It has finished, with 2 results.')).toBeVisible();
  });

  it('shows goal, state, budget, results, transcript and order', async () => {
    const { get } = show();
    const article = await page();
    expect(get).toHaveBeenCalledWith({ taskId: COMPOSITE_ID });
    expect(within(article).getByText('At work')).toBeInTheDocument();
    expect(within(article).getByRole('region', { name: 'State' })).toHaveTextContent(
      /1 of 3 parts is done\./,
    );
    expect(screen.getByText('2 of 20 steps used. Make a picture: done.')).toHaveAttribute('role', 'status');
    expect(within(article).getByRole('region', { name: 'Budget' })).toHaveTextContent(/about 30 expected/);
    const results = within(within(article).getByRole('region', { name: 'Results' }));
    expect(results.getByRole('img', { name: 'image: A lighthouse in fog' })).toBeInTheDocument();
    expect(results.getByRole('link', { name: 'Download A lighthouse in fog' })).toHaveAttribute(
      'href',
      '/files/outputs/child-out-1?download=1',
    );
    const [turn, make] = within(screen.getByRole('region', { name: 'What happened' })).getAllByRole(
      'listitem',
    );
    expect(turn).toHaveTextContent(/Turn 1.*done.*I begin with the lighthouse\..*Words One · 2 credits/);
    expect(make).toHaveTextContent(/Make a picture.*A lighthouse in fog.*Done.*4 credits/);
    expect(screen.getByRole('region', { name: 'Order' })).toHaveTextContent(/Ask before each result/);
    expect(screen.queryByRole('region', { name: 'Waits for you' })).not.toBeInTheDocument();
  });

  it('tells every kind of step: read, asked and answered, refused, said no, failed, the end', async () => {
    const step = {
      status: 'done',
      at: new Date('2026-01-05T10:00:00Z'),
      endedAt: null,
      child: null,
    } as const;
    show({
      transcript: [
        { ...step, key: 'r', type: 'read', what: 'out-1', problem: null },
        makeAsk({ key: 'a', status: 'done', answer: 'Yes, on.' }),
        { ...step, key: 'x', type: 'refused', name: 'delete_all', problem: 'There is no such tool.' },
        makeMake({ key: 'n', status: 'rejected', child: null, problem: 'too dark' }),
        makeMake({
          key: 'f',
          status: 'failed',
          child: makeChild({
            status: 'failed',
            failure: 'Refused by the model.',
            outputs: [],
            chargedCredits: 0,
          }),
        }),
        { ...step, key: 'e', type: 'finish', summary: 'Three pictures are there.' },
      ],
    });
    await page();
    const entries = within(screen.getByRole('region', { name: 'What happened' })).getAllByRole('listitem');
    expect(entries.map((entry) => entry.textContent)).toEqual([
      expect.stringMatching(/Look at a result.*out-1/),
      expect.stringMatching(/Question to you.*Shall the light be on\?.*You: Yes, on\./),
      expect.stringMatching(
        /A call that was refused.*told to the model.*delete_all: There is no such tool\./,
      ),
      expect.stringMatching(/Make a picture.*you said no.*too dark/),
      expect.stringMatching(/Make a picture.*failed.*not charged.*Refused by the model\./),
      expect.stringMatching(/The end.*Three pictures are there\./),
    ]);
  });

  it('shows films and sounds as players, and a removed file as removed', async () => {
    show({
      transcript: [
        makeMake({
          child: makeChild({
            outputs: [makeChildOutput({ id: 'v', kind: 'video', mime: 'video/mp4' })],
          }),
        }),
        makeMake({
          key: 'call:1:1',
          child: makeChild({ outputs: [makeChildOutput({ id: 'gone', removedAt: new Date('2026-02-01') })] }),
        }),
      ],
    });
    await page();
    const results = within(screen.getByRole('region', { name: 'Results' }));
    expect(results.getByLabelText('video: A lighthouse in fog')).toHaveAttribute('src', '/files/outputs/v');
    expect(results.getByText(/Removed by your retention setting/)).toBeInTheDocument();
    expect(results.getAllByRole('link', { name: /Download/ })).toHaveLength(1);
  });

  it('opens a picture over the page under its own words', async () => {
    show();
    await page();
    const results = within(screen.getByRole('region', { name: 'Results' }));
    await userEvent.click(results.getByRole('link', { name: 'Open image: A lighthouse in fog' }));
    expect(await screen.findByRole('dialog', { name: 'A lighthouse in fog' })).toBeInTheDocument();
  });

  it('has no accessibility violations', async () => {
    const { container } = show({
      waitingFor: 'user',
      waitingUntil: new Date('2026-01-12T10:00:00Z'),
      transcript: [makeTurn(), makeMake(), paid, makeAsk()],
      awaiting: ['call:2:0', 'call:2:1'],
      references: [{ id: 'u1', fileName: 'sea.png', mime: 'image/png' }],
    });
    await page();
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations).toEqual([]);
  });
});

it('loads its steps again whenever its task has a newer version, and says so to screen readers', async () => {
  const streams: { ids: string[]; handlers: WatchHandlers }[] = [];
  const hub = createTaskWatchHub({
    open(ids, handlers) {
      streams.push({ ids, handlers });
      return () => {};
    },
    fetch: async () => [],
    isHidden: () => false,
  });
  const { get } = show({}, hub);
  await page();
  await waitFor(() => expect(streams[0]?.ids).toEqual([COMPOSITE_ID]));
  const later = makeAgent({
    stepsUsed: 3,
    transcript: [makeTurn(), makeMake(), makeTurn({ key: 'model:2', number: 2 })],
  });
  const task = { ...later.task, version: 2 };
  get.mockResolvedValue({ ...later, task });
  await act(async () => streams[0]?.handlers.onMessage({ type: 'update', tasks: [task] }));
  await waitFor(() => expect(get).toHaveBeenCalledTimes(2));
  expect(await screen.findByText('3 of 20 steps used. Turn 2: done.')).toHaveAttribute('role', 'status');
});

describe('what waits for the user', () => {
  const waiting = (entries: AgentView['transcript']): Partial<AgentView> => ({
    waitingFor: 'user',
    waitingUntil: new Date('2026-01-12T10:00:00Z'),
    transcript: [makeTurn(), ...entries],
    awaiting: entries.map(({ key }) => key),
  });

  it('is on top, with what it costs and until when it may wait', async () => {
    show(waiting([paid]));
    await page();
    const form = screen.getByRole('form', { name: 'Make a picture' });
    expect(form).toHaveTextContent(/Fog at night.*With Paint One for 4 credits at most\./);
    expect(screen.getByText(/If nothing happens by/)).toHaveTextContent(/2026/);
    expect(screen.getByText(/One thing waits for you/)).toBeInTheDocument();
  });

  it('is approved', async () => {
    const { decide } = show(waiting([paid]));
    await page();
    await userEvent.click(screen.getByRole('button', { name: 'Approve' }));
    await waitFor(() =>
      expect(decide).toHaveBeenCalledExactlyOnceWith({
        taskId: COMPOSITE_ID,
        stepKey: 'call:2:1',
        decision: 'approve',
      }),
    );
  });

  it('is approved with other arguments, shown indented and kept when they are refused', async () => {
    const { decide } = show(waiting([paid]));
    await page();
    const refusal = Object.assign(new Error('There is no such model.'), {
      name: 'TRPCError',
      code: 'BAD_REQUEST',
      cause: { code: 'bad_request', field: 'argumentsText' },
    });
    decide.mockRejectedValueOnce(refusal);
    const box = screen.getByLabelText('Arguments as JSON');
    expect(box).toHaveValue('{\n  "model": "paint",\n  "prompt": "A lighthouse in fog"\n}');
    await userEvent.click(screen.getByText('Change it before it is made'));
    await userEvent.clear(box);
    await userEvent.type(box, '{{"model":"x"}');
    await userEvent.click(screen.getByRole('button', { name: 'Approve with these arguments' }));
    await waitFor(() => expect(box).toHaveAccessibleDescription(/There is no such model\./));
    expect(box).toHaveValue('{"model":"x"}');
    expect(decide.mock.lastCall?.[0]).toMatchObject({ decision: 'edit', argumentsText: '{"model":"x"}' });
  });

  it('is rejected with a reason; Enter in the reason approves nothing', async () => {
    const { decide } = show(waiting([paid]));
    await page();
    await userEvent.click(screen.getByText('Say no'));
    await userEvent.type(screen.getByLabelText('Why not'), 'too dark{Enter}');
    expect(decide).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Reject' }));
    await waitFor(() =>
      expect(decide).toHaveBeenCalledExactlyOnceWith({
        taskId: COMPOSITE_ID,
        stepKey: 'call:2:1',
        decision: 'reject',
        reason: 'too dark',
      }),
    );
  });

  it('is answered', async () => {
    const { decide } = show(waiting([makeAsk()]));
    await page();
    await userEvent.type(screen.getByLabelText('Your answer'), 'Yes, on.');
    await userEvent.click(screen.getByRole('button', { name: 'Send the answer' }));
    await waitFor(() =>
      expect(decide).toHaveBeenCalledExactlyOnceWith({
        taskId: COMPOSITE_ID,
        stepKey: 'call:2:0',
        decision: 'answer',
        answer: 'Yes, on.',
      }),
    );
  });

  it('of a turn it says what a no means, and has no arguments to change', async () => {
    show(waiting([makeTurn({ key: 'model:2', number: 2, status: 'awaiting', text: '', child: null })]));
    await page();
    const form = within(screen.getByRole('form', { name: 'Turn 2' }));
    expect(form.getByText('The agent then ends with what is there.')).toBeInTheDocument();
    expect(form.queryByLabelText('Arguments as JSON')).not.toBeInTheDocument();
    expect(form.queryByLabelText('Why not')).not.toBeInTheDocument();
  });
});

describe('actions', () => {
  const post = (path: string, fields: [string, string][]) =>
    new Request(`http://site.invalid${path}`, { method: 'POST', body: new URLSearchParams(fields) });

  it('a stop goes to its procedure and comes back to the page', async () => {
    const { stop } = show();
    await page();
    await userEvent.click(screen.getByRole('button', { name: 'Stop with what is there' }));
    await userEvent.click(screen.getByRole('button', { name: 'Stop it now' }));
    await waitFor(() => expect(stop).toHaveBeenCalledExactlyOnceWith({ taskId: COMPOSITE_ID }));
  });

  it('a new agent leads to its page', async () => {
    const submit = vi.fn(async (_input: unknown) => ({ taskId: COMPOSITE_ID }));
    const models = [makeModel(), makeModel({ slug: 'words', kind: 'text', converses: true })];
    const context = { trpc: { generation: { models: async () => models }, agents: { submit } } };
    const request = post('/workbench/agents/new', [
      ['requestKey', 'a-request-key'],
      ['goal', 'A lighthouse'],
      ['model', 'words'],
      ['allowed', 'paint'],
      ['budgetCredits', '40'],
      ['maxSteps', '5'],
      ['approval', 'none'],
    ]);
    const thrown = await submitAction({ request, context, params: {} } as never).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(Response);
    expect((thrown as Response).headers.get('location')).toBe(HERE);
    expect(submit.mock.lastCall?.[0]).toMatchObject({ budgetCredits: 40, references: [] });
  });

  it.each([
    ['agent', HERE],
    ['drama', `/workbench/dramas/${COMPOSITE_ID}`],
  ] as const)('the plain task page of an %s leads to its own page', async (kind, target) => {
    const generation = { get: async () => makeTask({ id: COMPOSITE_ID, kind }), models: async () => [] };
    const context = { trpc: { generation } };
    const request = new Request(`http://site.invalid/workbench/tasks/${COMPOSITE_ID}`);
    const thrown = await taskLoader({ request, context, params } as never).catch((error: unknown) => error);
    expect((thrown as Response).headers.get('location')).toBe(target);
  });
});
