import { placeHold } from '#server/billing/holds.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { checkIntake } from '#server/operations/check-intake.ts';
import { getUploads, markUploadsUsed } from '#server/storage/queries.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { insertFirstEvent } from '../event-queries.ts';
import { insertRequestKey, insertTask, readAnyTask } from '../queries.ts';
import { canonicalHash } from '../request-hash.ts';
import { answerSubmit, findTaskByKey, referenceGone, type Submitted } from '../request-key.ts';
import type { TaskSnapshot } from '../schemas.ts';
import type { CompositeKind } from '../status.ts';
import { checkOrder, toSnapshot } from '../submit-task.ts';
import { insertComposite } from './queries.ts';

/** A composite waits for its children at most this long; children end sooner by limits of their own. */
export const CHILDREN_WAIT_MS = 14 * 24 * 3_600_000;

export type CompositeOrder = {
  kind: CompositeKind;
  userId: string;
  requestKey: string;
  /** What the request key names, without the key itself. */
  body: unknown;
  /** The language model that drives it. A revision keeps that of the version before, which may be out of use by now. */
  model: string;
  /** Title or goal, as lists show it. */
  prompt: string;
  references: readonly string[];
  phase: string;
  settings: Record<string, unknown>;
  plan?: Record<string, unknown>;
  /** Held at once; null: nothing is held yet. */
  budgetCredits: number | null;
  estimateCredits: number | null;
  revision?: { of: string; rootId: string };
  /** Steps that are recorded with it. */
  record?: (tx: Tx, taskId: string) => Promise<void>;
};

/**
 * Accepts a composite: request key, task, settings and budget in one transaction; the same key with the same body is the
 * same task. Nothing is sent here.
 *
 * @throws AppError `bad_request`, `not_found`, `conflict`, `insufficient_credits`, `forbidden` past a limit of the cost guard,
 * `unavailable` while its kind is paused
 */
export async function submitComposite(deps: Deps, order: CompositeOrder): Promise<Submitted> {
  const { userId, requestKey } = order;
  const bodyHash = canonicalHash(order.body);
  const before = await findTaskByKey(deps, { userId, requestKey, bodyHash });
  if (before) return { taskId: before, created: false };

  await checkIntake(deps, order);
  const driver = await driverOf(deps, order);
  const uploads = await getUploads(deps.db, userId, order.references);
  if (uploads.length !== order.references.length) throw referenceGone();
  const taskId = deps.newId();
  const created = await deps.db.transaction(async (tx) => {
    if (!(await insertRequestKey(tx, { userId, key: requestKey, bodyHash, taskId }))) return false;
    await insertTask(tx, {
      id: taskId,
      userId,
      kind: order.kind,
      channelId: driver.channelId,
      modelId: driver.modelId,
      giveUpMs: deps.config.giveUpMs,
      prompt: order.prompt,
      params: {},
      referenceIds: order.references,
      snapshot: { ...driver.snapshot, holdCredits: order.budgetCredits ?? 0 },
      retryOf: null,
      waitsMs: CHILDREN_WAIT_MS,
    });
    await insertComposite(tx, {
      taskId,
      phase: order.phase,
      settings: order.settings,
      plan: order.plan ?? null,
      revisionOf: order.revision?.of ?? null,
      rootId: order.revision?.rootId ?? taskId,
      estimateCredits: order.estimateCredits,
    });
    await crashPoint('submit.after-task');
    if (!(await markUploadsUsed(tx, order.references))) {
      throw referenceGone();
    }
    if (order.budgetCredits !== null) {
      await placeHold(tx, {
        taskId,
        userId,
        credits: order.budgetCredits,
        reason: order.kind === 'agent' ? 'Held as the budget of an agent' : 'Held as the budget of a drama',
        isBudget: true,
      });
    }
    await crashPoint('submit.after-hold');
    await insertFirstEvent(tx, taskId, {
      type: 'submitted',
      actor: `user:${userId}`,
      to: 'waiting',
      data: {
        credits: order.budgetCredits ?? 0,
        ...(order.revision ? { revisionOf: order.revision.of } : {}),
      },
    });
    await order.record?.(tx, taskId);
    await crashPoint('submit.before-commit');
    return true;
  });
  return answerSubmit(deps, { taskId, created }, { userId, requestKey, bodyHash });
}

type Driver = { channelId: string; modelId: string; snapshot: TaskSnapshot };

/** A revision asks its language model nothing, so it needs none that can be used. @throws AppError as `checkDriver` does */
async function driverOf(deps: Deps, { model, revision }: CompositeOrder): Promise<Driver> {
  if (!revision) {
    const driver = await checkDriver(deps, model);
    return {
      channelId: driver.candidates[0].channel.id,
      modelId: driver.model.id,
      snapshot: toSnapshot(driver),
    };
  }
  const before = await readAnyTask(deps.db, revision.of);
  if (!before) throw new AppError('not_found', 'The version before is not there any more.');
  const { channelId, modelId } = before.task;
  return { channelId, modelId, snapshot: before.details.snapshot };
}

/** The model that drives a composite: one of text that can call tools. @throws AppError `not_found`, `bad_request` */
export async function checkDriver(deps: Pick<Deps, 'db' | 'providers' | 'clock'>, slug: string) {
  const order = await checkOrder(deps, { kind: 'text', model: slug, params: {}, promptBytes: 0 });
  const [{ channel, endpoint }] = order.candidates;
  if (!deps.providers.canConverse(channel.protocol, endpoint)) {
    throw new AppError(
      'bad_request',
      `${order.model.title} cannot call tools. Choose another language model.`,
      {
        field: 'model',
      },
    );
  }
  return order;
}
