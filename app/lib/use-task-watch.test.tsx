import { act, render, screen } from '@testing-library/react';
import { StrictMode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeMoney, makeTask } from '#app/testing/task-fixtures.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { createTaskWatchHub, type WatchHandlers } from './task-watch-hub.ts';
import { TaskWatchProvider, useTaskWatch } from './use-task-watch.ts';

function setUp() {
  const streams: { ids: string[]; handlers: WatchHandlers; closed: boolean }[] = [];
  const hub = createTaskWatchHub({
    open(ids, handlers) {
      const stream = { ids, handlers, closed: false };
      streams.push(stream);
      return () => {
        stream.closed = true;
      };
    },
    fetch: async () => [],
    isHidden: () => false,
  });
  return { hub, streams };
}

function List({ tasks, onEnd }: { tasks: TaskView[]; onEnd?: (task: TaskView) => void }) {
  const watched = useTaskWatch(tasks, onEnd);
  return (
    <ul>
      {watched.tasks.map((task) => (
        <li key={task.id}>
          {task.id} {task.status} {task.progress}
        </li>
      ))}
    </ul>
  );
}

const turn = () => act(() => vi.advanceTimersByTimeAsync(0));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('shows newer states, never older ones, and keeps to one stream under StrictMode', async () => {
  const { hub, streams } = setUp();
  const view = (tasks: TaskView[]) => (
    <StrictMode>
      <TaskWatchProvider value={hub}>
        <List tasks={tasks} />
      </TaskWatchProvider>
    </StrictMode>
  );
  const loaded = makeTask({ id: 'a', version: 3, progress: 10 });
  const { rerender } = render(view([loaded, makeTask({ id: 'done', status: 'succeeded' })]));
  await turn();
  expect(streams).toHaveLength(1);
  expect(streams[0]?.ids).toEqual(['a']);

  act(() =>
    streams[0]?.handlers.onMessage({ type: 'snapshot', tasks: [{ ...loaded, version: 2, progress: 5 }] }),
  );
  expect(screen.getByText('a running 10')).toBeInTheDocument();
  act(() =>
    streams[0]?.handlers.onMessage({ type: 'update', tasks: [{ ...loaded, version: 8, progress: 80 }] }),
  );
  expect(screen.getByText('a running 80')).toBeInTheDocument();

  // A loader that ran meanwhile and read less than the stream told.
  rerender(view([{ ...loaded, version: 7, progress: 70 }]));
  expect(screen.getByText('a running 80')).toBeInTheDocument();
  // One that read more.
  rerender(view([{ ...loaded, version: 9, progress: 90 }]));
  expect(screen.getByText('a running 90')).toBeInTheDocument();
  await turn();
  expect(streams).toHaveLength(1);
});

it('subscribes anew when a task joins and closes when all have ended', async () => {
  const { hub, streams } = setUp();
  const view = (tasks: TaskView[]) => (
    <TaskWatchProvider value={hub}>
      <List tasks={tasks} />
    </TaskWatchProvider>
  );
  const [a, b] = [makeTask({ id: 'a' }), makeTask({ id: 'b' })];
  const { rerender } = render(view([a]));
  await turn();
  rerender(view([b, a]));
  await turn();
  expect(streams.map((stream) => [stream.ids, stream.closed])).toEqual([
    [['a'], true],
    [['a', 'b'], false],
  ]);

  act(() =>
    streams[1]?.handlers.onMessage({
      type: 'update',
      tasks: [
        { ...a, version: 2, status: 'succeeded' },
        { ...b, version: 2, status: 'cancelled' },
      ],
    }),
  );
  await turn();
  expect(streams[1]?.closed).toBe(true);
});

it('reports each end once and goes on watching until the refund is booked', async () => {
  const { hub, streams } = setUp();
  const onEnd = vi.fn();
  const task = makeTask({ id: 'a' });
  render(
    <TaskWatchProvider value={hub}>
      <List tasks={[task]} onEnd={onEnd} />
    </TaskWatchProvider>,
  );
  await turn();
  expect(onEnd).not.toHaveBeenCalled();

  const failed: TaskView = {
    ...task,
    version: 2,
    status: 'failed',
    money: makeMoney({ state: 'refund_pending' }),
  };
  act(() => streams[0]?.handlers.onMessage({ type: 'update', tasks: [failed] }));
  await turn();
  expect(onEnd).toHaveBeenCalledTimes(1);
  expect(onEnd.mock.calls[0]?.[0]).toMatchObject({ id: 'a', status: 'failed' });
  expect(streams[0]?.closed).toBe(false);

  const refunded: TaskView = {
    ...failed,
    version: 3,
    money: makeMoney({ state: 'refunded', returnedCredits: 8 }),
  };
  act(() => streams[0]?.handlers.onMessage({ type: 'update', tasks: [refunded] }));
  await turn();
  expect(onEnd).toHaveBeenCalledTimes(1);
  expect(streams[0]?.closed).toBe(true);
});

it('shows the loaded tasks as they are without a hub, as on the server', () => {
  render(<List tasks={[makeTask({ id: 'a', progress: 10 })]} />);
  expect(screen.getByText('a running 10')).toBeInTheDocument();
});
