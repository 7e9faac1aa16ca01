import type { Deps } from '#server/deps.ts';
import { floorShare } from '#server/lib/money.ts';
import { type ChildCounts, countChildren } from './composite/cap-queries.ts';
import { whyCompositeWaits } from './composite/why-waiting.ts';
import { failureReason } from './failure-messages.ts';
import { readModelTimes } from './model-times.ts';
import { type Blockers, readBlockers, type TaskBundle } from './queries.ts';
import { readQueuePositions } from './queue-queries.ts';
import type { MoneyView, OutputView, TaskSnapshot, TaskView } from './schemas.ts';
import { isComposite, isTerminal, type Status } from './status.ts';
import { type WaitingReason, waitingSentence } from './waiting-sentences.ts';
import { whyNotRunning } from './why-not-running.ts';

/** What a view needs of other rows than the task's own. */
type Around = {
  blockers: Blockers | undefined;
  counts: ChildCounts | undefined;
  queuePosition: number | undefined;
  typicalSeconds: number | undefined;
};

/**
 * Views of tasks, with what is around them (reasons for waiting, places in line, typical times) read in one statement
 * each for all of them.
 */
export async function toTaskViews(deps: Deps, bundles: readonly TaskBundle[]): Promise<TaskView[]> {
  const live = bundles.filter(({ task }) => !isTerminal(task.status));
  const idsOf = (status: Status) =>
    live.filter(({ task }) => task.status === status).map(({ task }) => task.id);
  const [blockers, counts, places, times] = await Promise.all([
    readBlockers(
      deps.db,
      live.map(({ task }) => task.id),
      deps.config.userInFlight,
    ),
    countChildren(deps.db, idsOf('waiting')),
    readQueuePositions(deps.db, idsOf('queued')),
    live.length === 0 ? undefined : readModelTimes(deps),
  ]);
  return bundles.map((bundle) => {
    const { id } = bundle.task;
    return toTaskView(deps, bundle, {
      blockers: blockers.get(id),
      counts: counts.get(id),
      queuePosition: places.get(id),
      typicalSeconds: times?.get(bundle.details.snapshot.modelSlug)?.p50Seconds,
    });
  });
}

function toTaskView(deps: Deps, bundle: TaskBundle, around: Around): TaskView {
  const { task, details } = bundle;
  const waitingReason = whyWaiting(deps, bundle, around);
  return {
    id: task.id,
    kind: task.kind,
    parentId: task.parentId,
    status: task.status,
    version: task.version,
    model: { slug: details.snapshot.modelSlug, title: details.snapshot.modelTitle },
    prompt: details.prompt,
    params: details.params,
    progress: task.progress,
    cancelRequested: task.cancelRequestedAt !== null,
    cancel: cancelMeaning(deps, bundle),
    canRetry: isTerminal(task.status) && !isComposite(task.kind) && task.parentId === null,
    failure: failureOf(bundle),
    uncertain:
      task.status === 'uncertain' && task.uncertainReason && task.uncertainUntil
        ? { reason: task.uncertainReason, until: task.uncertainUntil }
        : null,
    waiting: waitingReason && waitingSentence(waitingReason),
    waitingReason,
    expectedSeconds:
      isTerminal(task.status) || isComposite(task.kind) ? null : (around.typicalSeconds ?? null),
    queuePosition: task.cancelRequestedAt ? null : (around.queuePosition ?? null),
    outputs: bundle.outputs.map(toOutputView),
    orderedOutputs: details.snapshot.orderedOutputs,
    money: toMoneyView(bundle),
    retryOf: details.retryOf,
    submittedAt: task.submittedAt,
    finishedAt: task.finishedAt,
  };
}

function whyWaiting(
  deps: Deps,
  { task, details }: TaskBundle,
  { blockers, counts }: Around,
): WaitingReason | null {
  if (isComposite(task.kind)) return whyCompositeWaits(task, counts, deps.config);
  return whyNotRunning(task, blockers, {
    now: deps.clock.now(),
    isLookedUp: deps.providers.canLookup(details.snapshot.protocol),
  });
}

function failureOf({ task, details }: TaskBundle): TaskView['failure'] {
  if (task.failureCode === null) return null;
  const message = details.failureMessage ?? 'This generation failed.';
  return { code: task.failureCode, message, reason: failureReason(task.failureCode, message) };
}

function cancelMeaning(deps: Deps, { task, details }: TaskBundle): TaskView['cancel'] {
  if (isTerminal(task.status) || task.cancelRequestedAt) return 'none';
  if (task.status === 'archiving' && !isComposite(task.kind)) return 'none';
  if (task.status === 'queued') return 'free';
  if (isComposite(task.kind)) return 'request';
  return deps.providers.canCancel(details.snapshot.protocol, details.snapshot.endpoint)
    ? 'request'
    : 'unsupported';
}

function toOutputView(output: TaskBundle['outputs'][number]): OutputView {
  return {
    id: output.id,
    ordinal: output.ordinal,
    kind: output.kind,
    mime: output.mime,
    bytes: output.bytes,
    width: output.width,
    height: output.height,
    durationMs: output.durationMs,
    url: `/files/outputs/${output.id}`,
    previewUrl: output.previewKey ? `/files/outputs/${output.id}/preview` : null,
    late: output.late,
    removedAt: output.removedAt ?? output.trashedAt,
    isTrashed: output.trashedAt !== null && output.removedAt === null,
  };
}

/** Money as hold and refund row record it; "refunded" only once the ledger has it. */
function toMoneyView({ task, hold, refund, details }: TaskBundle): MoneyView {
  const heldCredits = hold?.amountCredits ?? details.snapshot.holdCredits;
  const base = {
    heldCredits,
    chargedCredits: (hold?.status === 'held' && hold.budgetSpentCredits) || (hold?.capturedCredits ?? 0),
    returnedCredits: hold?.returnedCredits ?? 0,
  };
  switch (hold?.status) {
    case 'captured':
      return base.returnedCredits > 0
        ? {
            ...base,
            state: 'partly_charged',
            ...(isComposite(task.kind) ? {} : { part: chargedPart(details.snapshot, base.chargedCredits) }),
          }
        : { ...base, state: 'charged' };
    case 'refunded':
      return { ...base, state: 'refunded' };
    case 'refunding':
      return { ...base, state: refund?.status === 'manual' ? 'refund_manual' : 'refund_pending' };
    case 'held':
      return { ...base, state: 'held' };
    case undefined:
      return { ...base, state: isComposite(task.kind) ? 'none' : 'held' };
  }
}

/** A hold is whole units × credits of one, and so is what is charged of it. */
function chargedPart(
  { price, orderedUnits, holdCredits }: TaskSnapshot,
  chargedCredits: number,
): MoneyView['part'] {
  const chargedUnits = floorShare(orderedUnits, chargedCredits, holdCredits);
  return { unit: price.unit, chargedUnits, orderedUnits };
}
