import { type AuditEntry, recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { getKeyAccess } from '#server/providers/channels/key-queries.ts';
import type { ArtefactRef, ChannelAccess } from '#server/providers/provider.ts';
import type { DetailsRow } from './claim-queries.ts';
import { type ConversationAnswer, conversationAnswer } from './conversation/schemas.ts';
import { closeByOperator, recordEvidence, watchAgain } from './dispatch-queries.ts';
import { appendEvent } from './event-queries.ts';
import { failureEvent, knockRefund, writeFailure } from './fail-task.ts';
import { jobRef } from './job-ref.ts';
import { inMs } from './lease-queries.ts';
import { moveUnleased } from './move-queries.ts';
import { saveArtefacts } from './output-queries.ts';
import { isAccountClosed, listDispatches, readAnyTask, type TaskBundle } from './queries.ts';
import type { ResolveInput, TaskSnapshot } from './schemas.ts';
import { resultWindowMs } from './step.ts';
import { replayPending } from './webhooks/replay-pending.ts';

const RECOVER_WINDOW_MS = 24 * 3_600_000;

/**
 * An administrator's word on an uncertain task, with a reason that goes into its events and the audit log. An upstream id
 * is evidence and the task is polled from then on; a result is fetched and charged; a confirmed failure ends it with a
 * refund. None of them can create anything upstream.
 *
 * @throws AppError `not_found`, `conflict` when the task is not uncertain (any more) or is being worked on, `bad_request`
 *   for a result that cannot be read
 */
export async function resolveTask(deps: Deps, input: ResolveInput & { operatorId: string }): Promise<void> {
  const bundle = await readAnyTask(deps.db, input.taskId);
  if (!bundle) throw new AppError('not_found', 'There is no such task.');
  if (bundle.task.status !== 'uncertain') {
    throw new AppError('conflict', 'This task is not uncertain (any more). Reload the page.');
  }
  if (input.verdict === 'failed') await confirmFailure(deps, input);
  else if (input.verdict === 'result') await giveResult(deps, input, bundle);
  else await giveUpstreamId(deps, input, bundle.details);
  deps.due.wake();
}

/** The result itself: it is fetched, checked and charged like any other. */
async function giveResult(
  deps: Deps,
  input: Extract<ResolveInput, { verdict: 'result' }> & { operatorId: string },
  { task, details }: TaskBundle,
): Promise<void> {
  const artefacts: ArtefactRef[] =
    task.kind === 'text'
      ? [input.text]
          .filter(Boolean)
          .map((text) => ({ type: 'text', text: details.conversation ? asAnswer(text) : text }))
      : // The key goes along where the address is the channel's own: some vendors give files to nobody else.
        input.urls.map((url) => ({ type: 'url', url, authenticated: true }));
  if (artefacts.length === 0) {
    throw new AppError(
      'bad_request',
      task.kind === 'text' ? 'Enter the text.' : 'Enter at least one address of a file.',
      { field: task.kind === 'text' ? 'text' : 'urls' },
    );
  }
  const access = await accessOf(deps, task.id, details.snapshot);
  for (const artefact of artefacts) await refuseUnreadable(deps, access, artefact);
  const moved = await deps.db.transaction(async (tx) => {
    const row = await moveUnleased(tx, {
      taskId: input.taskId,
      from: ['uncertain'],
      to: 'archiving',
      set: {
        archiveUntil: inMs(resultWindowMs({ deps, claimed: { details } }, artefacts)) as never,
        archiveTries: 0,
        errorCount: 0,
        uncertainReason: null,
        uncertainUntil: null,
      },
      event: {
        type: 'resolved',
        actor: `operator:${input.operatorId}`,
        reason: `An administrator gave the result: ${input.reason}`,
        data: { artefacts: artefacts.length },
      },
    });
    if (!row) return false;
    await saveArtefacts(tx, input.taskId, { artefacts });
    await closeByOperator(tx, { taskId: input.taskId, artefacts });
    await recordAudit(tx, auditOf(input));
    return true;
  });
  if (!moved)
    throw new AppError('conflict', 'This task is being looked at right now. Try again in a moment.');
}

/** What a composite reads as a model's answer: the words alone, unless the administrator has the calls too. */
function asAnswer(text: string): string {
  try {
    return JSON.stringify(conversationAnswer.parse(JSON.parse(text)));
  } catch {
    return JSON.stringify({ text, toolCalls: [] } satisfies ConversationAnswer);
  }
}

/** The account that the task was sent to, with the key that was used. */
async function accessOf(deps: Deps, taskId: string, snapshot: TaskSnapshot): Promise<ChannelAccess> {
  const { protocol, baseUrl, settings } = snapshot;
  const keyId = (await listDispatches(deps.db, taskId)).at(-1)?.keyId ?? snapshot.keyId;
  const apiKey = keyId ? await getKeyAccess(deps.db, deps.keyRing, keyId) : '';
  return { protocol, baseUrl, settings, apiKey };
}

/** A mistyped address would end the task for good: it has to answer with a file before anything is decided. */
async function refuseUnreadable(deps: Deps, access: ChannelAccess, artefact: ArtefactRef): Promise<void> {
  if (artefact.type !== 'url') return;
  const download = await deps.providers.download(access, artefact, { signal: AbortSignal.timeout(30_000) });
  if (download.type === 'open') {
    await download.stream[Symbol.asyncIterator]().return?.();
    return;
  }
  throw new AppError(
    'bad_request',
    `No file can be read at ${artefact.url.slice(0, 200)}: ${download.message}`,
    {
      field: 'urls',
    },
  );
}

const auditOf = (input: ResolveInput & { operatorId: string }): AuditEntry => ({
  actorId: input.operatorId,
  action: 'task.resolve',
  subjectId: input.taskId,
  reason: input.reason,
  data: { verdict: input.verdict },
});

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
    if (!row) return false;
    await writeFailure(tx, deps, input.taskId, failure);
    await recordAudit(tx, auditOf(input));
    return true;
  });
  if (!moved)
    throw new AppError('conflict', 'This task is being looked at right now. Try again in a moment.');
  await knockRefund(deps, input.taskId);
}

