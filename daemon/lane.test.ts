import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Conditions } from './conditions.ts';
import {
  allTurning,
  createLaneStatus,
  type KnockOptions,
  type KnockResult,
  type Lane,
  runLane,
} from './lane.ts';

const nothing: KnockResult = { found: false, nextDueAt: null, waited: false };
const work: KnockResult = { found: true, nextDueAt: null, waited: false };

let stop: AbortController;
let calls: { at: number; options: KnockOptions }[];
let conditions: Conditions;
const startedAt = new Date('2026-01-01T00:00:00Z').getTime();

beforeEach(() => {
  vi.useFakeTimers({ now: startedAt });
  stop = new AbortController();
  calls = [];
  conditions = { failed: vi.fn(), answered: vi.fn() };
});
afterEach(() => {
  stop.abort();
  vi.useRealTimers();
});

function start(
  answer: (call: number, options: KnockOptions) => Promise<KnockResult>,
  overrides: Partial<Lane> = {},
) {
  const lane: Lane = {
    name: 'generation',
    count: 1,
    longPoll: false,
    busyMs: 250,
    idleMs: 2_000,
    backoffBaseMs: 1_000,
    backoffCapMs: 60_000,
    callTimeoutMs: 55_000,
    fullKnockMs: 20_000,
    stopGraceMs: 5_000,
    procedure: (options) => {
      calls.push({ at: Date.now() - startedAt, options });
      return answer(calls.length, options);
    },
    ...overrides,
  };
  const status = createLaneStatus(lane.name, 0);
  const done = runLane(lane, status, { conditions, signal: stop.signal, random: () => 0.999_999 });
  return { status, done };
}
const times = () => calls.map((call) => call.at);
const untilAborted = (signal: AbortSignal) =>
  new Promise<KnockResult>((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('This operation was aborted'))),
  );

