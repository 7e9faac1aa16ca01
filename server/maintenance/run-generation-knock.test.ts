import { describe, expect, it, vi } from 'vitest';
import type { Executor } from '#server/generation/executor.ts';
import type { RecoveryBatchInput, RecoveryBatchResult } from '#server/generation/recovery-batch.ts';
import type { DueWatcher, WaitEnd } from './due-watcher.ts';
import { runGenerationKnock } from './run-generation-knock.ts';

const nothing: RecoveryBatchResult = {
  claimed: 0,
  advanced: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  uncertain: 0,
  lost: 0,
  inFlight: 0,
  nextDueAt: null,
  backlog: 0,
};

/** An executor that answers in turn, and a watcher whose wait ends as told. */
function stage(answers: Partial<RecoveryBatchResult>[], end: WaitEnd = 'woken') {
  const order: string[] = [];
  const run = vi.fn(async (_input: RecoveryBatchInput) => {
    order.push('look');
    return { ...nothing, ...answers.shift() };
  });
  const wait = vi.fn(async (_options: Parameters<DueWatcher['wait']>[0]) => {
    order.push('wait');
    return end;
  });
  const sequence = () => {
    order.push('sequence');
    return 7;
  };
  const signal = new AbortController().signal;
  const context = {
    executor: { run } as unknown as Executor,
    dueWatcher: { wait, sequence, close: async () => {} },
    signal,
  };
  return {
    order,
    run,
    wait,
    signal,
    knock: (waitMs: number) => runGenerationKnock(context, { limit: 9, waitMs, workerId: 'w' }),
  };
}

describe('runGenerationKnock', () => {
  it('answers at once when it claimed something', async () => {
    const { knock, order, run } = stage([{ claimed: 3, advanced: 3, backlog: 5 }]);
    expect(await knock(20_000)).toEqual({ ...nothing, claimed: 3, advanced: 3, backlog: 5, waitedMs: 0 });
    expect(order).toEqual(['sequence', 'look']);
    expect(run.mock.calls[0]?.[0]).toMatchObject({ limit: 9, workerId: 'w' });
  });

  it('does not wait unless it is asked to', async () => {
    const { knock, order } = stage([{}]);
    expect(await knock(0)).toEqual({ ...nothing, waitedMs: 0 });
    expect(order).toEqual(['sequence', 'look']);
  });

  it('reads the sequence before it looks, waits for news since then, and looks once more', async () => {
    const nextDueAt = new Date('2026-01-01T00:00:00Z');
    const { knock, order, wait, signal } = stage([{ nextDueAt }, { claimed: 1 }]);
    expect((await knock(20_000)).claimed).toBe(1);
    expect(order).toEqual(['sequence', 'look', 'wait', 'look']);
    expect(wait).toHaveBeenCalledWith({ waitMs: 20_000, nextDueAt, since: 7, signal });
  });

  it.each(['timeout', 'aborted', 'full', 'closed'] as const)('does not look again after %s', async (end) => {
    const { knock, order } = stage([{ backlog: 2 }, { claimed: 1 }], end);
    expect(await knock(1_000)).toMatchObject({ claimed: 0, backlog: 2 });
    expect(order).toEqual(['sequence', 'look', 'wait']);
  });

  it('tells the daemon to pause by itself when no more may wait here', async () => {
    expect((await stage([{}], 'full').knock(1_000)).waitedMs).toBe(0);
    expect((await stage([{}], 'closed').knock(1_000)).waitedMs).toBe(0);
    expect((await stage([{}], 'timeout').knock(1_000)).waitedMs).toBeGreaterThan(0);
  });

  it('stays within 25 s: the waiting and the second look come out of what the first look left', async () => {
    vi.useFakeTimers();
    try {
      const { context, run, wait } = slowStage();
      const call = runGenerationKnock(context, { limit: 1, waitMs: 20_000, workerId: 'w' });
      await vi.advanceTimersByTimeAsync(60_000);
      await call;
      expect(run.mock.calls.map(([input]) => input.budgetMs)).toEqual([24_000, 2_000]);
      expect(wait.mock.calls[0]?.[0].waitMs).toBe(14_000);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** The first look takes 8 s, the wait its full time. */
function slowStage() {
  const run = vi.fn(async (_input: RecoveryBatchInput) => {
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    return nothing;
  });
  const wait = vi.fn(async ({ waitMs }: Parameters<DueWatcher['wait']>[0]): Promise<WaitEnd> => {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    return 'woken';
  });
  const context = {
    executor: { run } as unknown as Executor,
    dueWatcher: { wait, sequence: () => 0, close: async () => {} },
    signal: undefined,
  };
  return { context, run, wait };
}
