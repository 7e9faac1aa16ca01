import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DbHandle } from '#server/db/client.ts';
import { createDueSignal, type DueSignal } from '#server/lib/due-signal.ts';
import { createDueWatcher, type DueWatcher, MAX_WAITERS, type WaitEnd } from './due-watcher.ts';

/** Waiting alone: behind a pooler there is no LISTEN, so no database is touched. */
let due: DueSignal;
let watcher: DueWatcher;
let ends: { who: string; end: WaitEnd; at: number }[];
const start = new Date('2026-01-01T00:00:00Z').getTime();

beforeEach(() => {
  vi.useFakeTimers({ now: start });
  due = createDueSignal();
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), child: vi.fn() };
  watcher = createDueWatcher({ sql: {} as DbHandle['sql'], pooled: true, due, logger });
  ends = [];
});
afterEach(async () => {
  await watcher.close();
  vi.useRealTimers();
});

type WaitOptions = Partial<Parameters<DueWatcher['wait']>[0]>;
function wait(who: string, options: WaitOptions = {}): void {
  void watcher
    .wait({ waitMs: 20_000, nextDueAt: null, ...options })
    .then((end) => ends.push({ who, end, at: Date.now() - start }));
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const inMs = (ms: number) => new Date(start + ms);

describe('createDueWatcher', () => {
  it('wakes the longest waiting lane, one per signal', async () => {
    for (const who of ['a', 'b', 'c']) wait(who);
    due.wake();
    await pass(0);
    expect(ends).toEqual([{ who: 'a', end: 'woken', at: 0 }]);
    await pass(300);
    due.wake();
    await pass(0);
    expect(ends.map(({ who }) => who)).toEqual(['a', 'b']);
  });

  it('wakes all within 250 ms when signals follow one another', async () => {
    for (const who of ['a', 'b', 'c', 'd']) wait(who);
    due.wake();
    due.wake();
    await pass(0);
    expect(ends).toHaveLength(2);
    await pass(250);
    expect(ends.map(({ who, end }) => `${who} ${end}`)).toEqual(['a woken', 'b woken', 'c woken', 'd woken']);
  });

  it('wakes one lane at the moment the next row is due', async () => {
    wait('a', { nextDueAt: inMs(600) });
    await pass(595);
    expect(ends).toEqual([]);
    await pass(10);
    expect(ends).toEqual([{ who: 'a', end: 'woken', at: 602 }]);
  });

  it('wakes the other lanes that knew that moment one after the other, should the first not come through', async () => {
    for (const who of ['a', 'b', 'c']) wait(who, { nextDueAt: inMs(300) });
    await pass(310);
    expect(ends.map(({ who }) => who)).toEqual(['a']);
    await pass(260);
    expect(ends.map(({ who }) => who)).toEqual(['a', 'b']);
    await pass(260);
    expect(ends.map(({ who }) => who)).toEqual(['a', 'b', 'c']);
  });

  it('wakes at a moment that a commit announced, also when it was announced before the wait', async () => {
    due.wake(inMs(700));
    due.wake(inMs(900));
    wait('a', { since: watcher.sequence() });
    await pass(710);
    expect(ends).toEqual([{ who: 'a', end: 'woken', at: 702 }]);
  });

  it('does not miss news between the look and the wait', async () => {
    const since = watcher.sequence();
    due.wake();
    wait('a', { since });
    await pass(0);
    expect(ends).toEqual([{ who: 'a', end: 'woken', at: 0 }]);
  });

  it('asks every second, one lane at a time, while nothing can tell it', async () => {
    for (const who of ['a', 'b']) wait(who);
    await pass(1_000);
    expect(ends).toEqual([{ who: 'a', end: 'woken', at: 1_000 }]);
    await pass(1_000);
    expect(ends).toHaveLength(2);
  });

  it('ends a wait at its limit, and when its caller goes away, without using up a wake', async () => {
    const caller = new AbortController();
    wait('gone', { signal: caller.signal });
    wait('short', { waitMs: 300 });
    wait('last', {});
    caller.abort();
    await pass(300);
    due.wake();
    await pass(0);
    expect(ends.map(({ who, end }) => `${who} ${end}`)).toEqual([
      'gone aborted',
      'short timeout',
      'last woken',
    ]);
    const gone = new AbortController();
    gone.abort();
    expect(await watcher.wait({ waitMs: 1_000, nextDueAt: null, signal: gone.signal })).toBe('aborted');
  });

  it('lets 64 lanes wait and answers further ones at once', async () => {
    for (let index = 0; index < MAX_WAITERS; index += 1) wait(`w${index}`);
    expect(await watcher.wait({ waitMs: 20_000, nextDueAt: null })).toBe('full');
    due.wake();
    await pass(0);
    wait('next');
    await pass(0);
    expect(ends).toHaveLength(1);
    expect(MAX_WAITERS).toBe(64);
  });

  it('answers everybody when it closes, and later callers at once', async () => {
    for (const who of ['a', 'b']) wait(who, { nextDueAt: inMs(500) });
    await watcher.close();
    expect(ends.map(({ end }) => end)).toEqual(['closed', 'closed']);
    expect(await watcher.wait({ waitMs: 20_000, nextDueAt: null })).toBe('closed');
    due.wake();
    expect(vi.getTimerCount()).toBe(0);
  });
});
