import { redactText, redactValue } from '#server/lib/redact.ts';
import { reserveCreateSlot } from '#server/providers/channels/queries.ts';
import type { ChannelAccess, CreateOutcome, CreateRequest } from '#server/providers/provider.ts';
import { getUploads } from '#server/storage/queries.ts';
import { toReferenceFile } from '#server/storage/uploads.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { applyDispatch } from './apply-dispatch.ts';
import type { DispatchRow } from './claim-queries.ts';
import { costColumns } from './cost/record-cost.ts';
import {
  closeUnsentDispatch,
  insertDispatch,
  markDispatchSent,
  type OutcomePatch,
  readDispatchById,
  recordEvidence,
} from './dispatch-queries.ts';
import { failTask } from './fail-task.ts';
import { hasRoomInFlight } from './in-flight-queries.ts';
import { notCancelled, plusOne, releaseLease } from './lease-queries.ts';
import { moveLeased } from './move-queries.ts';
import { CREATE_TRIES } from './poll-schedule.ts';
import type { PriceRule } from './price/schemas.ts';
import { roleAt } from './reference-media.ts';
import { reportedUnits } from './reported-units.ts';
import { settleTask } from './settle-task.ts';
import { leafKind } from './status.ts';
import { LOST, openAccess, type Step, type StepResult, same } from './step.ts';
import { replayPending } from './webhooks/replay-pending.ts';
import { webhookUrl } from './webhooks/webhook-url.ts';

/**
 * Sends a queued task to its upstream: `intent` committed, `sent` committed, then the one call. Every write before the
 * call is fenced; the answer goes to the dispatch row whatever became of the lease.
 */
export async function dispatchTask(step: Step): Promise<StepResult> {
  const { deps, claimed } = step;
  const { task } = claimed;
  if (task.cancelRequestedAt) {
    return cancelUnsent(step);
  }
  if (task.createTries >= CREATE_TRIES || task.giveUpAt <= deps.clock.now()) {
    return failTask(step, 'queued', {
      code: task.createTries === 0 || task.lastErrorClass === 'internal' ? 'cannot_run' : 'gave_up',
    });
  }
  const waitMs = await placeFor(step);
  if (waitMs > 0) {
    const kept = await releaseLease(deps.db, { lease: step.lease, nextDelayMs: waitMs });
    return kept ? same(waitMs) : LOST;
  }
  const dispatch = await openDispatch(step);
  if (dispatch === 'full') {
    // Due at once: claims pass it over while the user's limit is reached.
    return (await releaseLease(deps.db, { lease: step.lease, nextDelayMs: 0 })) ? same(0) : LOST;
  }
  // The lease is lost, and nothing more is written, or a cancel came after the claim.
  if (!dispatch) return cancelUnsent(step);
  await crashPoint('dispatch.after-intent');

  const prepared = await prepare(step);
  if ('problem' in prepared) {
    deps.logger.error({ taskId: task.id, error: prepared.problem }, 'Task cannot be sent');
    const { problem } = prepared;
    await closeUnsentDispatch(deps.db, { dispatchId: dispatch.id, from: 'call', problem });
    return applyDispatch(step, {
      ...dispatch,
      outcome: 'not_sent',
      errorCode: 'prepare',
      errorMessage: problem,
    });
  }
  await crashPoint('dispatch.before-sent');
  // A drain, or a lease that could not be confirmed: the row goes back and nothing is sent.
  step.signal.throwIfAborted();
  const sent = await passGate(step, dispatch);
  if (sent !== 'sent') return sent;
  await crashPoint('dispatch.after-sent');

  const outcome = await callCreate(step, dispatch, prepared);
  await crashPoint('dispatch.after-create');
  const known = await keepEvidence(step, dispatch, outcome);
  await crashPoint('dispatch.after-evidence');
  return known ? applyDispatch(step, known) : LOST;
}

const cancelUnsent = (step: Step): Promise<StepResult> =>
  settleTask(step, { from: 'queued', to: 'cancelled', reason: 'Cancelled before it was sent.' });

