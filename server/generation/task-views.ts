import type { Deps } from '#server/deps.ts';
import { type Blockers, readBlockers, type TaskBundle } from './queries.ts';
import type { MoneyView, OutputView, TaskView } from './schemas.ts';
import { isTerminal } from './status.ts';
import { whyNotRunning } from './why-not-running.ts';

/** Views of tasks, with the reasons for waiting read in one statement for all of them. */
export async function toTaskViews(deps: Deps, bundles: readonly TaskBundle[]): Promise<TaskView[]> {
  const live = bundles.filter(({ task }) => !isTerminal(task.status)).map(({ task }) => task.id);
  const blockers = await readBlockers(deps.db, live, deps.config.userInFlight);
  return bundles.map((bundle) => toTaskView(deps, bundle, blockers.get(bundle.task.id)));
}

function toTaskView(deps: Deps, bundle: TaskBundle, blockers: Blockers | undefined): TaskView {
  const { task, details } = bundle;
  return {
    id: task.id,
    kind: task.kind,
    status: task.status,
    version: task.version,
    model: { slug: details.snapshot.modelSlug, title: details.snapshot.modelTitle },
    prompt: details.prompt,
    params: details.params,
    progress: task.progress,
    cancelRequested: task.cancelRequestedAt !== null,
    cancel: cancelMeaning(deps, bundle),
    canRetry: isTerminal(task.status),
    failure:
      task.failureCode === null
        ? null
        : { code: task.failureCode, message: details.failureMessage ?? 'This generation failed.' },
    uncertain:
      task.status === 'uncertain' && task.uncertainReason && task.uncertainUntil
        ? { reason: task.uncertainReason, until: task.uncertainUntil }
        : null,
    waiting: whyNotRunning(task, blockers, {
      now: deps.clock.now(),
      userInFlightCap: deps.config.userInFlight,
      isLookedUp: deps.providers.canLookup(details.snapshot.protocol),
    }),
    outputs: bundle.outputs.map(toOutputView),
    orderedOutputs: details.snapshot.orderedOutputs,
    money: toMoneyView(bundle),
    retryOf: details.retryOf,
    submittedAt: task.submittedAt,
    finishedAt: task.finishedAt,
  };
}

function cancelMeaning(deps: Deps, { task, details }: TaskBundle): TaskView['cancel'] {
  if (isTerminal(task.status) || task.status === 'archiving' || task.cancelRequestedAt) return 'none';
  if (task.status === 'queued') return 'free';
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
  };
}

/** Money as hold and refund row record it; "refunded" only once the ledger has it. */
function toMoneyView({ hold, refund, details }: TaskBundle): MoneyView {
  const heldCredits = hold?.amountCredits ?? details.snapshot.holdCredits;
  const base = {
    heldCredits,
    chargedCredits: hold?.capturedCredits ?? 0,
    returnedCredits: hold?.returnedCredits ?? 0,
  };
  switch (hold?.status) {
    case 'captured':
      return { ...base, state: base.returnedCredits > 0 ? 'partly_charged' : 'charged' };
    case 'refunded':
      return { ...base, state: 'refunded' };
    case 'refunding':
      return { ...base, state: refund?.status === 'manual' ? 'refund_manual' : 'refund_pending' };
    case 'held':
    case undefined:
      return { ...base, state: 'held' };
  }
}
