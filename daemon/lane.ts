import { backoffMs, idleSleepMs, MIN_SLEEP_MS } from './backoff.ts';
import { classifyFailure } from './classify-failure.ts';
import type { Conditions } from './conditions.ts';
import { countsOf } from './count-result.ts';
import { sleep } from './sleep.ts';

/** All that a lane learns from a knock. */
export type KnockResult = {
  /** Whether there was work. */
  found: boolean;
  nextDueAt: Date | null;
  /** The web process waited for work before it answered. */
  waited: boolean;
  /** What the web process wants the operator to know. */
  message?: string;
};

export type KnockOptions = {
  /** Which loop of the lane, from 0. */
  number: number;
  /** Let the web process wait when there is nothing to do. */
  mayWait: boolean;
  signal: AbortSignal;
};

/** One row of the table of lanes. */
export type Lane = {
  name: string;
  procedure: (options: KnockOptions) => Promise<KnockResult>;
  /** Loops of this lane. */
  count: number;
  longPoll: boolean;
  /** Pause after work that ended early. */
  busyMs: number;
  /** Longest pause when nothing was found. */
  idleMs: number;
  backoffBaseMs: number;
  backoffCapMs: number;
  /** A call that takes longer is given up; the web process goes on with it. */
  callTimeoutMs: number;
  /** A call that found work and took this long ended by its budget: more is waiting, so no pause follows. */
  fullKnockMs: number;
  /** How long a knock at work is given after the stop signal. */
  stopGraceMs: number;
};

type LaneState = 'starting' | 'knocking' | 'sleeping' | 'backing_off' | 'stopped';

/** What a loop shows of itself, to the heartbeat and to the watchdog. */
export type LaneStatus = {
  name: string;
  number: number;
  state: LaneState;
  knocks: number;
  failures: number;
  lastKnockAt: Date | null;
  lastError: string | null;
  /** Counts of the last answered knock. */
  lastResult: Record<string, number> | null;
  /** The last knock that found work. */
  lastFound: { at: Date; counts: Record<string, number> } | null;
  /** When a sleeping lane, or one that backs off, knocks again. */
  nextKnockAt: Date | null;
  /** Monotonic moment by which the loop must have turned again, else it hangs. */
  turnsUntil: number;
};

export type LaneContext = {
  conditions: Conditions;
  /** Stops the loop. */
  signal: AbortSignal;
  /** Uniform in [0, 1). */
  random: () => number;
};

/** Tolerance of the watchdog for a busy machine. */
const TURN_MARGIN_MS = 15_000;

export function createLaneStatus(name: string, number: number): LaneStatus {
  return {
    name,
    number,
    state: 'starting',
    knocks: 0,
    failures: 0,
    lastKnockAt: null,
    lastError: null,
    lastResult: null,
    lastFound: null,
    nextKnockAt: null,
    turnsUntil: performance.now() + TURN_MARGIN_MS,
  };
}

/** True while every loop turns; sleeping and backing off count as turning. */
export function allTurning(statuses: readonly LaneStatus[]): boolean {
  const now = performance.now();
  return statuses.every((status) => status.state === 'stopped' || now <= status.turnsUntil);
}

/**
 * Knocks until the signal aborts, and never throws. It knows only: work found, nothing found, error. What the work is
 * and how it fares is the web process' business.
 */
export async function runLane(lane: Lane, status: LaneStatus, context: LaneContext): Promise<void> {
  const { conditions, signal, random } = context;
  let foundBefore = false;
  let failures = 0;

  while (!signal.aborted) {
    const startedAt = performance.now();
    // A knock right after work does not wait, so it is at work while it lasts: a stop gives it time to answer.
    const mayWait = lane.longPoll && !foundBefore;
    enter('knocking', lane.callTimeoutMs);
    status.knocks += 1;
    status.lastKnockAt = new Date();
    let pauseMs: number;
    try {
      const result = await knock(lane, { number: status.number, mayWait, stop: signal });
      failures = 0;
      status.lastError = null;
      status.lastResult = countsOf(result);
      if (result.found) status.lastFound = { at: new Date(), counts: status.lastResult };
      foundBefore = result.found;
      conditions.answered(lane.name, result.message);
      if (result.found) pauseMs = performance.now() - startedAt >= lane.fullKnockMs ? 0 : lane.busyMs;
      else if (lane.longPoll && result.message === undefined && (result.waited || !mayWait))
        pauseMs = MIN_SLEEP_MS;
      else pauseMs = idleSleepMs(result.nextDueAt, Date.now(), lane.idleMs);
      enter('sleeping', pauseMs);
    } catch (error) {
      if (signal.aborted) break;
      const failure = classifyFailure(error);
      failures += 1;
      foundBefore = false;
      status.failures += 1;
      status.lastError = failure.message.slice(0, 300);
      conditions.failed(lane.name, failure);
      // Another protocol or a missing procedure needs a new release on one side: there is no hurry.
      pauseMs =
        failure.kind === 'incompatible' || failure.kind === 'absent'
          ? lane.backoffCapMs
          : backoffMs({ failures, baseMs: lane.backoffBaseMs, capMs: lane.backoffCapMs, random: random() });
      enter('backing_off', pauseMs);
    }
    await sleep(pauseMs, signal);
  }
  status.state = 'stopped';
  status.nextKnockAt = null;

  function enter(state: LaneState, longestMs: number): void {
    status.state = state;
    status.nextKnockAt = state === 'knocking' ? null : new Date(Date.now() + longestMs);
    status.turnsUntil = performance.now() + longestMs + TURN_MARGIN_MS;
  }
}

/** One call with its time limit. The stop signal ends a waiting call at once, one at work after its grace. */
async function knock(
  lane: Lane,
  { number, mayWait, stop }: { number: number; mayWait: boolean; stop: AbortSignal },
): Promise<KnockResult> {
  const call = new AbortController();
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    call.abort();
  }, lane.callTimeoutMs);
  let grace: NodeJS.Timeout | undefined;
  const onStop = () => {
    if (mayWait) call.abort();
    else grace = setTimeout(() => call.abort(), lane.stopGraceMs);
  };
  stop.addEventListener('abort', onStop, { once: true });
  try {
    return await lane.procedure({ number, mayWait, signal: call.signal });
  } catch (error) {
    // The client says only "aborted".
    throw timedOut ? new Error(`no answer within ${lane.callTimeoutMs / 1_000} s`) : error;
  } finally {
    clearTimeout(limit);
    clearTimeout(grace);
    stop.removeEventListener('abort', onStop);
  }
}