/** Milliseconds to wait for a place of the channel's pacer, 0 when one was taken; those who wait do not come together. */
async function placeFor({ deps, claimed }: Step): Promise<number> {
  const waitMs = await reserveCreateSlot(deps.db, claimed.task.channelId);
  return waitMs === 0 ? 0 : Math.ceil(waitMs * (1 + deps.random() / 4));
}

/** `full`: as many of the user's tasks are under way as may be. Null: the row is not this holder's to move. */
async function openDispatch(step: Step): Promise<DispatchRow | 'full' | null> {
  const { deps, claimed, lease } = step;
  const { userId } = claimed.task;
  return deps.db.transaction(async (tx) => {
    if (!(await hasRoomInFlight(tx, { userId, userInFlight: deps.config.userInFlight }))) return 'full';
    const row = await moveLeased(tx, {
      lease,
      from: 'queued',
      to: 'dispatching',
      keepLease: true,
      and: notCancelled,
      set: { createTries: plusOne('createTries') as never },
      event: { type: 'dispatching', actor: 'executor', data: { number: claimed.task.createTries + 1 } },
    });
    if (!row) return null;
    const { snapshot, params } = claimed.details;
    const cost = await costColumns(tx, { task: row, snapshot, params });
    return insertDispatch(tx, { id: deps.newId(), task: row, lease, keyId: claimed.key?.id ?? null, cost });
  });
}

type Prepared = { access: ChannelAccess; request: CreateRequest };

/** Everything that can fail on our side fails here, before the row is `sent`. */
async function prepare(step: Step): Promise<Prepared | { problem: string }> {
  const { deps, claimed } = step;
  const { details, task } = claimed;
  try {
    const access = openAccess(step);
    if (!deps.providers.has(access.protocol, details.snapshot.endpoint)) {
      return { problem: `No adapter for ${access.protocol}/${details.snapshot.endpoint}` };
    }
    const uploads = await getUploads(deps.db, task.userId, details.referenceIds);
    if (uploads.length !== details.referenceIds.length) return { problem: 'A reference file is gone' };
    return {
      access,
      request: {
        kind: leafKind(task.kind),
        endpoint: details.snapshot.endpoint,
        model: details.snapshot.upstreamModel,
        prompt: details.prompt,
        params: details.params,
        ...(details.conversation ? { conversation: details.conversation } : {}),
        references: uploads.map((upload, index) =>
          toReferenceFile(deps.storage, upload, roleAt(details.snapshot.referenceRoles ?? [], index)),
        ),
      },
    };
  } catch (error) {
    return { problem: redactText(error instanceof Error ? error.message : String(error)) };
  }
}

/** `intent → sent`. When the acknowledgement is lost, this holder, who made no call, proves `not_sent`. */
async function passGate(step: Step, dispatch: DispatchRow): Promise<'sent' | StepResult> {
  const { deps, lease } = step;
  let passed: boolean;
  try {
    passed = await markDispatchSent(deps.db, { dispatchId: dispatch.id, lease });
  } catch (error) {
    deps.logger.warn(
      { taskId: lease.taskId, error: String(error) },
      'The commit before a create was not confirmed; no call is made',
    );
    await proveNotSent(step, dispatch);
    return LOST;
  }
  if (passed) return 'sent';
  // The lease is lost, or a cancel came: nobody has sent it, so it may be closed as such.
  if (!(await closeUnsentDispatch(deps.db, { dispatchId: dispatch.id, from: 'call' }))) return LOST;
  return applyDispatch(step, { ...dispatch, outcome: 'not_sent', errorMessage: 'Not sent' });
}

async function proveNotSent(step: Step, dispatch: DispatchRow): Promise<void> {
  await insist(step, 'not_sent', () =>
    recordEvidence(step.deps.db, {
      dispatchId: dispatch.id,
      taskId: step.lease.taskId,
      from: 'call',
      patch: {
        outcome: 'not_sent',
        errorMessage: 'The commit before the call was not confirmed; no call was made.',
      },
    }),
  );
}

