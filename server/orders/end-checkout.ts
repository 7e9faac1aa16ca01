import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';

/**
 * Asks the vendor to take no more payment for an order that has ended. Best effort, after the commit: a payment that
 * comes all the same has its own rule.
 */
export async function endCheckout(
  deps: Pick<Deps, 'payments' | 'logger'>,
  order: { id: string; provider: string; checkoutId: string | null },
): Promise<void> {
  const { payments } = deps;
  if (!order.checkoutId || payments?.name !== order.provider) return;
  try {
    await payments.expireCheckout(order.checkoutId);
  } catch (error) {
    deps.logger.warn(
      { orderId: order.id, provider: order.provider, error: describeError(error) },
      'Checkout could not be ended at the provider',
    );
  }
}