describe('runLane', () => {
  it('pauses 250 ms after work', async () => {
    start(async () => work);
    await vi.advanceTimersByTimeAsync(600);
    expect(times()).toEqual([0, 250, 500]);
  });

  it('shows the counts of its last knock, of the last one that found work, and when it knocks again', async () => {
    const { status } = start(async (call) =>
      call === 1 ? { ...work, claimed: 3 } : { found: false, nextDueAt: null, waited: false, claimed: 0 },
    );
    await vi.advanceTimersByTimeAsync(100);
    expect(status).toMatchObject({ lastResult: { claimed: 3 }, nextKnockAt: new Date(startedAt + 250) });
    await vi.advanceTimersByTimeAsync(200);
    expect(status).toMatchObject({
      lastResult: { claimed: 0 },
      lastFound: { at: new Date(startedAt), counts: { claimed: 3 } },
    });
  });

  it('does not pause after work that used up the budget of its call', async () => {
    start(async () => {
      await new Promise((resolve) => setTimeout(resolve, 24_000));
      return work;
    });
    await vi.advanceTimersByTimeAsync(48_100);
    const pauses = times().map((at, index) => at - index * 24_000);
    expect(pauses).toHaveLength(3);
    expect(Math.max(...pauses)).toBeLessThan(10);
  });

  it('sleeps until the next row is due, at most its idle limit, when nothing was found', async () => {
    start(async (call) => ({ ...nothing, nextDueAt: call === 1 ? new Date(startedAt + 900) : null }));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(times()).toEqual([0, 900, 2_900]);
  });

  it('returns to a long poll 250 ms after the web process has waited', async () => {
    start(async () => ({ ...nothing, waited: true }), { longPoll: true });
    await vi.advanceTimersByTimeAsync(600);
    expect(times()).toEqual([0, 250, 500]);
  });

  it('idles by itself when the web process does not let it wait', async () => {
    start(async () => nothing, { longPoll: true });
    await vi.advanceTimersByTimeAsync(4_100);
    expect(times()).toEqual([0, 2_000, 4_000]);
  });

  it('does not ask to wait right after work', async () => {
    start(async (call) => (call === 2 ? nothing : work), { longPoll: true });
    await vi.advanceTimersByTimeAsync(600);
    expect(calls.map((call) => call.options.mayWait)).toEqual([true, false, true]);
  });

  it('backs off exponentially up to the cap and starts over after an answer', async () => {
    start(async (call) => {
      if (call === 10) return work;
      throw new Error('connection refused');
    });
    await vi.advanceTimersByTimeAsync(1_000_000);
    const pauses = times().map((at, index) => (times()[index + 1] ?? at) - at);
    expect(pauses.slice(0, 11)).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000, 250, 1_000,
    ]);
  });

  it('retries another protocol at the cap only', async () => {
    start(async () => {
      throw Object.assign(new Error('protocol'), { data: { httpStatus: 409 } });
    });
    await vi.advanceTimersByTimeAsync(120_500);
    expect(times()).toEqual([0, 60_000, 120_000]);
  });

  it('retries a procedure that an older web process does not have at the cap only', async () => {
    start(async () => {
      throw Object.assign(new Error('No procedure found on path "orders.expire"'), {
        data: { code: 'NOT_FOUND', httpStatus: 404 },
      });
    });
    await vi.advanceTimersByTimeAsync(120_500);
    expect(times()).toEqual([0, 60_000, 120_000]);
    expect(conditions.failed).toHaveBeenCalledWith('generation', {
      kind: 'absent',
      message: 'No procedure found on path "orders.expire"',
    });
  });

  it('gives up a call that takes too long and goes on', async () => {
    const { status } = start((_call, { signal }) => untilAborted(signal));
    await vi.advanceTimersByTimeAsync(56_100);
    expect(calls.length).toBe(2);
    expect(status.lastError).toBe('no answer within 55 s');
  });

  it('ends at once when it is stopped while sleeping or backing off', async () => {
    const idle = start(async () => nothing);
    await vi.advanceTimersByTimeAsync(10);
    stop.abort();
    await idle.done;
    expect(idle.status.state).toBe('stopped');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends a waiting call at once when it is stopped', async () => {
    const { done, status } = start((_call, { signal }) => untilAborted(signal), { longPoll: true });
    await vi.advanceTimersByTimeAsync(10);
    stop.abort();
    await done;
    expect(status.failures).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives a call at work its grace when it is stopped', async () => {
    let finished = false;
    const { done } = start(async (_call, { signal }) => {
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 3_000)), untilAborted(signal)]);
      finished = true;
      return work;
    });
    await vi.advanceTimersByTimeAsync(10);
    stop.abort();
    await vi.advanceTimersByTimeAsync(3_000);
    await done;
    expect(finished).toBe(true);
    expect(calls.length).toBe(1);
  });

  it('ends a call at work after its grace', async () => {
    let ended = false;
    const { done } = start((_call, { signal }) => untilAborted(signal));
    void done.then(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(10);
    stop.abort();
    await vi.advanceTimersByTimeAsync(4_900);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(ended).toBe(true);
  });

  it('goes on when the classification of an odd error is all there is', async () => {
    start(async () => {
      throw undefined;
    });
    await vi.advanceTimersByTimeAsync(1_100);
    expect(calls.length).toBe(2);
    expect(conditions.failed).toHaveBeenCalledWith('generation', {
      kind: 'unreachable',
      message: 'undefined',
    });
  });
});

describe('allTurning', () => {
  it('counts backing off and long sleeps as turning, a hung call not', async () => {
    const { status } = start(
      (call) => (call < 8 ? Promise.reject(new Error('down')) : new Promise(() => {})),
      { callTimeoutMs: 10_000 },
    );
    for (let second = 0; second < 123; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      expect(allTurning([status])).toBe(true);
    }
    await vi.advanceTimersByTimeAsync(30_000);
    expect(calls.length).toBe(8);
    expect(allTurning([status])).toBe(false);
  });
});
