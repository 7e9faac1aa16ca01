import type { Sandbox } from '../endpoint.ts';
import { ApiError } from '../wire.ts';
import { type Checkout, leftOf, type Payment } from './state.ts';
import { decline, dispute, pay, refund } from './vendor.ts';

/** What the buttons of a payment page do. */

/** Where the payer goes next; without it the page is shown again, with a notice. */
type Outcome = { next?: string; notice?: string };

/** The paid event of a late payment comes so long after the order's end. */
const AFTER_THE_END_MS = 1_000;
const LONGEST_WAIT_SECONDS = 86_400;

/** @throws ApiError for a button that does not exist, or cannot be pressed now */
export function act(sandbox: Sandbox, checkout: Checkout, form: URLSearchParams): Outcome {
  const thrice = form.get('thrice') === '1';
  const paid = { next: checkout.successUrl };
  switch (form.get('action')) {
    case 'pay':
      pay(sandbox, checkout, { thrice });
      return paid;
    case 'pay_twice':
      pay(sandbox, checkout, { thrice });
      pay(sandbox, checkout, { thrice });
      return paid;
    case 'decline':
      decline(sandbox, checkout, { thrice });
      return { notice: 'The payment was declined. The order stays open: pay in another way.' };
    case 'pay_in': {
      const seconds = readNumber(form, 'seconds', { from: 0, to: LONGEST_WAIT_SECONDS });
      pay(sandbox, checkout, { thrice, afterMs: seconds * 1_000 });
      return { notice: `Paid. The shop hears of it in ${seconds} seconds.` };
    }
    case 'pay_late': {
      const afterMs = Math.max(0, checkout.expiresAt - Date.now()) + AFTER_THE_END_MS;
      pay(sandbox, checkout, { thrice, afterMs });
      return {
        notice: `Paid. The shop hears of it in ${Math.ceil(afterMs / 1_000)} seconds, after the order's end.`,
      };
    }
    case 'pay_amount':
      pay(sandbox, checkout, {
        thrice,
        amountMinor: readNumber(form, 'amount', { from: 1, to: 100_000_000_000 }),
      });
      return paid;
    case 'pay_currency':
      pay(sandbox, checkout, { thrice, currency: checkout.currency === 'USD' ? 'EUR' : 'USD' });
      return paid;
    case 'refund_all':
    case 'refund_half': {
      const payment = paymentOf(sandbox, checkout, form);
      const left = leftOf(sandbox.state.payments, payment);
      const amountMinor = form.get('action') === 'refund_all' ? left : Math.ceil(payment.amountMinor / 2);
      refund(sandbox, payment, { amountMinor, ourRefundId: null, thrice });
      return { notice: 'Refunded on the vendor’s side. The shop is told.' };
    }
    case 'dispute_open':
      dispute(sandbox, paymentOf(sandbox, checkout, form), 'open', { thrice });
      return { notice: 'The payer disputes the payment. The shop is told.' };
    case 'dispute_won':
      dispute(sandbox, paymentOf(sandbox, checkout, form), 'won', { thrice });
      return { notice: 'The shop won the dispute.' };
    case 'dispute_lost':
      dispute(sandbox, paymentOf(sandbox, checkout, form), 'lost', { thrice });
      return { notice: 'The shop lost the dispute: the bank took the money back.' };
    default:
      throw new ApiError(400, 'unknown_action', 'There is no such button.');
  }
}

function paymentOf(sandbox: Sandbox, checkout: Checkout, form: URLSearchParams): Payment {
  const payment = sandbox.state.payments.payments.get(form.get('payment') ?? '');
  if (payment?.checkoutId !== checkout.id) {
    throw new ApiError(404, 'unknown_payment', 'There is no such payment.');
  }
  return payment;
}

function readNumber(form: URLSearchParams, name: string, range: { from: number; to: number }): number {
  const text = form.get(name) ?? '';
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= range.from && value <= range.to) return value;
  throw new ApiError(400, 'bad_number', `${name} is a whole number from ${range.from} to ${range.to}.`);
}
