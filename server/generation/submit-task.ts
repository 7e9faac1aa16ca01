import { placeHold } from '#server/billing/holds.ts';
import { type Ordered, priceOrder } from '#server/billing/pricing.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { getUploads, markUploadsUsed } from '#server/storage/queries.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { toCandidate, usableCandidates } from './candidates.ts';
import { insertFirstEvent } from './event-queries.ts';
import { type CandidateRow, findModel, type ModelRow } from './model-queries.ts';
import { findRequestKey, insertRequestKey, insertTask } from './queries.ts';
import { canonicalHash } from './request-hash.ts';
import type { Candidate, SubmitInput, TaskSnapshot } from './schemas.ts';
import { validateParams } from './validate-params.ts';

export type Submitted = { taskId: string; created: boolean };

/**
 * Accepts a generation: request key, task, hold and due time in one transaction. The same key with the same body is
 * the same task, also when it would be refused today; with another body it is a conflict. Nothing is sent here.
 *
 * @throws AppError `bad_request`, `not_found`, `conflict`, `insufficient_credits`
 */
export async function submitTask(
  deps: Deps,
  input: SubmitInput & { userId: string; retryOf?: string },
): Promise<Submitted> {
  const { userId, requestKey, retryOf, ...body } = input;
  const bodyHash = canonicalHash({ ...body, retryOf });
  const before = await findTaskByKey(deps, { userId, requestKey, bodyHash });
  if (before) return { taskId: before, created: false };

  const order = await checkOrder(deps, input);
  const uploads = await getUploads(deps.db, userId, body.references);
  if (uploads.length !== body.references.length) {
    throw new AppError('bad_request', 'A reference file is not there any more. Upload it again.', {
      field: 'references',
    });
  }
  const taskId = deps.newId();
  const created = await deps.db.transaction(async (tx) => {
    if (!(await insertRequestKey(tx, { userId, key: requestKey, bodyHash, taskId }))) return false;
    await insertTask(tx, {
      id: taskId,
      userId,
      kind: body.kind,
      channelId: order.candidates[0].channel.id,
      modelId: order.model.id,
      giveUpMs: deps.config.giveUpMs,
      prompt: body.prompt,
      params: order.params,
      referenceIds: body.references,
      snapshot: toSnapshot(order),
      retryOf: retryOf ?? null,
    });
    await markUploadsUsed(tx, body.references);
    await placeHold(tx, {
      taskId,
      userId,
      credits: order.ordered.credits,
      reason: `Held for ${order.model.title}`,
    });
    await insertFirstEvent(tx, taskId, {
      type: 'submitted',
      actor: `user:${userId}`,
      to: 'queued',
      data: { credits: order.ordered.credits, ...(retryOf ? { retryOf } : {}) },
    });
    await crashPoint('submit.before-commit');
    return true;
  });
  if (created) {
    deps.due.wake();
    return { taskId, created };
  }
  const winner = await findTaskByKey(deps, { userId, requestKey, bodyHash });
  if (!winner) throw new AppError('unavailable', 'The same request is being handled right now. Try again.');
  return { taskId: winner, created: false };
}

async function findTaskByKey(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; requestKey: string; bodyHash: string },
): Promise<string | undefined> {
  const known = await findRequestKey(deps.db, input.userId, input.requestKey);
  if (!known) return undefined;
  if (known.bodyHash !== input.bodyHash) {
    throw new AppError(
      'conflict',
      'This request key was used for a different request. Use a new key for a new request.',
    );
  }
  return known.taskId;
}

export type Order = {
  model: ModelRow['model'];
  /** In the order in which they are tried. */
  candidates: [CandidateRow, ...CandidateRow[]];
  params: Record<string, unknown>;
  ordered: Ordered;
};

/** What would be made and what it costs. @throws AppError `not_found`, `bad_request` */
export async function checkOrder(
  deps: Pick<Deps, 'db' | 'providers' | 'clock'>,
  input: Pick<SubmitInput, 'kind' | 'model' | 'params'> & Partial<Pick<SubmitInput, 'prompt' | 'references'>>,
): Promise<Order> {
  const found = await findModel(deps.db, input.model);
  const candidates = found && usableCandidates(found, deps.providers, deps.clock.now());
  if (!found?.model.enabled || !candidates || found.model.kind !== input.kind) {
    throw new AppError(
      'not_found',
      `There is no ${input.kind} model named "${input.model}". Choose one of the list.`,
      {
        field: 'model',
      },
    );
  }
  const { model } = found;
  const promptLimit = model.maxPromptCharacters;
  if ((input.prompt?.length ?? 0) > promptLimit) {
    throw new AppError('bad_request', `This model takes at most ${promptLimit} characters of prompt.`, {
      field: 'prompt',
    });
  }
  if ((input.references?.length ?? 0) > model.maxReferences) {
    const most = model.maxReferences;
    throw new AppError(
      'bad_request',
      most === 0
        ? 'This model takes no reference files.'
        : `This model takes at most ${most} reference files.`,
      { field: 'references' },
    );
  }
  const params = validateParams(model.parameters, input.params);
  return { model, candidates, params, ordered: priceOrder(model.price, params) };
}

function toSnapshot({ model, candidates, ordered }: Order): TaskSnapshot {
  const [{ channelId: _, deadlineSeconds, ...account }, ...further] = candidates.map(toCandidate) as [
    Candidate,
    ...Candidate[],
  ];
  return {
    ...account,
    further,
    modelSlug: model.slug,
    modelTitle: model.title,
    referenceRoles: model.referenceRoles,
    price: model.price,
    orderedUnits: ordered.units,
    orderedOutputs: ordered.outputs,
    holdCredits: ordered.credits,
    createTimeoutSeconds: model.createTimeoutSeconds,
    deadlineSeconds: deadlineSeconds ?? model.deadlineSeconds,
    chargedWhenCancelled: model.chargedWhenCancelled,
  };
}
