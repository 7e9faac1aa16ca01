import type { Usage } from '#server/providers/provider.ts';
import type { CostRule, CostTerms } from './schemas.ts';

/** What upstream takes for an order and for a delivery. Pure, and in whole micros: a part of one is rounded up. */

/** Largest amount that a column holds and a JavaScript number tells exactly. */
const MOST_MICROS = 9_000_000_000_000_000n;

/** Thousandths of a vendor's credit are told apart. */
const CREDIT_PARTS = 1_000;

export type KnownCost = { micros: number; from: 'terms' | 'vendor' };

/** A rule as it holds for one order. */
export function freezeCost(
  rule: CostRule,
  order: { params: Record<string, unknown>; outputs: number; seconds: number },
): CostTerms {
  const { tiers, ...terms } = rule;
  const tier = tiers?.find(({ when }) =>
    Object.entries(when).every(([name, value]) => String(order.params[name]) === String(value)),
  );
  return {
    ...terms,
    micros: tier?.micros ?? rule.micros,
    ordered: { outputs: order.outputs, seconds: order.seconds },
  };
}

/** Micros of all that was ordered; null where nobody knows before it is delivered (tokens), or it is out of range. */
export function orderedMicros({ unit, micros, ordered }: CostTerms): number | null {
  switch (unit) {
    case 'call':
      return micros;
    case 'output':
      return product(micros, ordered.outputs);
    case 'second':
      return product(micros, ordered.outputs * ordered.seconds);
    case 'tokens':
      return null;
  }
}

export type CostDelivery = {
  /** Outputs that upstream made, stored or not: it takes its price for what we could not keep too. */
  outputs: number;
  /** Each stored output: its length in seconds as measured in the file, null when it has none. */
  stored: readonly (number | null)[];
  usage: Usage | null;
};

/**
 * What upstream took for a job whose end is known: by its own figure where its answer had one, else by what it made. Null:
 * it cannot be told, which is never nothing.
 */
export function costOf(terms: CostTerms, delivery: CostDelivery): KnownCost | null {
  const { usage } = delivery;
  if (usage?.vendorCredits !== undefined && terms.vendorCreditMicros !== undefined) {
    return known(share(terms.vendorCreditMicros, usage.vendorCredits * CREDIT_PARTS, CREDIT_PARTS), 'vendor');
  }
  if (delivery.outputs === 0) return known(costOfFailure(terms), 'terms');
  switch (terms.unit) {
    case 'call':
      return known(terms.micros, 'terms');
    case 'output':
      return known(product(terms.micros, delivery.outputs), 'terms');
    case 'second':
      return known(costOfSeconds(terms, delivery), 'terms');
    case 'tokens':
      return known(costOfTokens(terms, usage), 'terms');
  }
}

const known = (micros: number | null, from: KnownCost['from']): KnownCost | null =>
  micros === null ? null : { micros, from };

function costOfFailure(terms: CostTerms): number | null {
  switch (terms.failures) {
    case 'free':
      return 0;
    case 'full':
      return orderedMicros(terms);
    case 'unknown':
      return null;
  }
}

/** Of each output as upstream reports, else as the files measure: all of them, or it is not known. */
function costOfSeconds({ micros }: CostTerms, { outputs, stored, usage }: CostDelivery): number | null {
  if (usage?.units !== undefined) return product(micros, usage.units * outputs);
  if (stored.length < outputs) return null;
  let seconds = 0;
  for (const measured of stored) {
    if (measured === null) return null;
    // Encoders cut at frames: a video of five seconds measures a little less or more.
    seconds += Math.round(measured);
  }
  return product(micros, seconds);
}

function costOfTokens(terms: CostTerms, usage: Usage | null): number | null {
  const { inputTokens, outputTokens } = usage ?? {};
  const { micros, outputMicros, blockTokens = 1 } = terms;
  if (outputMicros === undefined) {
    if (inputTokens === undefined && outputTokens === undefined) return null;
    return share(micros, (inputTokens ?? 0) + (outputTokens ?? 0), blockTokens);
  }
  // Half of two prices is not the cost.
  if (inputTokens === undefined || outputTokens === undefined) return null;
  return inRange(
    ceiling(BigInt(micros) * whole(inputTokens) + BigInt(outputMicros) * whole(outputTokens), blockTokens),
  );
}

const whole = (value: number): bigint => BigInt(Math.round(value));

const product = (micros: number, count: number): number | null => share(micros, count, 1);

/** ⌈micros × count ÷ of⌉. */
const share = (micros: number, count: number, of: number): number | null =>
  inRange(ceiling(BigInt(micros) * whole(count), of));

function ceiling(dividend: bigint, of: number): bigint {
  const divisor = BigInt(of);
  return (dividend + divisor - 1n) / divisor;
}

const inRange = (micros: bigint): number | null => (micros <= MOST_MICROS ? Number(micros) : null);
