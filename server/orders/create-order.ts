import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { endCheckout } from './end-checkout.ts';
import {
  countOpenOrders,
  findBuyer,
  findOrder,
  findOrderByRequestKey,
  insertOrder,
  lockBuyer,
  type ReadOrder,
  saveCheckout,
} from './order-queries.ts';
import { findPack } from './pack-queries.ts';
import { CheckoutRefusedError, type PaymentProvider } from './payment/payment-provider.ts';

/** Orders of one user that wait for payment at once. */
const MOST_OPEN_ORDERS = 10;

type OrderDeps = Pick<Deps, 'db' | 'config' | 'payments' | 'logger' | 'newId'>;

/**
 * Makes an order, once per request key, and opens the vendor's checkout after the commit. When the vendor does not
 * answer the order stays pending and {@link openCheckout} tries again.
 *
 * @returns the order, and where to pay it: null when the vendor did not answer
 * @throws AppError `unavailable` without a payment provider; `not_found` for a pack that is not sold; `conflict` for a
 *   request key of another pack, or when too many orders wait for payment; `forbidden` for a disabled account
 */
export async function createOrder(
  deps: OrderDeps,
  input: { userId: string; packId: string; requestKey: string },
): Promise<{ orderId: string; checkoutUrl: string | null }> {
  const provider = requireProvider(deps);
  const orderId = await deps.db.transaction(async (tx) => {
    const buyer = await lockBuyer(tx, input.userId);
    if (!buyer || buyer.disabledAt || buyer.deletedAt) {
      throw new AppError('forbidden', 'This account is disabled and cannot buy credits.');
    }
    const earlier = await findOrderByRequestKey(tx, input);
    if (earlier) {
      if (earlier.packId === input.packId) return earlier.id;
      throw new AppError(
        'conflict',
        'This form was sent for another pack. Reload the page and choose again.',
      );
    }
    const pack = await findPack(tx, input.packId);
    if (!pack?.enabled) {
      throw new AppError('not_found', 'This pack is not sold any more. Choose another one.', {
        field: 'packId',
      });
    }
    if ((await countOpenOrders(tx, input.userId)) >= MOST_OPEN_ORDERS) {
      throw new AppError(
        'conflict',
        `${MOST_OPEN_ORDERS} of your orders wait for payment. Pay or cancel one of them first.`,
      );
    }
    const id = deps.newId();
    await insertOrder(tx, {
      id,
      userId: input.userId,
      packId: pack.id,
      title: pack.title,
      credits: pack.credits,
      amountMinor: pack.amountMinor,
      currency: pack.currency,
      validDays: pack.validDays,
      requestKey: input.requestKey,
      provider: provider.name,
      expiryMs: deps.config.orderExpiryMs,
    });
    return id;
  });
  try {
    const { checkoutUrl } = await openCheckout(deps, { orderId, userId: input.userId });
    return { orderId, checkoutUrl };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The order's page says what became of it, and offers to pay again.
    return { orderId, checkoutUrl: null };
  }
}

/**
 * Where a pending order is paid. Opens the checkout when the vendor did not answer before; asked twice, the vendor
 * answers the same one.
 *
 * @throws AppError `not_found`; `conflict` when the order cannot be paid any more, or was made for another provider;
 *   `unprocessable` when the vendor refuses it for good; `unavailable` when the vendor does not answer
 */
export async function openCheckout(
  deps: OrderDeps,
  input: { orderId: string; userId: string },
): Promise<{ checkoutUrl: string }> {
  const order = await findOrder(deps.db, input);
  if (!order) throw new AppError('not_found', 'There is no such order.');
  refuseUnpayable(order);
  const provider = requireProvider(deps);
  // Before the address that is kept: nobody here would hear of a payment made there.
  if (provider.name !== order.provider) {
    throw new AppError('conflict', 'This order was made for another payment provider. Make a new one.');
  }
  if (order.checkoutUrl) return { checkoutUrl: order.checkoutUrl };
  const buyer = await findBuyer(deps.db, order.userId);
  const checkout = await askVendor(deps, { provider, order, email: buyer?.email ?? '' });
  const { checkoutId, url: checkoutUrl } = checkout;
  if (await saveCheckout(deps.db, { orderId: order.id, checkoutId, checkoutUrl })) return { checkoutUrl };
  const now = await findOrder(deps.db, input);
  if (now?.checkoutId === checkoutId && now.status === 'pending') return { checkoutUrl };
  // The order ended while the vendor was asked: what was opened must not be paid.
  await endCheckout(deps, { ...order, checkoutId });
  if (now) refuseUnpayable(now);
  throw new AppError('conflict', 'This order changed meanwhile. Reload the page.');
}

function refuseUnpayable(order: ReadOrder): void {
  if (order.status === 'expired' || order.overdue) {
    throw new AppError('conflict', 'This order has expired. Make a new one to buy the credits.');
  }
  if (order.status === 'cancelled') {
    throw new AppError('conflict', 'This order was cancelled. Make a new one to buy the credits.');
  }
  if (order.status !== 'pending') throw new AppError('conflict', 'This order was paid already.');
}

async function askVendor(
  deps: OrderDeps,
  input: { provider: PaymentProvider; order: ReadOrder; email: string },
): Promise<{ checkoutId: string; url: string }> {
  const { order, provider } = input;
  const page = `${deps.config.publicOrigin ?? ''}/orders/${order.id}`;
  try {
    return await provider.createCheckout({
      orderId: order.id,
      title: order.title,
      amountMinor: order.amountMinor,
      currency: order.currency,
      email: input.email,
      expiresAt: order.expiresAt,
      successUrl: `${page}?paid=1`,
      cancelUrl: page,
    });
  } catch (error) {
    const about = { orderId: order.id, provider: provider.name, error: describeError(error) };
    if (error instanceof CheckoutRefusedError) {
      deps.logger.error(about, 'Checkout was refused: asking again will not change it');
      throw new AppError(
        'unprocessable',
        'The payment provider refuses this order, and asking again will not change that. Cancel it and choose another pack, or tell an administrator.',
      );
    }
    deps.logger.warn(about, 'Checkout could not be opened');
    throw new AppError(
      'unavailable',
      'The payment provider does not answer. Your order is kept; try again in a moment.',
      { retryAfterSeconds: 10, cause: error },
    );
  }
}

function requireProvider(deps: OrderDeps): PaymentProvider {
  if (deps.payments) return deps.payments;
  throw new AppError('unavailable', 'Credits cannot be bought here: no payment provider is set up.');
}
