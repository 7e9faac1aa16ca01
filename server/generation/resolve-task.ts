import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { recordEvidence } from './dispatch-queries.ts';
import { failureEvent, knockRefund, writeFailure } from './fail-task.ts';
import { moveUnleased } from './move-queries.ts';
import { listDispatches, readAnyTask } from './queries.ts';
import type { ResolveInput } from './schemas.ts';

/**
 * An administrator's word on an uncertain task, with a reason that goes into its events. An upstream id is evidence and
 * the task is polled from then on; a confirmed failure ends it with a refund. Neither can send anything upstream.
 *
 * @throws AppError `not_found`, `conflict` when the task is not uncertain (any more) or is being worked on
 */
export async function resolveTask(deps: Deps, input: ResolveInput & { operatorId: string }): Promise<void> {
  const bundle = await readAnyTask(deps.db, input.taskId);
  if (!bundle) throw new AppError('not_found', 'There is no such task.');
  if (bundle.task.status !== 'uncertain') {
    throw new AppError('conflict', 'This task is not uncertain (any more). Reload the page.');
  }
  if (input.verdict === 'failed') await confirmFailure(deps, input);
  else await giveUpstreamId(deps, input, bundle.details.snapshot.endpoint);
  deps.due.wake();
}

async function confirmFailure(
  deps: Deps,
  input: Extract<ResolveInput, { verdict: 'failed' }> & { operatorId: string },
): Promise<void> {
  const failure = {
    code: 'resolved_by_operator' as const,
    actor: `operator:${input.operatorId}`,
    detail: input.reason,
    watchLate: true,
  };
  const moved = await deps.db.transaction(async (tx) => {
    const row = await moveUnleased(tx, {
      taskId: input.taskId,
      from: ['uncertain'],
      to: 'failed',
      set: { failureCode: failure.code },
      event: { ...failureEvent(failure), reason: `An administrator confirmed the failure: ${input.reason}` },
    });
    if (row) await writeFailure(tx, deps, input.taskId, failure);
    return row !== undefined;
  });
  if (!moved)
    throw new AppError('conflict', 'This task is being looked at right now. Try again in a moment.');
  await knockRefund(deps, input.taskId);
}

async function giveUpstreamId(
  deps: Deps,
  input: Extract<ResolveInput, { verdict: 'upstream_id' }> & { operatorId: string },
  endpoint: string,
): Promise<void> {
  const dispatch = (await listDispatches(deps.db, input.taskId)).at(-1);
  const kept =
    dispatch !== undefined &&
    (await recordEvidence(deps.db, {
      dispatchId: dispatch.id,
      taskId: input.taskId,
      from: 'operator',
      patch: {
        outcome: 'accepted',
        upstreamId: input.upstreamId,
        pollRef: { id: input.upstreamId, endpoint },
      },
      event: {
        type: 'resolved',
        actor: `operator:${input.operatorId}`,
        reason: `An administrator gave the provider’s job id: ${input.reason}`,
        data: { upstreamId: input.upstreamId },
      },
    }));
  if (!kept) {
    throw new AppError(
      'conflict',
      'The provider’s job id of this task is known already. Confirm the failure, or wait.',
    );
  }
}
