import { floorShare } from '#server/lib/money.ts';

export type Settlement =
  /** Captured and returned add up to the hold. */
  | { type: 'capture'; capturedCredits: number; returnedCredits: number }
  | { type: 'refund'; refundedCredits: number };

/**
 * How a hold ends: ⌊hold × delivered ÷ ordered⌋, never more than the hold; what came above the order is free. Nothing
 * delivered is a full refund, unless the model is charged when cancelled (shown before the submit) and upstream ran.
 */
export function settlement(input: {
  holdCredits: number;
  orderedUnits: number;
  deliveredUnits: number;
  billedOnCancel: boolean;
}): Settlement {
  const delivered = Math.min(Math.max(0, Math.floor(input.deliveredUnits)), input.orderedUnits);
  if (delivered === 0) {
    return input.billedOnCancel
      ? { type: 'capture', capturedCredits: input.holdCredits, returnedCredits: 0 }
      : { type: 'refund', refundedCredits: input.holdCredits };
  }
  const capturedCredits = floorShare(input.holdCredits, delivered, input.orderedUnits);
  return { type: 'capture', capturedCredits, returnedCredits: input.holdCredits - capturedCredits };
}

/**
 * Units delivered under a price rule. `call`: one delivery is the call. `output`: outputs stored. `second`: seconds as
 * upstream reports them, else as measured in the stored file, rounded to the nearest second because encoders cut at
 * frames; when neither is known, an output counts as ordered.
 */
export function deliveredUnits(input: {
  unit: 'call' | 'output' | 'second';
  orderedUnits: number;
  storedOutputs: number;
  reportedSeconds: number | null;
  measuredSeconds: number | null;
}): number {
  if (input.storedOutputs === 0) return 0;
  switch (input.unit) {
    case 'call':
      return 1;
    case 'output':
      return input.storedOutputs;
    case 'second': {
      const known = [input.reportedSeconds, input.measuredSeconds].filter(
        (value): value is number => value !== null && Number.isFinite(value) && value >= 0,
      );
      return known.length === 0 ? input.orderedUnits : Math.round(Math.min(...known));
    }
  }
}
