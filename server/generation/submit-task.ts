import { placeHold } from '#server/billing/holds.ts';
import { type Ordered, priceOrder } from '#server/billing/pricing.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { getUploads, markUploadsUsed } from '#server/storage/queries.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { insertFirstEvent } from './event-queries.ts';
import { findModel, findRequestKey, insertRequestKey, insertTask, type ModelRow } from './queries.ts';
import { canonicalHash } from './request-hash.ts';
import type { SubmitInput, TaskSnapshot } from './schemas.ts';
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
      channelId: order.model.channel.id,
      modelId: order.model.model.id,
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
      reason: `Held for ${order.model.model.title}`,
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

export type Order = { model: ModelRow; params: Record<string, unknown>; ordered: Ordered };

/** What would be made and what it costs. @throws AppError `not_found`, `bad_request` */
export async function checkOrder(
  deps: Pick<Deps, 'db' | 'providers'>,
  input: Pick<SubmitInput, 'kind' | 'model' | 'params'> & Partial<Pick<SubmitInput, 'prompt' | 'references'>>,
): Promise<Order> {
  const model = await findModel(deps.db, input.model);
  const usable =
    model?.model.enabled &&
    model.channel.enabled &&
    deps.providers.has(model.channel.protocol, model.model.endpoint);
  if (!model || !usable || model.model.kind !== input.kind) {
    throw new AppError(
      'not_found',
      `There is no ${input.kind} model named "${input.model}". Choose one of the list.`,
      {
        field: 'model',
      },
    );
  }
  const promptLimit = model.model.maxPromptCharacters;
  if ((input.prompt?.length ?? 0) > promptLimit) {
    throw new AppError('bad_request', `This model takes at most ${promptLimit} characters of prompt.`, {
      field: 'prompt',
    });
  }
  if ((input.references?.length ?? 0) > model.model.maxReferences) {
    const most = model.model.maxReferences;
    throw new AppError(
      'bad_request',
      most === 0
        ? 'This model takes no reference files.'
        : `This model takes at most ${most} reference files.`,
      { field: 'references' },
    );
  }
  const params = validateParams(model.model.parameters, input.params);
  return { model, params, ordered: priceOrder(model.model.price, params) };
}

function toSnapshot({ model: { model, channel, keyId }, ordered }: Order): TaskSnapshot {
  return {
    modelSlug: model.slug,
    modelTitle: model.title,
    upstreamModel: model.upstreamModel,
    endpoint: model.endpoint,
    protocol: channel.protocol,
    baseUrl: channel.baseUrl,
    keyId,
    price: model.price,
    orderedUnits: ordered.units,
    orderedOutputs: ordered.outputs,
    holdCredits: ordered.credits,
    createTimeoutSeconds: model.createTimeoutSeconds,
    deadlineSeconds: model.deadlineSeconds,
    chargedWhenCancelled: model.chargedWhenCancelled,
  };
}
