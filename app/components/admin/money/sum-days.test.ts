import { describe, expect, it } from 'vitest';
import { makeDay } from '#app/testing/admin-money-fixtures.ts';
import { moved, sumDays } from './sum-days.ts';

describe('the totals of a summary', () => {
  it('add up credits and orders', () => {
    const totals = sumDays([
      makeDay({ purchasedCredits: 100, chargedCredits: 7, ordersPaid: 1 }),
      makeDay({ day: '2026-01-06', givenCredits: 5, chargedCredits: 3, ordersPaid: 2 }),
    ]);
    expect(totals).toMatchObject({
      givenCredits: 5,
      purchasedCredits: 100,
      chargedCredits: 10,
      returnedCredits: 0,
      ordersPaid: 3,
    });
  });

  it('never add two currencies, and know one that was only paid back', () => {
    const totals = sumDays([
      makeDay({ revenue: { EUR: 990, JPY: 500 } }),
      makeDay({ revenue: { EUR: 10 }, moneyRefunded: { EUR: 400, GBP: 5 } }),
    ]);
    expect(totals.currencies).toEqual([
      { currency: 'EUR', revenueMinor: 1_000, refundedMinor: 400 },
      { currency: 'GBP', revenueMinor: 0, refundedMinor: 5 },
      { currency: 'JPY', revenueMinor: 500, refundedMinor: 0 },
    ]);
  });

  it('are nothing without days', () => {
    expect(sumDays([])).toMatchObject({ purchasedCredits: 0, ordersPaid: 0, currencies: [] });
  });
});

describe('a day', () => {
  it.each([
    ['credits that expired', { expiredCredits: 1 }],
    ['an order', { ordersPaid: 1 }],
    ['money that went back', { moneyRefunded: { EUR: 1 } }],
  ])('is one of movement with %s', (_what, day) => expect(moved(makeDay(day))).toBe(true));

  it('is none without', () => expect(moved(makeDay({ moneyRefunded: { EUR: 0 } }))).toBe(false));
});
