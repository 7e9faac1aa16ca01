import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { isTerminal } from '../status.ts';
import { type ChildRow, readChildren, readSteps, type StepRow } from './queries.ts';
import type { BudgetView, ChildView, CompositeView } from './schemas.ts';
import { type CompositeBundle, listVersions, readOwnComposite } from './view-queries.ts';

/** Revisions shown on a page. */
const VERSIONS = 100;

export type CompositeReading = CompositeBundle & {
  view: CompositeView;
  /** In the order in which they were recorded. */
  steps: StepRow[];
  /** By task id, taken-over ones of an earlier revision too. */
  children: ReadonlyMap<string, ChildRow>;
  /** What a step's child looks like on the page; null while it has none. */
  childOf(step: Pick<StepRow, 'childTaskId'>): ChildView | null;
};

/**
 * A user's composite as its page shows it, with its rows, from which its kind builds the rest: five statements, however
 * many steps and children there are.
 *
 * @throws AppError `not_found`, the same for a foreign task and for one that is no composite as for none
 */
export async function readCompositeView(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; taskId: string },
): Promise<CompositeReading> {
  const bundle = await readOwnComposite(deps.db, input);
  if (!bundle) throw new AppError('not_found', 'There is no such task.');
  const { rootId } = bundle.composite;
  const [steps, versions] = await Promise.all([
    readSteps(deps.db, input.taskId),
    listVersions(deps.db, { userId: input.userId, rootId, limit: VERSIONS }),
  ]);
  const ids = steps.flatMap(({ childTaskId }) => childTaskId ?? []);
  const children = await readChildren(deps.db, ids, input.taskId);
  return {
    ...bundle,
    view: toCompositeView(bundle, versions),
    steps,
    children,
    childOf: ({ childTaskId }) => {
      const child = childTaskId === null ? undefined : children.get(childTaskId);
      return child ? toChildView(child) : null;
    },
  };
}

function toCompositeView(
  { task, composite, hold }: CompositeBundle,
  versions: CompositeView['versions'],
): CompositeView {
  const goesOn = !isTerminal(task.status) && !task.cancelRequestedAt;
  const waits = goesOn && task.status === 'waiting' && !composite.stopRequestedAt;
  return {
    taskId: task.id,
    waitingFor: task.waitingFor,
    waitingUntil: task.waitingUntil,
    paused: composite.pausedAt !== null,
    stopRequested: composite.stopRequestedAt !== null,
    can: {
      pause: waits && composite.pausedAt === null,
      resume: waits && composite.pausedAt !== null,
      stop: waits,
      cancel: goesOn,
    },
    budget: toBudgetView(composite.estimateCredits, hold),
    revisionOf: composite.revisionOf,
    versions,
  };
}

function toBudgetView(estimateCredits: number | null, hold: CompositeBundle['hold']): BudgetView {
  const heldCredits = hold?.amountCredits ?? null;
  const spentCredits = hold?.budgetSpentCredits ?? 0;
  const freeCredits = hold?.budgetFreeCredits ?? 0;
  const openCredits = (heldCredits ?? 0) - spentCredits - freeCredits;
  return { estimateCredits, heldCredits, spentCredits, openCredits, freeCredits };
}

function toChildView({ task, hold, modelTitle, failureMessage, outputs }: ChildRow): ChildView {
  return {
    taskId: task.id,
    kind: task.kind,
    status: task.status,
    modelTitle,
    progress: task.progress,
    failure: task.failureCode === null ? null : (failureMessage ?? 'This generation failed.'),
    uncertainUntil: task.status === 'uncertain' ? task.uncertainUntil : null,
    heldCredits: hold?.amountCredits ?? 0,
    chargedCredits: hold?.capturedCredits ?? 0,
    outputs: outputs.map((output) => ({
      id: output.id,
      kind: output.kind,
      mime: output.mime,
      url: `/files/outputs/${output.id}`,
      previewUrl: output.previewKey ? `/files/outputs/${output.id}/preview` : null,
      width: output.width,
      height: output.height,
      durationMs: output.durationMs,
      removedAt: output.removedAt ?? output.trashedAt,
      isTrashed: output.trashedAt !== null && output.removedAt === null,
    })),
  };
}
