import type { Sandbox } from '../endpoint.ts';
import { type Checkout, leftOf, type Payment, paymentsOf, refundsOf } from './state.ts';
import { isOpen } from './vendor.ts';

/** The pages of the played payment vendor: plain HTML that works on a phone and without scripts. */

const STYLE = `
  :root{color-scheme:light dark}
  body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:36rem;padding:1rem}
  h1{font-size:1.5rem} h2{font-size:1.15rem;margin-top:2rem}
  .note{border:2px solid;border-radius:.5rem;padding:.75rem 1rem}
  .amount{font-size:2rem;font-weight:600;margin:.5rem 0}
  form{margin:0} fieldset{border:1px solid;border-radius:.5rem;margin:1rem 0;padding:.75rem 1rem}
  button,input[type=number]{font:inherit;min-height:2.75rem;padding:.25rem .75rem;margin:.25rem .25rem .25rem 0}
  input[type=number]{width:9rem} label{display:inline-block;padding:.5rem 0}
  code{overflow-wrap:anywhere} li{margin:.5rem 0}
`;

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
<p class="note"><strong>This is a sandbox. No money moves</strong>, whatever you press, and no card is asked for.</p>
${body}</main></body></html>`;
}

function money(amountMinor: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(amountMinor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const button = (action: string, text: string) =>
  `<button type="submit" name="action" value="${action}">${escapeHtml(text)}</button>`;

const STATES = { open: 'waits for payment', complete: 'was paid', closed: 'is closed' } as const;

export function renderList(sandbox: Sandbox): string {
  const rows = [...sandbox.state.payments.checkouts.values()].reverse().map((checkout) => {
    const { id, title, amountMinor, currency, status } = checkout;
    const text = `${title}, ${money(amountMinor, currency)}`;
    return `<li><a href="/pay/${id}">${escapeHtml(text)}</a> ${STATES[status]}</li>`;
  });
  return page('Sandbox payments', rows.length > 0 ? `<ul>${rows.join('')}</ul>` : '<p>No order yet.</p>');
}

export function renderCheckout(sandbox: Sandbox, checkout: Checkout, notice?: string): string {
  const payments = paymentsOf(sandbox.state.payments, checkout.id);
  return page(
    'Sandbox payment',
    `${notice ? `<p role="status"><strong>${escapeHtml(notice)}</strong></p>` : ''}
<p>${escapeHtml(checkout.title)}</p>
<p class="amount">${escapeHtml(money(checkout.amountMinor, checkout.currency))}</p>
<p>This checkout ${STATES[checkout.status]}.</p>
${renderPaying(sandbox, checkout)}
${payments.map((payment, at) => renderPayment(sandbox, payment, at + 1)).join('')}
<p><a href="${escapeHtml(checkout.cancelUrl)}">Back to the shop</a></p>
<p><a href="/pay">All sandbox payments</a></p>
<p><small>Order <code>${escapeHtml(checkout.orderId)}</code></small></p>`,
  );
}

const THRICE =
  '<label><input type="checkbox" name="thrice" value="1"> Tell the shop three times at once</label>';

function renderPaying(sandbox: Sandbox, checkout: Checkout): string {
  const wrongAmount = Math.max(1, Math.floor(checkout.amountMinor / 2));
  const first = isOpen(sandbox, checkout)
    ? `<p>${button('pay', 'Pay')}${button('decline', 'Decline')}</p>`
    : `<p>A careful payer can do no more here. One whose bank is slow can:</p><p>${button('pay', 'Pay all the same')}</p>`;
  return `<form method="post">
${first}
<fieldset><legend>When it goes wrong</legend>
<p>${button('pay_twice', 'Pay twice')}${button('pay_late', 'Pay late')}${button('pay_currency', 'Pay in a wrong currency')}</p>
<p><label>Seconds <input type="number" name="seconds" value="10" min="0" max="86400"></label>
${button('pay_in', 'Pay now, tell after so many seconds')}</p>
<p><label>Amount, minor units <input type="number" name="amount" value="${wrongAmount}" min="1"></label>
${button('pay_amount', 'Pay a wrong amount')}</p>
<p>${THRICE}</p>
</fieldset></form>`;
}

function renderPayment(sandbox: Sandbox, payment: Payment, number: number): string {
  const left = leftOf(sandbox.state.payments, payment);
  const refunds = refundsOf(sandbox.state.payments, payment.id);
  const buttons = [
    ...(left > 0 ? [button('refund_all', 'Refund all'), button('refund_half', 'Refund half')] : []),
    ...(payment.dispute === null ? [button('dispute_open', 'Open a dispute')] : []),
    ...(payment.dispute?.status === 'open'
      ? [button('dispute_won', 'Shop wins'), button('dispute_lost', 'Shop loses')]
      : []),
  ];
  return `<section aria-labelledby="${payment.id}"><h2 id="${payment.id}">Payment ${number}: ${escapeHtml(money(payment.amountMinor, payment.currency))}</h2>
<p><code>${payment.id}</code>${payment.dispute ? `, dispute ${payment.dispute.status}` : ''}</p>
${refunds.length > 0 ? `<ul>${refunds.map((item) => `<li>Refunded ${escapeHtml(money(item.amountMinor, item.currency))}${item.ourRefundId ? ' for the shop' : ' here'}</li>`).join('')}</ul>` : ''}
<form method="post"><fieldset><legend>The vendor’s panel</legend><input type="hidden" name="payment" value="${payment.id}">
<p>${buttons.join('') || 'Nothing more can be done.'}</p><p>${THRICE}</p></fieldset></form></section>`;
}
