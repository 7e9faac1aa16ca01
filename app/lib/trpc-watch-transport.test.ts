import { expect, it, vi } from 'vitest';
import type { WatchHandlers } from './task-watch-hub.ts';
import { trpcWatchTransport } from './trpc-watch-transport.ts';

const network = vi.hoisted(() => {
  const unsubscribe = vi.fn();
  const subscribe = vi.fn((_input: unknown, _handlers: unknown) => ({ unsubscribe }));
  return { subscribe, unsubscribe, load: vi.fn() };
});

vi.mock('./browser-trpc.ts', () => ({ browserTrpc: network.load }));

const client = { generation: { watch: { subscribe: network.subscribe } } };
const handlers = () =>
  ({ onMessage: vi.fn(), onOpen: vi.fn(), onBroken: vi.fn(), onEnd: vi.fn() }) satisfies WatchHandlers;

vi.stubGlobal('EventSource', class {});

it('subscribes once the client is there, and unsubscribes when it is closed', async () => {
  network.load.mockResolvedValueOnce(client);
  const close = trpcWatchTransport.open(['a'], handlers());
  await vi.waitFor(() => expect(network.subscribe).toHaveBeenCalledTimes(1));
  expect(network.subscribe.mock.calls[0]?.[0]).toEqual({ taskIds: ['a'] });
  close?.();
  expect(network.unsubscribe).toHaveBeenCalledTimes(1);
});

it('opens nothing when it was closed while the client was on its way', async () => {
  network.subscribe.mockClear();
  let arrive = (_client: object) => {};
  const arrival = new Promise<object>((resolve) => {
    arrive = resolve;
  });
  network.load.mockReturnValueOnce(arrival);
  const close = trpcWatchTransport.open(['a'], handlers());
  close?.();
  arrive(client);
  await arrival;
  // What waits for the same promise has run by then.
  await Promise.resolve();
  expect(network.subscribe).not.toHaveBeenCalled();
});

it('ends like a stream when the client does not come', async () => {
  network.load.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const told = handlers();
  trpcWatchTransport.open(['a'], told);
  await vi.waitFor(() => expect(told.onEnd).toHaveBeenCalledTimes(1));
});
