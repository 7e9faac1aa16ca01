import type { Deps } from '#server/deps.ts';
import { type ModelTimes, readTimesBySlug } from './model-queries.ts';

const FRESH_MS = 60_000;

type Kept = { atMs: number; times: Promise<ReadonlyMap<string, ModelTimes>> };

/** By database: a process has one, tests have several. */
const kept = new WeakMap<object, Kept>();

/**
 * Typical seconds from submit to result by the slug of the model, over the latest successes; a model that has none is not
 * in it. Read once a minute per process, however many pages ask.
 */
export function readModelTimes(deps: Pick<Deps, 'db' | 'clock'>): Promise<ReadonlyMap<string, ModelTimes>> {
  const nowMs = deps.clock.now().getTime();
  const before = kept.get(deps.db);
  if (before && Math.abs(nowMs - before.atMs) < FRESH_MS) return before.times;
  const times = readTimesBySlug(deps.db);
  kept.set(deps.db, { atMs: nowMs, times });
  // What failed is asked for again by the next page.
  times.catch(() => kept.delete(deps.db));
  return times;
}
