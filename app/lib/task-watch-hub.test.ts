import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTask } from '#app/testing/task-fixtures.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import {
  createTaskWatchHub,
  OPEN_PATIENCE_MS,
  POLL_CAP_MS,
  POLL_FIRST_MS,
  REOPEN_FIRST_MS,
  type WatchHandlers,
} from './task-watch-hub.ts';

type OpenStream = { ids: string[]; handlers: WatchHandlers };

/** A network under the test's control: what is open now, what was opened ever, and what plain requests answer. */
function fakeNetwork(options: { streams?: boolean } = {}) {
  const open = new Set<OpenStream>();
  const opened: OpenStream[] = [];
  const asked: string[][] = [];
  const network = {
    mostOpen: 0,
    hidden: false,
    answer: (): TaskView[] => [],
    fail: false,
    open,
    opened,
    asked,
    last: () => opened.at(-1) as OpenStream,
    transport: {
      open(ids: string[], handlers: WatchHandlers) {
        if (options.streams === false) return null;
        const stream = { ids, handlers };
        open.add(stream);
        opened.push(stream);
        network.mostOpen = Math.max(network.mostOpen, open.size);
        return () => open.delete(stream);
      },
      async fetch(ids: string[]) {
        asked.push(ids);
        if (network.fail) throw new Error('offline');
        return network.answer();
      },
      isHidden: () => network.hidden,
    },
  };
  return network;
}

const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('states', () => {
  it('takes a state only when its version is higher than the known one', async () => {
    const network = fakeNetwork();
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['a']);
    await settle();
    const { handlers } = network.last();
    handlers.onOpen();

    handlers.onMessage({ type: 'snapshot', tasks: [makeTask({ id: 'a', version: 5, progress: 50 })] });
    handlers.onMessage({ type: 'update', tasks: [makeTask({ id: 'a', version: 4, progress: 10 })] });
    expect(hub.get('a')?.progress).toBe(50);
    handlers.onMessage({ type: 'update', tasks: [makeTask({ id: 'a', version: 5, progress: 60 })] });
    expect(hub.get('a')?.progress).toBe(50);
    handlers.onMessage({ type: 'update', tasks: [makeTask({ id: 'a', version: 6, progress: 70 })] });
    expect(hub.get('a')?.progress).toBe(70);
  });

  it('tells its listeners of news and of nothing else', async () => {
    const network = fakeNetwork();
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['a']);
    await settle();
    const listener = vi.fn();
    hub.subscribe(listener);
    const { handlers } = network.last();
    handlers.onMessage({ type: 'snapshot', tasks: [makeTask({ id: 'a', version: 2 })] });
    expect(listener).toHaveBeenCalledTimes(1);
    handlers.onMessage({ type: 'snapshot', tasks: [makeTask({ id: 'a', version: 2 })] });
    expect(listener).toHaveBeenCalledTimes(1);
  });
});

describe('one stream', () => {
  it('serves several watchers with one stream and never opens two', async () => {
    const network = fakeNetwork();
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['b', 'a']);
    hub.watch(['a', 'c']);
    await settle();
    expect(network.opened).toHaveLength(1);
    expect(network.last().ids).toEqual(['a', 'b', 'c']);

    hub.watch(['d']);
    await settle();
    expect(network.last().ids).toEqual(['a', 'b', 'c', 'd']);
    expect(network.open.size).toBe(1);
    expect(network.mostOpen).toBe(1);
  });

  it('survives a watcher that is replaced in the same turn', async () => {
    const network = fakeNetwork();
    const hub = createTaskWatchHub(network.transport);
    const stop = hub.watch(['a']);
    await settle();
    stop();
    hub.watch(['a']);
    await settle();
    expect(network.opened).toHaveLength(1);
  });

  it('keeps the stream when a task ends and closes it when the last one does', async () => {
    const network = fakeNetwork();
    const hub = createTaskWatchHub(network.transport);
    const stopA = hub.watch(['a']);
    const stopB = hub.watch(['b']);
    await settle();
    stopA();
    await settle();
    expect(network.opened).toHaveLength(1);
    stopB();
    await settle();
    expect(network.open.size).toBe(0);
    expect(hub.state()).toBe('idle');
  });

  it('ignores what a closed stream still says', async () => {
    const network = fakeNetwork();
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['a']);
    await settle();
    const old = network.last();
    hub.watch(['b']);
    await settle();
    network.last().handlers.onOpen();
    old.handlers.onEnd();
    expect(hub.state()).toBe('live');
    await vi.advanceTimersByTimeAsync(REOPEN_FIRST_MS * 2);
    expect(network.opened).toHaveLength(2);
  });
});

