import { recordAudit } from '#server/audit/record-audit.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { type DeliveryBundle, findDelivery, sendAgain } from './endpoint-queries.ts';

type ResendDeps = Pick<Deps, 'db' | 'due'>;

/**
 * Sends a delivery once more, with the same `webhook-id` and body, so that a receiver that has taken it can tell.
 *
 * @throws AppError `not_found`, `conflict` when the endpoint is removed or switched off, or it is being sent right now
 */
export async function resendDelivery(
  deps: ResendDeps,
  input: { userId: string; deliveryId: string },
): Promise<void> {
  await resend(deps, input.deliveryId, ({ delivery }) => delivery.userId === input.userId);
}

/** The same by an administrator, with a line in the audit log. @throws AppError as {@link resendDelivery} */
export async function resendAsOperator(
  deps: ResendDeps,
  input: { deliveryId: string; reason: string; operatorId: string },
): Promise<void> {
  const { deliveryId, reason, operatorId } = input;
  await resend(
    deps,
    deliveryId,
    () => true,
    (tx) => recordAudit(tx, { actorId: operatorId, action: 'webhook.resend', subjectId: deliveryId, reason }),
  );
}

async function resend(
  deps: ResendDeps,
  deliveryId: string,
  mayTouch: (found: DeliveryBundle) => boolean,
  also: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const found = await findDelivery(tx, deliveryId);
    if (!found || !mayTouch(found)) throw new AppError('not_found', 'There is no such delivery.');
    if (found.endpoint.deletedAt !== null) {
      throw new AppError('conflict', 'The endpoint was removed. Nothing is sent to it any more.');
    }
    if (!found.endpoint.enabled) {
      throw new AppError('conflict', 'The endpoint is switched off. Switch it on first.');
    }
    if (!(await sendAgain(tx, deliveryId))) {
      throw new AppError('conflict', 'This is being sent right now. Reload the page in a moment.');
    }
    await also(tx);
  });
  deps.due.wake();
}
