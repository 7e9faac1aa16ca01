import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creditsToGiveBack, creditsToTake, statusOfPaid, unspentShare } from './refund-shares.ts';

const ORDER = { credits: 1_000, amountMinor: 999, refundedMinor: 0, clawedBackCredits: 0 };

describe('the unspent share', () => {
  it.each([
    [{ liveCredits: 1_000, openMinor: 0 }, {}, { credits: 1_000, amountMinor: 999 }],
    [{ liveCredits: 1, openMinor: 0 }, {}, { credits: 1, amountMinor: 0 }],
    [{ liveCredits: 500, openMinor: 0 }, {}, { credits: 500, amountMinor: 499 }],
    [{ liveCredits: 0, openMinor: 0 }, {}, { credits: 0, amountMinor: 0 }],
    // What was taken back before is not there a second time; what is on its way is not paid twice.
    [{ liveCredits: 1_000, openMinor: 0 }, { clawedBackCredits: 400 }, { credits: 600, amountMinor: 599 }],
    [{ liveCredits: 1_000, openMinor: 900 }, {}, { credits: 1_000, amountMinor: 99 }],
    [{ liveCredits: 1_000, openMinor: 0 }, { refundedMinor: 999 }, { credits: 0, amountMinor: 0 }],
  ])('%j of an order with %j', (input, order, expected) => {
    expect(unspentShare({ ...ORDER, ...order }, input)).toEqual(expected);
  });
});

it('credits are taken in proportion, never more than were bought, and all of them when all money is back', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000_000 }),
      fc.integer({ min: 1, max: 100_000_000_000 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
      (credits, amountMinor, shares) => {
        const order = { credits, amountMinor, refundedMinor: 0, clawedBackCredits: 0 };
        for (const share of [...shares, 1]) {
          const part = Math.floor((amountMinor - order.refundedMinor) * share);
          order.refundedMinor += part;
          order.clawedBackCredits += creditsToTake(order, {
            goneMinor: order.refundedMinor,
            expiredCredits: 0,
          });
          expect(order.clawedBackCredits).toBe(
            Number((BigInt(credits) * BigInt(order.refundedMinor)) / BigInt(amountMinor)),
          );
        }
        expect(order).toMatchObject({ refundedMinor: amountMinor, clawedBackCredits: credits });
      },
    ),
  );
});

it('expired credits are never taken a second time', () => {
  expect(creditsToTake(ORDER, { goneMinor: 999, expiredCredits: 300 })).toBe(700);
  expect(creditsToTake(ORDER, { goneMinor: 999, expiredCredits: 1_000 })).toBe(0);
});

it('what comes back is at most what was taken, and leaves what other money covers', () => {
  const taken = { ...ORDER, clawedBackCredits: 1_000 };
  expect(creditsToGiveBack(taken, { takenCredits: 600, goneMinor: 0, expiredCredits: 0 })).toBe(600);
  expect(creditsToGiveBack(taken, { takenCredits: 1_000, goneMinor: 999, expiredCredits: 0 })).toBe(0);
  expect(creditsToGiveBack(taken, { takenCredits: 1_000, goneMinor: 333, expiredCredits: 0 })).toBe(667);
});

it.each([
  [{ refundedMinor: 1_000, dispute: 'open', open: true }, 'refunded'],
  [{ refundedMinor: 999, dispute: null, open: true }, 'refunding'],
  [{ refundedMinor: 0, dispute: 'open', open: false }, 'refunding'],
  [{ refundedMinor: 999, dispute: null, open: false }, 'paid'],
  [{ refundedMinor: 0, dispute: 'won', open: false }, 'paid'],
] as const)('an order of 1,000 with %j is %s', (state, status) => {
  expect(statusOfPaid({ amountMinor: 1_000, ...state })).toBe(status);
});
