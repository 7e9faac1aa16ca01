import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { cursorOf, pageOf } from '#server/lib/list-page.ts';
import { findTaskIds, listChoices } from './admin/list-queries.ts';
import type { AdminTasksInput, TaskChoices } from './admin/schemas.ts';
import type { DispatchRow } from './claim-queries.ts';
import { listChildTasks } from './composite/view-queries.ts';
import { describeEvent } from './describe-event.ts';
import {
  listDispatches,
  listEvents,
  listReferences,
  listTasksByIds,
  readAnyTask,
  readEmails,
  type TaskBundle,
} from './queries.ts';
import type { AdminTaskDetailView, AdminTaskPage, AdminTaskView, DispatchView } from './schemas.ts';
import { isComposite } from './status.ts';
import { toTaskViews } from './task-views.ts';

/** Children of a composite that its page lists. */
const CHILDREN = 200;

async function toAdminViews(deps: Deps, bundles: readonly TaskBundle[]): Promise<AdminTaskView[]> {
  const [views, emails] = await Promise.all([
    toTaskViews(deps, bundles),
    readEmails(
      deps.db,
      bundles.map(({ task }) => task.userId),
    ),
  ]);
  return views.map((view, index) => {
    const task = bundles[index]?.task;
    return {
      ...view,
      userEmail: task ? (emails.get(task.userId) ?? '') : '',
      nextDueAt: task?.nextPollAt ?? null,
      leaseUntil: task?.leaseUntil ?? null,
      workerId: task?.workerId ?? null,
      errorCount: task?.errorCount ?? 0,
      lastErrorClass: task?.lastErrorClass ?? null,
      upstreamStatus: task?.upstreamStatus ?? null,
    };
  });
}

/**
 * All users' tasks, with filters, in the order asked for. A page that had to look through many tasks may have fewer rows
 * than asked for, and more behind it.
 */
export async function readAdminTaskPage(deps: Deps, input: AdminTasksInput): Promise<AdminTaskPage> {
  const { found, lookedTo } = await findTaskIds(deps.db, { ...input, limit: input.limit + 1 });
  const { rows, nextCursor } = pageOf(found, input.limit);
  const bundles = await listTasksByIds(
    deps.db,
    rows.map(({ id }) => id),
  );
  return {
    items: await toAdminViews(deps, bundles),
    nextCursor: nextCursor ?? (lookedTo && cursorOf(lookedTo)),
  };
}

/** Models and channels to filter tasks by. */
export function readTaskChoices(deps: Pick<Deps, 'db'>): Promise<TaskChoices> {
  return listChoices(deps.db);
}

const costOfDispatch = ({
  costCurrency,
  costMicros,
  costOrderedMicros,
  costFrom,
}: DispatchRow): DispatchView['cost'] =>
  costCurrency === null
    ? null
    : { currency: costCurrency, micros: costMicros, orderedMicros: costOrderedMicros, from: costFrom };

/** One task with everything an operator needs: dispatches, upstream's redacted words, inner timeline. */
export async function readAdminTask(deps: Deps, taskId: string): Promise<AdminTaskDetailView> {
  const bundle = await readAnyTask(deps.db, taskId);
  const [view] = bundle ? await toAdminViews(deps, [bundle]) : [];
  if (!bundle || !view) throw new AppError('not_found', 'There is no such task.');
  const [events, references, dispatches, started] = await Promise.all([
    listEvents(deps.db, taskId),
    listReferences(deps.db, bundle.details.referenceIds),
    listDispatches(deps.db, taskId),
    isComposite(bundle.task.kind)
      ? listChildTasks(deps.db, { parentId: taskId, limit: CHILDREN })
      : { children: [], childCount: 0 },
  ]);
  return {
    ...view,
    ...started,
    events: events.map((event) => describeEvent(event, 'admin')),
    references,
    failureDetail: bundle.details.failureDetail,
    rawResult: bundle.details.rawResult,
    dispatches: dispatches.map((dispatch) => ({
      id: dispatch.id,
      number: dispatch.number,
      phase: dispatch.phase,
      outcome: dispatch.outcome,
      evidenceFrom: dispatch.evidenceFrom,
      evidence: dispatch.evidence,
      upstreamId: dispatch.upstreamId,
      errorCode: dispatch.errorCode,
      errorMessage: dispatch.errorMessage,
      createdAt: dispatch.createdAt,
      sentAt: dispatch.sentAt,
      outcomeAt: dispatch.outcomeAt,
      nextWatchAt: dispatch.nextWatchAt,
      watchUntil: dispatch.watchUntil,
      cost: costOfDispatch(dispatch),
    })),
  };
}
