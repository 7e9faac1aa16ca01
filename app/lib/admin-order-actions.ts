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
        done: 'The order is closed. Money that still arrives goes back by itself.',
      });
    case 'refund-order':
      return runDeed(posted, {
        intent,
        schema: refundOrderInput,
        run: adminOrders.refund,
        done: 'The credits are taken back, and the money is on its way to the payer.',
      });
    case 'end-dispute':
      return runDeed(posted, {
        intent,
        schema: endDisputeInput,
        run: adminOrders.endDispute,
        done: 'The dispute has ended. The provider’s own word moves no money a second time.',
      });
    case 'retry-money-refund':
      return runDeed(posted, {
        intent,
        schema: refundIdInput,
        run: adminOrders.retryRefund,
        done: 'The refund is tried again.',
      });
    case 'refund-paid':
    case 'refund-given-up':
      return runDeed(posted, {
        intent,
        idField: 'refundId',
        schema: resolvePaymentRefundInput,
        run: adminOrders.resolveRefund,
        done:
          intent === 'refund-paid'
            ? 'The refund is noted as paid by hand.'
            : 'Nothing is paid back, and the credits are given back.',
      });
    case 'return-payment':
    case 'dismiss-payment':
      return runDeed(posted, {
        intent,
        idField: 'eventId',
        schema: resolveMismatchInput,
        run: adminOrders.resolveMismatch,
        done:
          intent === 'return-payment'
            ? 'The money is on its way back to the payer.'
            : 'The payment is noted as looked at. Nothing was moved.',
      });
    default:
      throw unknownForm();
  }
}
