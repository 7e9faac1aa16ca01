import type { Deps } from '#server/deps.ts';
import { redactText } from '#server/lib/redact.ts';
import type { ArtefactRef, PollOutcome, Usage } from '#server/providers/provider.ts';
import { claimLateWatches, recordLateSuccess, scheduleWatch, type Watched } from './late-watch-queries.ts';
import { leafKind } from './status.ts';
import { lookupQuery, openAccess } from './step.ts';
import { type ArtefactProblem, storeArtefacts } from './store-artefacts.ts';

const WATCH_FIRST_MS = 120_000;
const WATCH_CAP_MS = 3_600_000;
/** Looks after which a part of the results is taken for all there is. */
const PARTIAL_TRIES = 6;

/**
 * Watches dispatches whose task the policy has failed and refunded: upstream may still deliver. It may add outputs and
 * an event; never status, hold or ledger. One row's fault stops no other.
 */
export async function runLateWatchBatch(
  deps: Deps,
  input: { executorId: string; limit: number },
): Promise<{ claimed: number; delivered: number }> {
  const watched = await claimLateWatches(deps.db, input);
  let delivered = 0;
  for (const row of watched) {
    try {
      if (await watchOne(deps, row)) delivered += 1;
    } catch (error) {
      deps.logger.warn(
        { taskId: row.task.id, error: redactText(String(error)) },
        'A late watch failed; it goes on later',
      );
      await scheduleWatch(deps.db, { dispatch: row.dispatch, delayMs: delayOf(row), done: false }).catch(
        () => undefined,
      );
    }
  }
  return { claimed: watched.length, delivered };
}

async function watchOne(deps: Deps, watched: Watched): Promise<boolean> {
  const { dispatch, task } = watched;
  const found = await findArtefacts(deps, watched);
  if (found === 'never') {
    await scheduleWatch(deps.db, { dispatch, delayMs: 0, done: true });
    return false;
  }
  if (found === 'not yet' || found.artefacts.length === 0) {
    await scheduleWatch(deps.db, { dispatch, delayMs: delayOf(watched), done: false });
    return false;
  }
  const { stored, problems } = await storeArtefacts(deps, {
    taskId: task.id,
    kind: leafKind(task.kind),
    artefacts: found.artefacts,
    access: openAccess(asStep(deps, watched)),
    keySuffix: `late-${dispatch.leaseToken}`,
    late: true,
    signal: new AbortController().signal,
  });
  if (stored === 0 || isWorthAnother(deps, watched, problems)) {
    await scheduleWatch(deps.db, { dispatch, delayMs: delayOf(watched), done: false });
    return false;
  }
  await recordLateSuccess(deps.db, dispatch, {
    outputs: stored,
    artefacts: found.artefacts.length,
    usage: found.usage,
  });
  return true;
}

/** Some of the results could not be fetched, and there is time: the others are stored already and are not asked again. */
function isWorthAnother(
  deps: Pick<Deps, 'clock'>,
  watched: Watched,
  problems: readonly ArtefactProblem[],
): boolean {
  const { watchCount, watchUntil } = watched.dispatch;
  const passing = problems.some(({ type }) => type === 'transient' || type === 'storage');
  const endsAt = watchUntil?.getTime() ?? 0;
  return passing && watchCount < PARTIAL_TRIES && deps.clock.now().getTime() + 2 * delayOf(watched) < endsAt;
}

type Found = { artefacts: readonly ArtefactRef[]; usage?: Usage };

async function findArtefacts(deps: Deps, watched: Watched): Promise<Found | 'not yet' | 'never'> {
  const { dispatch } = watched;
  if (dispatch.outcome === 'done') return dispatch.artefacts ? { artefacts: dispatch.artefacts } : 'never';
  if (dispatch.outcome !== null && dispatch.outcome !== 'accepted') return 'never';
  const access = openAccess(asStep(deps, watched));
  const signal = AbortSignal.timeout(120_000);
  let ref = dispatch.pollRef;
  if (!ref && deps.providers.canLookup(access.protocol)) {
    const answer = await deps.providers.lookup(access, lookupQuery(watched.details, dispatch), { signal });
    if (answer.type === 'found') ref = answer.pollRef;
  }
  if (!ref) return 'not yet';
  const outcome: PollOutcome = await deps.providers.poll(access, ref, { dispatchId: dispatch.id, signal });
  if (outcome.type === 'succeeded') return outcome;
  return outcome.type === 'failed' || outcome.type === 'cancelled' ? 'never' : 'not yet';
}

const asStep = (deps: Deps, watched: Watched) => ({
  deps,
  claimed: { ...watched, dispatch: watched.dispatch },
});

const delayOf = (watched: Watched): number =>
  Math.min(WATCH_CAP_MS, WATCH_FIRST_MS * 2 ** Math.min(watched.dispatch.watchCount, 10));
