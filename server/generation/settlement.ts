import { floorShare } from '#server/lib/money.ts';
import type { PriceRule } from './price/schemas.ts';
import { countUnits } from './price/shared.ts';

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

type Delivery = {
  price: Pick<PriceRule, 'unit' | 'blockTokens'>;
  orderedUnits: number;
  orderedOutputs: number;
  /** Seconds ordered of each output; undefined in orders from before, which counted the seconds of one output only. */
  orderedSeconds: number | undefined;
  /** Each stored output: its length in seconds as measured in the file, null when it has none. */
  stored: readonly (number | null)[];
  /** What upstream says: seconds of an output, or tokens in and out. */
  reported: number | null;
};

/**
 * Units delivered under a price rule, counted as the quote counts them. `call`: one delivery is the call. `output`:
 * outputs stored. `second`: of as many outputs as were ordered, each as long as upstream reports or the file measures,
 * the smaller of both, to the nearest second because encoders cut at frames, and none longer than ordered. `tokens`: as
 * upstream reports. Where nothing is known, it counts as ordered.
 */
export function deliveredUnits(delivery: Delivery): number {
  const { price, orderedUnits, stored, reported } = delivery;
  if (stored.length === 0) return 0;
  if (price.unit === 'tokens' && reported === null) return orderedUnits;
  return countUnits(price, {
    outputs: stored.length,
    seconds: price.unit === 'second' ? deliveredSeconds(delivery) : 0,
    tokens: reported ?? 0,
  });
}

function deliveredSeconds({ stored, reported, ...ordered }: Delivery): number {
  const outputs = ordered.orderedSeconds === undefined ? 1 : ordered.orderedOutputs;
  const each = ordered.orderedSeconds ?? ordered.orderedUnits;
  // The longest first: what came above the order is free.
  const counted = [...stored].sort((a, b) => (b ?? -1) - (a ?? -1)).slice(0, outputs);
  return counted.reduce<number>((sum, measured) => {
    const known = [measured, reported].filter(
      (value): value is number => value !== null && Number.isFinite(value) && value >= 0,
    );
    return sum + (known.length === 0 ? each : Math.min(each, Math.round(Math.min(...known))));
  }, 0);
}
