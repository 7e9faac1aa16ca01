import type { OrderStatus } from '#server/orders/status.ts';

/** `stands`: rewards may be paid for it. `undecided`: money is on its way back. `fallen`: money went back. */
type OrderStanding = 'stands' | 'undecided' | 'fallen';

/**
 * What a paid order is worth to an invite. Any refund counts, also of a part, and so does a dispute from the day it is
 * opened: by then the bank has taken the money. A refund that was only asked for may still be given up.
 */
export function orderStanding(order: {
  status: OrderStatus;
  refundedMinor: number;
  dispute: 'open' | 'won' | 'lost' | null;
}): OrderStanding {
  if (order.refundedMinor > 0 || order.dispute === 'open' || order.dispute === 'lost') return 'fallen';
  if (order.status === 'refunding') return 'undecided';
  return order.status === 'paid' ? 'stands' : 'fallen';
}
