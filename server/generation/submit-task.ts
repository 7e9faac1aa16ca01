import { placeHold } from '#server/billing/holds.ts';
import { type Ordered, priceOrder } from '#server/billing/pricing.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { checkIntake } from '#server/operations/check-intake.ts';
import { importOutput } from '#server/storage/import-output.ts';
import { getUploads, markUploadsUsed } from '#server/storage/queries.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { toCandidate, usableCandidates } from './candidates.ts';
import type { Conversation } from './conversation/schemas.ts';
import { insertFirstEvent } from './event-queries.ts';
import { type CandidateRow, findModel, type ModelRow } from './model-queries.ts';
import { textBytes, utf8Bytes } from './price/shared.ts';
import { insertRequestKey, insertTask } from './queries.ts';
import { roleAt } from './reference-media.ts';
import { canonicalHash } from './request-hash.ts';
import { answerSubmit, findTaskByKey, referenceGone, type Submitted } from './request-key.ts';
import type { Candidate, QuoteInput, SubmitInput, TaskSnapshot } from './schemas.ts';
import type { ReferenceRole } from './status.ts';
import { validateParams } from './validate-params.ts';

/**
 * Accepts a generation: request key, task, hold and due time in one transaction. The same key with the same body is
 * the same task, also when it would be refused today; with another body it is a conflict. Nothing is sent here.
 *
 * @throws AppError `bad_request`, `not_found`, `conflict`, `insufficient_credits`, `forbidden` past a limit of the cost guard,
 * `unprocessable` when it costs more than was quoted, `unavailable` while its kind is paused
 */
export async function submitTask(
  deps: Deps,
  input: SubmitInput & { userId: string; retryOf?: string },
): Promise<Submitted> {
  const { userId, requestKey, retryOf, quotedCredits, ...body } = input;
  const bodyHash = canonicalHash({ ...body, retryOf });
  const before = await findTaskByKey(deps, { userId, requestKey, bodyHash });
  if (before) return { taskId: before, created: false };

  await checkIntake(deps, body);
  const order = await checkOrder(deps, input);
  refuseDearer(order.ordered.credits, quotedCredits);
  const references = await resolveReferences(deps, { userId, ids: body.references });
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
      referenceIds: references,
      snapshot: toSnapshot(order),
      retryOf: retryOf ?? null,
    });
    await crashPoint('submit.after-task');
    if (!(await markUploadsUsed(tx, references))) throw referenceGone();
    await placeHold(tx, {
      taskId,
      userId,
      credits: order.ordered.credits,
      reason: `Held for ${order.model.title}`,
    });
    await crashPoint('submit.after-hold');
    await insertFirstEvent(tx, taskId, {
      type: 'submitted',
      actor: `user:${userId}`,
      to: 'queued',
      data: { credits: order.ordered.credits, ...(retryOf ? { retryOf } : {}) },
    });
    await crashPoint('submit.before-commit');
    return true;
  });
  return answerSubmit(deps, { taskId, created }, { userId, requestKey, bodyHash });
}

/**
 * Upload ids of what an order refers to, in its order: a result is copied into an upload, once for all orders.
 *
 * @throws AppError `bad_request` for what is neither an upload nor a result of this person
 */
async function resolveReferences(
  deps: Deps,
  { userId, ids }: { userId: string; ids: readonly string[] },
): Promise<string[]> {
  const known = new Set((await getUploads(deps.db, userId, ids)).map(({ id }) => id));
  const resolved: string[] = [];
  for (const id of ids)
    resolved.push(known.has(id) ? id : await copyOfOutput(deps, { userId, outputId: id }));
  return resolved;
}

async function copyOfOutput(deps: Deps, input: { userId: string; outputId: string }): Promise<string> {
  try {
    return await importOutput(deps, input);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') throw referenceGone();
    throw error;
  }
}

/** A price that was raised between the quote and the submit is for the sender to see first. */
function refuseDearer(credits: number, quotedCredits: number | undefined): void {
  if (quotedCredits === undefined || credits <= quotedCredits) return;
  throw new AppError(
    'unprocessable',
    `The price has changed: this costs ${credits} credits now, not ${quotedCredits}. Look at it and send it again.`,
  );
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
  input: QuoteInput & Partial<Pick<SubmitInput, 'prompt' | 'references'>> & { conversation?: Conversation },
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
  refuseLastAlone(model.referenceRoles, input.references?.length ?? 0);
  const params = validateParams(model.parameters, input.params);
  return {
    model,
    candidates,
    params,
    ordered: priceParams(model, params, bytesOf(input, promptLimit)),
  };
}

/** A model that has both frames ends on the last one only after a first one; the places of the files say which they are. */
function refuseLastAlone(roles: readonly ReferenceRole[], files: number): void {
  const given = Array.from({ length: files }, (_, place) => roleAt(roles, place));
  if (!given.includes('last_frame') || given.includes('first_frame') || !roles.includes('first_frame'))
    return;
  throw new AppError('bad_request', 'A last frame needs a first one. Add the first frame, too.', {
    field: 'references',
  });
}

/** A conversation holds all that is sent. A quote without a prompt counts the longest one: 3 bytes for each of its characters. */
function bytesOf(
  input: Pick<QuoteInput, 'promptBytes'> & { prompt?: string; conversation?: Conversation },
  promptLimit: number,
): number {
  if (input.conversation !== undefined) return utf8Bytes(JSON.stringify(input.conversation));
  if (input.prompt !== undefined) return utf8Bytes(input.prompt);
  return Math.min(input.promptBytes ?? Number.POSITIVE_INFINITY, 3 * promptLimit);
}

/** @throws AppError `bad_request` for an order that is too large for a price */
function priceParams(
  { price, parameters }: ModelRow['model'],
  params: Record<string, unknown>,
  promptBytes: number,
): Ordered {
  try {
    return priceOrder(price, params, promptBytes + textBytes(parameters, params));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AppError('bad_request', 'This order is too large for a price. Order less.', {
      field: 'params',
      cause: error,
    });
  }
}

export function toSnapshot({ model, candidates, ordered }: Order): TaskSnapshot {
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
    ...(model.price.unit === 'second' ? { orderedSeconds: ordered.seconds } : {}),
    holdCredits: ordered.credits,
    createTimeoutSeconds: model.createTimeoutSeconds,
    deadlineSeconds: deadlineSeconds ?? model.deadlineSeconds,
    chargedWhenCancelled: model.chargedWhenCancelled,
  };
}
