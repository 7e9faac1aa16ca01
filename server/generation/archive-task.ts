import { retryDelayMs } from '#server/lib/retry-delay.ts';
import type { ArtefactRef } from '#server/providers/provider.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { failTask } from './fail-task.ts';
import { dbNow, plusOne, releaseLease } from './lease-queries.ts';
import { saveArtefacts } from './output-queries.ts';
import { ARCHIVE_TRIES } from './poll-schedule.ts';
import { reportedUnits } from './reported-units.ts';
import { settleTask } from './settle-task.ts';
import { type FailureCode, leafKind } from './status.ts';
import { LOST, openAccess, type Step, type StepResult, same } from './step.ts';
import { type ArtefactProblem, storeArtefacts } from './store-artefacts.ts';

/**
 * Fetches what upstream made into our storage and settles by what is there. Only upstream's answers count as tries;
 * faults of our own storage alert and retry until upstream's result is gone. Nothing here can create upstream again.
 */
export async function archiveTask(step: Step): Promise<StepResult> {
  const { deps, claimed, lease } = step;
  await crashPoint('archive.before');
  const artefacts = await currentArtefacts(step);
  const { stored, problems } = await storeArtefacts(deps, {
    taskId: lease.taskId,
    kind: leafKind(claimed.task.kind),
    artefacts,
    access: openAccess(step),
    keySuffix: String(lease.token),
    late: false,
    signal: step.signal,
  });
  const waited = claimed.task.archiveUntil !== null && claimed.task.archiveUntil <= deps.clock.now();
  const ours = problems.find((problem) => problem.type === 'storage');
  if (ours && !waited) return retryLater(step, ours, { counts: false });

  const open = problems.filter((problem) => problem.type !== 'invalid');
  const nothingGiven = artefacts.length === 0;
  const triesLeft = claimed.task.archiveTries + 1 < ARCHIVE_TRIES && !waited;
  const worthAnother =
    open.length > 0 || nothingGiven || (stored === 0 && problems.length > 0 && canPollAgain(step));
  if (worthAnother && triesLeft) {
    return retryLater(step, open[0] ?? problems[0] ?? NOTHING_GIVEN, { counts: true });
  }
  if (stored > 0) {
    const result = await settleTask(step, { from: 'archiving', to: 'succeeded' });
    if (result.to === 'succeeded') await removeIncoming(step);
    return result;
  }
  return failTask(step, 'archiving', {
    code: failureOf(problems),
    detail:
      problems.map((problem) => `${problem.type}: ${problem.message}`).join('\n') || NOTHING_GIVEN.message,
    ended: {},
  });
}

const NOTHING_GIVEN: ArtefactProblem = {
  type: 'gone',
  message: 'Upstream reported success without a result.',
};

function failureOf(problems: readonly ArtefactProblem[]): FailureCode {
  const types = new Set(problems.map((problem) => problem.type));
  if (types.has('storage')) return 'storage';
  if (types.has('gone') || types.has('transient')) return 'artifact_expired';
  if (types.has('invalid')) return 'artifact_invalid';
  return 'no_artifact';
}

function canPollAgain(step: Step): boolean {
  return step.claimed.dispatch?.pollRef != null;
}

/** The saved references; after a fruitless try upstream is asked again, because a re-read may give fresh addresses. */
async function currentArtefacts(step: Step): Promise<readonly ArtefactRef[]> {
  const { deps, claimed, lease } = step;
  const saved = claimed.details.artefacts ?? [];
  const ref = claimed.dispatch?.pollRef;
  const fruitless = claimed.task.archiveTries > 0 || saved.length === 0;
  if (!fruitless || !ref || !claimed.dispatch) return saved;
  const outcome = await deps.providers.poll(openAccess(step), ref, {
    dispatchId: claimed.dispatch.id,
    signal: step.signal,
  });
  if (outcome.type !== 'succeeded' || outcome.artefacts.length < saved.length) return saved;
  await saveArtefacts(deps.db, lease.taskId, {
    artefacts: outcome.artefacts,
    reportedUnits:
      reportedUnits(outcome.usage, claimed.details.snapshot.price) ?? claimed.details.reportedUnits,
  });
  return outcome.artefacts;
}

async function retryLater(
  step: Step,
  problem: ArtefactProblem,
  input: { counts: boolean },
): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  const failures = claimed.task.errorCount + 1;
  const log = input.counts ? 'warn' : 'error';
  deps.logger[log](
    { taskId: lease.taskId, problem: problem.type, message: problem.message, failures },
    input.counts ? 'A result could not be fetched yet' : 'A result could not be stored: check the storage',
  );
  const nextDelayMs = retryDelayMs({
    failures,
    retryAfterMs: problem.type === 'transient' ? problem.retryAfterMs : undefined,
    pace: deps.config,
    random: deps.random,
  });
  const kept = await releaseLease(deps.db, {
    lease,
    nextDelayMs,
    set: {
      errorCount: plusOne('errorCount') as never,
      lastErrorClass: problem.type,
      lastErrorAt: dbNow as never,
      ...(input.counts ? { archiveTries: plusOne('archiveTries') as never } : {}),
    },
    event:
      failures === 1
        ? {
            type: 'archive_delayed',
            actor: 'executor',
            reason: input.counts ? 'The file could not be fetched yet.' : 'The file could not be stored yet.',
          }
        : undefined,
  });
  return kept ? same(nextDelayMs) : LOST;
}

/** Bytes that came in the answer are in the outputs now. */
async function removeIncoming(step: Step): Promise<void> {
  const { deps, claimed } = step;
  if (!claimed.dispatch || !claimed.details.artefacts?.some((artefact) => artefact.type === 'stored')) return;
  try {
    await deps.storage.deletePrefix(`incoming/${claimed.dispatch.id}/`);
  } catch (error) {
    deps.logger.warn(
      { taskId: step.lease.taskId, error: String(error) },
      'Incoming bytes could not be removed',
    );
  }
}
