import type { z } from 'zod';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { describeEvent } from './describe-event.ts';
import {
  listDispatches,
  listEvents,
  listReferences,
  listTasks,
  readAnyTask,
  readEmails,
  type TaskBundle,
} from './queries.ts';
import type { AdminTaskDetailView, AdminTaskPage, AdminTaskView, adminListInput } from './schemas.ts';
import { toTaskViews } from './task-views.ts';

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

/** All users' tasks, newest first, with filters. */
export async function readAdminTaskPage(
  deps: Deps,
  input: z.infer<typeof adminListInput>,
): Promise<AdminTaskPage> {
  const bundles = await listTasks(deps.db, {
    kind: input.kind,
    statuses: input.status ? [input.status] : undefined,
    cursor: input.cursor,
    userEmail: input.userEmail || undefined,
    taskId: input.taskId,
    limit: input.limit + 1,
  });
  const items = await toAdminViews(deps, bundles.slice(0, input.limit));
  return { items, nextCursor: bundles.length > input.limit ? (items.at(-1)?.id ?? null) : null };
}

/** One task with everything an operator needs: dispatches, upstream's redacted words, inner timeline. */
export async function readAdminTask(deps: Deps, taskId: string): Promise<AdminTaskDetailView> {
  const bundle = await readAnyTask(deps.db, taskId);
  const [view] = bundle ? await toAdminViews(deps, [bundle]) : [];
  if (!bundle || !view) throw new AppError('not_found', 'There is no such task.');
  const [events, references, dispatches] = await Promise.all([
    listEvents(deps.db, taskId),
    listReferences(deps.db, bundle.details.referenceIds),
    listDispatches(deps.db, taskId),
  ]);
  return {
    ...view,
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
    })),
  };
}