async function giveUpstreamId(
  deps: Deps,
  input: Extract<ResolveInput, { verdict: 'upstream_id' }> & { operatorId: string },
  details: DetailsRow,
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
        pollRef: jobRef(details, input.upstreamId),
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
  await recordAudit(deps.db, auditOf(input));
  await replayPending(deps, { ...dispatch, upstreamId: input.upstreamId });
}

/**
 * Looks again for the result of a failed task: its dispatch is watched from now on for a day. What is found becomes the
 * user's; status, hold and refund stay as they are, and pressing twice changes nothing.
 *
 * @throws AppError `not_found`, `conflict` when the task has not failed or was never sent, or when its user's account is
 *   closed
 */
export async function recoverTask(
  deps: Deps,
  input: { taskId: string; reason: string; operatorId: string },
): Promise<void> {
  const bundle = await readAnyTask(deps.db, input.taskId);
  if (!bundle) throw new AppError('not_found', 'There is no such task.');
  if (bundle.task.status !== 'failed' || bundle.task.hasOutputs) {
    throw new AppError('conflict', 'Only a failed task without a result can be recovered. Reload the page.');
  }
  const started = await deps.db.transaction(async (tx) => {
    if (!(await watchAgain(tx, { taskId: input.taskId, windowMs: RECOVER_WINDOW_MS }))) return false;
    // What was erased would come back, and nothing would erase it again.
    if (await isAccountClosed(tx, bundle.task.userId)) {
      throw new AppError(
        'conflict',
        'The account of this task’s user is closed: its files are erased and must not come back. Nothing can be recovered.',
      );
    }
    await appendEvent(tx, input.taskId, {
      type: 'recover_requested',
      actor: `operator:${input.operatorId}`,
      reason: `An administrator asked to look for the result again: ${input.reason}`,
    });
    await recordAudit(tx, {
      actorId: input.operatorId,
      action: 'task.recover',
      subjectId: input.taskId,
      reason: input.reason,
    });
    return true;
  });
  if (!started) {
    throw new AppError(
      'conflict',
      'Upstream refused this task or never received it: there is nothing to recover.',
    );
  }
  deps.due.wake();
}
