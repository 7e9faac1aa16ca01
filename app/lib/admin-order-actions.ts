import type { AppLoadContext } from '@remix-run/node';
import {
  closeOrderInput,
  endDisputeInput,
  refundIdInput,
  refundOrderInput,
  resolveMismatchInput,
  resolvePaymentRefundInput,
} from '#server/orders/schemas.ts';
import { runDeed, unknownForm } from './run-deed.ts';

type Posted = { request: Request; form: FormData; context: AppLoadContext };

/**
 * Runs the form that an administrator posted on a page of orders and money refunds; `intent` names it.
 *
 * @throws Response 400 for a form that no such page has
 */
export function runAdminOrderForm(posted: Posted) {
  const { adminOrders } = posted.context.trpc;
  const intent = posted.form.get('intent');
  switch (intent) {
    case 'close-order':
      return runDeed(posted, {
        intent,
        idField: 'orderId',
        schema: closeOrderInput,
        run: adminOrders.close,
      });
    case 'refund-order':
      return runDeed(posted, {
        intent,
        schema: refundOrderInput,
        run: adminOrders.refund,
      });
    case 'end-dispute':
      return runDeed(posted, {
        intent,
        schema: endDisputeInput,
        run: adminOrders.endDispute,
      });
    case 'retry-money-refund':
      return runDeed(posted, {
        intent,
        schema: refundIdInput,
        run: adminOrders.retryRefund,
      });
    case 'refund-paid':
    case 'refund-given-up':
      return runDeed(posted, {
        intent,
        idField: 'refundId',
        schema: resolvePaymentRefundInput,
        run: adminOrders.resolveRefund,
      });
    case 'return-payment':
    case 'dismiss-payment':
      return runDeed(posted, {
        intent,
        idField: 'eventId',
        schema: resolveMismatchInput,
        run: adminOrders.resolveMismatch,
      });
    default:
      throw unknownForm();
  }
}
