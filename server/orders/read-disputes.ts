import type { DbOrTx } from '#server/db/client.ts';
import { listEventsOfPayment } from './event-queries.ts';
import { readStoredEvent } from './stored-event.ts';

/** A dispute of a payment, as far as it was reported. */
export type KnownDispute = {
  id: string;
  /** Its opening was applied. */
  opened: boolean;
  /** An end was reported, whatever became of that. */
  ended: boolean;
  /** The end that was applied last: the vendor's word or an administrator's. */
  appliedEnd: 'won' | 'lost' | null;
  /** What its opening was about, in the minor unit of `currency`; null: not reported. */
  amountMinor: number | null;
  currency: string | null;
};

const TYPES = ['dispute_opened', 'dispute_won', 'dispute_lost'];

/** The disputes of a payment, oldest first: the vendor may open one for each part of it. */
export async function readDisputes(
  db: DbOrTx,
  by: { provider: string; paymentId: string },
): Promise<KnownDispute[]> {
  const disputes = new Map<string, KnownDispute>();
  for (const row of await listEventsOfPayment(db, { ...by, types: TYPES })) {
    const { disputeId: id } = readStoredEvent(row);
    if (!id) continue;
    const known = disputes.get(id) ?? {
      id,
      opened: false,
      ended: false,
      appliedEnd: null,
      amountMinor: null,
      currency: null,
    };
    disputes.set(id, known);
    const applied = row.outcome === 'applied';
    if (row.type !== 'dispute_opened') {
      known.ended = true;
      if (applied) known.appliedEnd = row.type === 'dispute_won' ? 'won' : 'lost';
    } else if (applied) {
      known.opened = true;
      known.amountMinor = row.amountMinor;
      known.currency = row.currency;
    }
  }
  return [...disputes.values()];
}
