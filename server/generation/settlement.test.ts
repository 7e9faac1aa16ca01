import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliveredUnits, settlement } from './settlement.ts';

const amount = fc.integer({ min: 0, max: 1_000_000_000_000 });
const units = fc.integer({ min: 1, max: 1_000_000 });

describe('settlement', () => {
  it('gives every credit of the hold exactly one end, and never takes more than the hold', () => {
    fc.assert(
      fc.property(
        amount,
        units,
        fc.integer({ min: -5, max: 2_000_000 }),
        fc.boolean(),
        (hold, ordered, delivered, billed) => {
          const end = settlement({
            holdCredits: hold,
            orderedUnits: ordered,
            deliveredUnits: delivered,
            billedOnCancel: billed,
          });
          const sum = end.type === 'refund' ? end.refundedCredits : end.capturedCredits + end.returnedCredits;
          expect(sum).toBe(hold);
          if (end.type === 'capture') expect(end.capturedCredits).toBeLessThanOrEqual(hold);
        },
      ),
    );
  });

  it('charges ⌊hold × delivered ÷ ordered⌋', () => {
    const end = (hold: number, ordered: number, delivered: number) =>
      settlement({
        holdCredits: hold,
        orderedUnits: ordered,
        deliveredUnits: delivered,
        billedOnCancel: false,
      });
    expect(end(12, 4, 3)).toEqual({ type: 'capture', capturedCredits: 9, returnedCredits: 3 });
    expect(end(7, 3, 2)).toEqual({ type: 'capture', capturedCredits: 4, returnedCredits: 3 });
    expect(end(12, 4, 5)).toEqual({ type: 'capture', capturedCredits: 12, returnedCredits: 0 });
    expect(end(12, 4, 0)).toEqual({ type: 'refund', refundedCredits: 12 });
  });

  it('keeps the hold of a model that is charged when cancelled', () => {
    expect(settlement({ holdCredits: 9, orderedUnits: 3, deliveredUnits: 0, billedOnCancel: true })).toEqual({
      type: 'capture',
      capturedCredits: 9,
      returnedCredits: 0,
    });
  });
});

describe('delivered units', () => {
  const base = {
    orderedUnits: 15,
    orderedOutputs: 1,
    orderedSeconds: undefined,
    stored: [null],
    reported: null,
  };
  const second = { ...base, price: { unit: 'second' as const }, orderedSeconds: 15 };
  const output = { ...base, price: { unit: 'output' as const }, orderedUnits: 4, orderedOutputs: 4 };
  const tokens = { ...base, price: { unit: 'tokens' as const, blockTokens: 100 } };

  it('bills no undelivered second (B14)', () => {
    expect(deliveredUnits({ ...second, reported: 10, stored: [10.04] })).toBe(10);
    expect(deliveredUnits({ ...second, reported: 15, stored: [9.98] })).toBe(10);
    expect(deliveredUnits({ ...second, reported: 10 })).toBe(10);
    expect(deliveredUnits({ ...second, reported: 20, stored: [20] })).toBe(15);
  });

  it('does not punish a frame cut at the end', () => {
    const four = { ...second, orderedUnits: 4, orderedSeconds: 4 };
    expect(deliveredUnits({ ...four, stored: [3.96] })).toBe(4);
  });

  it('counts what has no known length as ordered', () => {
    expect(deliveredUnits(second)).toBe(15);
    expect(deliveredUnits({ ...second, stored: [Number.NaN] })).toBe(15);
  });

  it.each([
    ['all as ordered', [5, 5], 5, 10],
    ['one of two', [5], 5, 5],
    ['one shorter than asked', [5, 3.02], 5, 8],
    ['one longer than asked does not make up for another', [8, 3], 8, 8],
    ['one file too many is free: the longest count', [2, 5, 5], 5, 10],
    ['upstream says less than the files measure', [5, 5], 4, 8],
    ['upstream counts the seconds of both together', [5, 5], 10, 10],
    ['one that cannot be measured', [5, null], null, 10],
  ])('seconds of several outputs: %s', (_name, stored, reported, expected) => {
    const two = { ...second, orderedUnits: 10, orderedOutputs: 2, orderedSeconds: 5 };
    expect(deliveredUnits({ ...two, stored, reported })).toBe(expected);
  });

  it('orders from before, whose seconds were held once whatever the number of outputs, end as they were held', () => {
    const before = { ...second, orderedSeconds: undefined, orderedOutputs: 2, orderedUnits: 5 };
    expect(deliveredUnits({ ...before, stored: [5, 5] })).toBe(5);
    expect(deliveredUnits({ ...before, stored: [4, 3], reported: 5 })).toBe(4);
    expect(deliveredUnits({ ...before, stored: [null, 4], reported: 5 })).toBe(4);
  });

  it('counts started blocks of tokens, at least the one that was begun, and as ordered when nobody knows', () => {
    for (const [reported, units] of [
      [1, 1],
      [100, 1],
      [101, 2],
      [0, 1],
      [1_000_000_000, 10_000_000],
    ] as const) {
      expect(deliveredUnits({ ...tokens, reported })).toBe(units);
    }
    expect(deliveredUnits(tokens)).toBe(15);
  });

  it('counts stored outputs, and nothing without any (B45)', () => {
    expect(deliveredUnits({ ...output, stored: [null, null, null] })).toBe(3);
    expect(deliveredUnits({ ...output, stored: [null, null, null, null, null] })).toBe(5);
    expect(deliveredUnits({ ...base, price: { unit: 'call' } })).toBe(1);
    for (const unit of ['call', 'output', 'second', 'tokens'] as const) {
      expect(deliveredUnits({ ...second, price: { unit }, stored: [], reported: 15 })).toBe(0);
    }
  });
});