async function callCreate(step: Step, dispatch: DispatchRow, prepared: Prepared): Promise<CreateOutcome> {
  const { deps, claimed } = step;
  step.setCreating(true);
  try {
    // Never aborted by a lost lease or a drain: whatever upstream answers is evidence.
    return await deps.providers.create(prepared.access, prepared.request, {
      dispatchId: dispatch.id,
      timeoutMs: claimed.details.snapshot.createTimeoutSeconds * 1000,
      signal: new AbortController().signal,
      webhookUrl: webhookUrl(deps, { channelId: dispatch.channelId, dispatchId: dispatch.id }),
    });
  } catch (error) {
    return { type: 'uncertain', evidence: { error: redactText(String(error)) } };
  }
}

/** Writes the answer to the dispatch row, insisting while the database is away; returns the row as it then stands. */
async function keepEvidence(
  step: Step,
  dispatch: DispatchRow,
  outcome: CreateOutcome,
): Promise<DispatchRow | undefined> {
  const { deps, lease } = step;
  try {
    const patch = outcomePatch(outcome, step.claimed.details.snapshot.price, deps.clock.now());
    await insist(step, outcome.type, async () => {
      await recordEvidence(deps.db, {
        dispatchId: dispatch.id,
        taskId: lease.taskId,
        from: 'call',
        patch,
        knower: lease,
      });
    });
    const kept = await readDispatchById(deps.db, dispatch.id);
    if (kept) await replayPending(deps, kept);
    return kept;
  } finally {
    step.setCreating(false);
    deps.due.wake();
  }
}

/** Tries a write for up to ten minutes: an upstream id that we were given must not be lost to a database restart. */
async function insist(step: Step, what: string, write: () => Promise<unknown>): Promise<void> {
  const { deps, lease } = step;
  const endsAt = performance.now() + 600_000;
  for (let failures = 1; ; failures += 1) {
    try {
      await write();
      return;
    } catch (error) {
      deps.logger.error(
        { taskId: lease.taskId, what, failures, error: redactText(String(error)) },
        'Evidence of a create call could not be saved yet; trying again',
      );
      if (performance.now() > endsAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 100 * 2 ** Math.min(failures, 10))));
    }
  }
}

function outcomePatch(outcome: CreateOutcome, price: PriceRule, endedAt: Date): OutcomePatch {
  switch (outcome.type) {
    case 'accepted':
      return {
        outcome: 'accepted',
        upstreamId: outcome.upstreamId,
        pollRef: outcome.pollRef,
        rawResult: redactValue(outcome.raw ?? null),
      };
    case 'done':
      return {
        outcome: 'done',
        artefacts: outcome.artefacts,
        reportedUnits: reportedUnits(outcome.usage, price),
        usage: outcome.usage ?? null,
        rawResult: redactValue(outcome.raw ?? null),
      };
    case 'rejected':
      return {
        outcome: 'rejected',
        errorCode: outcome.moderated ? 'moderated' : outcome.code.slice(0, 200),
        rejectionScope: outcome.moderated ? 'request' : (outcome.scope ?? 'request'),
        errorMessage: redactText(outcome.message).slice(0, 2_000),
        rawResult: redactValue(outcome.raw ?? null),
      };
    case 'rate_limited':
      return {
        outcome: 'rate_limited',
        retryAfterMs: outcome.retryAfterMs ?? null,
        errorMessage: redactText(outcome.message).slice(0, 2_000),
      };
    case 'not_sent':
      return {
        outcome: 'not_sent',
        errorCode: outcome.phase,
        errorMessage: redactText(outcome.message).slice(0, 2_000),
      };
    case 'uncertain':
      // The request may have reached upstream until this moment: a look-up's grace counts from here.
      return { evidence: { ...asObject(redactValue(outcome.evidence)), endedAt: endedAt.toISOString() } };
  }
}

const asObject = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : { said: value };
