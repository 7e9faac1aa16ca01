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
  const base = { orderedUnits: 15, storedOutputs: 1, reportedSeconds: null, measuredSeconds: null };

  it('bills no undelivered second (B14)', () => {
    expect(deliveredUnits({ ...base, unit: 'second', reportedSeconds: 10, measuredSeconds: 10.04 })).toBe(10);
    expect(deliveredUnits({ ...base, unit: 'second', reportedSeconds: 15, measuredSeconds: 9.98 })).toBe(10);
  });

  it('does not punish a frame cut at the end', () => {
    expect(deliveredUnits({ ...base, unit: 'second', orderedUnits: 4, measuredSeconds: 3.96 })).toBe(4);
  });

  it('counts stored outputs, and nothing without any', () => {
    expect(deliveredUnits({ ...base, unit: 'output', orderedUnits: 4, storedOutputs: 3 })).toBe(3);
    expect(deliveredUnits({ ...base, unit: 'call' })).toBe(1);
    for (const unit of ['call', 'output', 'second'] as const) {
      expect(deliveredUnits({ ...base, unit, storedOutputs: 0, reportedSeconds: 15 })).toBe(0);
    }
  });
});
