import { recordAudit } from '#server/audit/record-audit.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { redactText, redactValue } from '#server/lib/redact.ts';
import { loseDispute, winDispute } from './apply-dispute.ts';
import { insertPaymentEvent, lockPayment, saveOutcome } from './event-queries.ts';
import { asPaid, type PaidOrder } from './order-money.ts';
import { findOrder, lockOrder } from './order-queries.ts';
import { readDisputes } from './read-disputes.ts';
import type { EndDisputeInput } from './schemas.ts';
import { storedFacts } from './stored-event.ts';

type Ending = EndDisputeInput & { actorId: string };
type OpenDispute = { id: string; amountMinor: number | null; currency: string | null };

/**
 * An administrator says how the dispute of an order ended, because the provider never reported it. Each dispute that is
 * still open ends by this word as by the provider's, and the word is kept among the events: the provider's own, should it
 * come after all, moves nothing a second time. A loss that is reported after the word `won` is still a loss.
 *
 * @throws AppError `not_found`; `conflict` when no dispute is open
 */
export async function endDispute(deps: Pick<Deps, 'db' | 'due' | 'newId'>, input: Ending): Promise<void> {
  const { actorId, orderId, reason, verdict } = input;
  await deps.db.transaction(async (tx) => {
    const known = await findOrder(tx, { orderId });
    if (!known) throw new AppError('not_found', 'There is no such order.');
    const { provider, paymentId } = known;
    // The payment before the order, as its events are handled.
    if (paymentId) await lockPayment(tx, { provider, paymentId });
    const open = await openDisputes(tx, await lockDisputed(tx, orderId));
    for (const [index, dispute] of open.entries()) {
      await endOne(tx, {
        ...input,
        dispute,
        otherOpen: index < open.length - 1,
        eventId: `admin:${deps.newId()}`,
      });
    }
    await recordAudit(tx, {
      actorId,
      action: 'order.end_dispute',
      subjectId: orderId,
      reason,
      data: { verdict, disputes: open.map(({ id }) => id) },
    });
  });
  deps.due.wake();
}

async function lockDisputed(tx: Tx, orderId: string): Promise<PaidOrder> {
  const order = await lockOrder(tx, orderId);
  if (order?.dispute === 'open') return asPaid(order);
  throw new AppError('conflict', 'No dispute of this order is open. Reload the page.');
}

/** Those whose end was not reported; one in our own name when none of them can be told from the events. */
async function openDisputes(tx: Tx, order: PaidOrder): Promise<OpenDispute[]> {
  const open = (await readDisputes(tx, order)).filter(({ opened, ended }) => opened && !ended);
  if (open.length > 0) return open;
  return [{ id: `admin:${order.id}:${order.version}`, amountMinor: null, currency: null }];
}

async function endOne(
  tx: Tx,
  input: Ending & { dispute: OpenDispute; otherOpen: boolean; eventId: string },
): Promise<void> {
  const { dispute, eventId, otherOpen, verdict } = input;
  const order = await lockDisputed(tx, input.orderId);
  const type = verdict === 'won' ? ('dispute_won' as const) : ('dispute_lost' as const);
  const { provider, paymentId } = order;
  const { amountMinor, currency, id: disputeId } = dispute;
  const facts = storedFacts({
    eventId,
    type,
    rawType: 'administrator',
    orderId: order.id,
    checkoutId: null,
    paymentId,
    amountMinor,
    currency,
    disputeId,
  });
  const row = { provider, eventId, type, paymentId, amountMinor, currency, facts: redactValue(facts) };
  const id = await insertPaymentEvent(tx, row);
  if (!id) throw new Error(`Event ${eventId} exists`);
  const end = { order, disputeId, actor: `operator:${input.actorId}`, otherOpen };
  if (verdict === 'won') await winDispute(tx, end);
  else {
    await loseDispute(tx, { ...end, lostMinor: currency === order.currency ? amountMinor : null });
  }
  const note = `An administrator said so: ${redactText(input.reason)}`;
  await saveOutcome(tx, { id, orderId: order.id, outcome: 'applied', note });
}