describe('polling', () => {
  it('asks by plain requests, slower and slower, where there are no streams', async () => {
    const network = fakeNetwork({ streams: false });
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['a']);
    await settle();
    expect(hub.state()).toBe('polling');

    await vi.advanceTimersByTimeAsync(POLL_FIRST_MS);
    expect(network.asked).toEqual([['a']]);
    await vi.advanceTimersByTimeAsync(POLL_FIRST_MS);
    expect(network.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(POLL_FIRST_MS * 0.5);
    expect(network.asked).toHaveLength(2);

    await vi.advanceTimersByTimeAsync(200_000);
    const before = network.asked.length;
    await vi.advanceTimersByTimeAsync(POLL_CAP_MS * 4);
    expect(network.asked.length - before).toBe(4);
  });

  it('comes back to its first pace when something changed', async () => {
    const network = fakeNetwork({ streams: false });
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['a']);
    await vi.advanceTimersByTimeAsync(120_000);
    network.answer = () => [makeTask({ id: 'a', version: 9 })];
    await vi.advanceTimersByTimeAsync(POLL_CAP_MS);
    expect(hub.get('a')?.version).toBe(9);
    const before = network.asked.length;
    await vi.advanceTimersByTimeAsync(POLL_FIRST_MS);
    expect(network.asked.length).toBe(before + 1);
  });

  it('is four times slower while hidden and asks at once when seen again', async () => {
    const network = fakeNetwork({ streams: false });
    network.hidden = true;
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['a']);
    await vi.advanceTimersByTimeAsync(POLL_FIRST_MS * 4 - 1);
    expect(network.asked).toHaveLength(0);
    network.hidden = false;
    hub.wake();
    await settle();
    expect(network.asked).toHaveLength(1);
  });

  it('takes over while the stream is broken and stops when it is back', async () => {
    const network = fakeNetwork();
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['a']);
    await settle();
    const { handlers } = network.last();
    handlers.onOpen();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(network.asked).toHaveLength(0);

    handlers.onBroken();
    expect(hub.state()).toBe('polling');
    await vi.advanceTimersByTimeAsync(POLL_FIRST_MS);
    expect(network.asked).toHaveLength(1);

    handlers.onOpen();
    expect(hub.state()).toBe('live');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(network.asked).toHaveLength(1);
  });

  it('takes over when the stream does not open in time', async () => {
    const network = fakeNetwork();
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['a']);
    await vi.advanceTimersByTimeAsync(OPEN_PATIENCE_MS + POLL_FIRST_MS);
    expect(network.asked).toHaveLength(1);
  });

  it('opens an ended stream again, later each time, and goes on after failed requests', async () => {
    const network = fakeNetwork();
    network.fail = true;
    const hub = createTaskWatchHub(network.transport);
    hub.watch(['a']);
    await settle();
    network.last().handlers.onEnd();
    expect(network.open.size).toBe(0);
    await vi.advanceTimersByTimeAsync(REOPEN_FIRST_MS);
    expect(network.opened).toHaveLength(2);
    network.last().handlers.onEnd();
    await vi.advanceTimersByTimeAsync(REOPEN_FIRST_MS);
    expect(network.opened).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(REOPEN_FIRST_MS);
    expect(network.opened).toHaveLength(3);
    expect(network.asked.length).toBeGreaterThan(1);
    expect(network.mostOpen).toBe(1);
  });

  it('stops when nothing is watched any more', async () => {
    const network = fakeNetwork({ streams: false });
    const hub = createTaskWatchHub(network.transport);
    const stop = hub.watch(['a']);
    await vi.advanceTimersByTimeAsync(POLL_FIRST_MS);
    stop();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(network.asked).toHaveLength(1);
    expect(hub.state()).toBe('idle');
  });
});
