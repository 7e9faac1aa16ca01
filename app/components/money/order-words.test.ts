import { describe, expect, it } from 'vitest';
import { makeOrder } from '#app/testing/money-fixtures.ts';
import type { OrderView } from '#server/orders/schemas.ts';
import { ORDER_STATUSES } from '#server/orders/status.ts';
import { disputeSentence, hasNewsToCome, orderSentence } from './order-words.ts';

describe('orderSentence', () => {
  it.each<[string, Partial<OrderView>, RegExp]>([
    ['pending', { status: 'pending' }, /Pay before the time is up.*nothing is charged\./],
    ['paid', { status: 'paid' }, /^It was paid, and its credits are yours\.$/],
    ['paid, partly back', { status: 'paid', refundedMinor: 490 }, /€4\.90 of €9\.90 went back/],
    ['expired', { status: 'expired' }, /nothing was charged\. A payment that was already under way still/],
    [
      'cancelled',
      { status: 'cancelled', cancelledBy: 'user' },
      /You cancelled it.*still gives its credits\./,
    ],
    ['closed', { status: 'cancelled', cancelledBy: 'admin' }, /An administrator closed it.*is sent back\./],
    ['disputed', { status: 'refunding', dispute: 'open' }, /whether the payment stands is not decided yet/],
    ['refunding', { status: 'refunding' }, /on its way back/],
    ['refunded', { status: 'refunded', refundedMinor: 990 }, /^€9\.90 went back to how you paid\.$/],
    ['refunded, no sum known', { status: 'refunded' }, /^The money went back/],
  ])('says where a %s order stands and what happens next', (_name, overrides, words) => {
    expect(orderSentence(makeOrder(overrides))).toMatch(words);
  });

  it('does not promise an order that an administrator closed the credits of a late payment', () => {
    const closed = makeOrder({ status: 'cancelled', cancelledBy: 'admin' });
    expect(orderSentence(closed)).not.toMatch(/credits/);
  });
});

it.each<[OrderView['dispute'], number, RegExp]>([
  [
    'open',
    1_000,
    /disputed with the payer’s bank\. Until the bank decides, 1,000 credits of this order are taken/,
  ],
  ['open', 0, /Until the bank decides, its credits stay as they are/],
  ['won', 0, /the bank confirmed it: its credits stay as they are/],
  ['lost', 1, /gave the money back to the payer: 1 credit of this order is taken back/],
])('says what a dispute that is %s with %d credits taken means', (dispute, clawedBackCredits, words) => {
  expect(disputeSentence({ dispute, clawedBackCredits })).toMatch(words);
});

it('says nothing of a dispute that there is not', () => {
  expect(disputeSentence(makeOrder())).toBeNull();
});

it('waits for news only while a payment or a refund is under way, or a late payment may be', () => {
  const waiting = (returned: boolean) =>
    ORDER_STATUSES.filter((status) => hasNewsToCome({ status }, returned));
  expect(waiting(false)).toEqual(['pending', 'refunding']);
  expect(waiting(true)).toEqual(['pending', 'expired', 'cancelled', 'refunding']);
});
