/** Statuses of orders and the pairs that may follow each other; a trigger refuses unpaying a paid one. */

export const ORDER_STATUSES = ['pending', 'paid', 'expired', 'cancelled', 'refunding', 'refunded'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/**
 * `expired → paid` and `cancelled → paid`: the payer was late, the credits are given all the same (unless an
 * administrator closed the order: then the money goes back and the order stays cancelled). `refunding → paid`: part of
 * the money went back, the refund was given up, or a dispute was won. `refunded → refunding`: the vendor said later that
 * a refund failed.
 */
export const ORDER_TRANSITIONS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  pending: ['paid', 'expired', 'cancelled'],
  expired: ['paid'],
  cancelled: ['paid'],
  paid: ['refunding', 'refunded'],
  refunding: ['refunded', 'paid'],
  refunded: ['paid', 'refunding'],
};

export function canMoveOrder(from: OrderStatus, to: OrderStatus): boolean {
  return ORDER_TRANSITIONS[from].includes(to);
}
