import { z } from 'zod';
import { MAX_TIERS, PRICE_UNITS, type PriceUnit } from '../price/schemas.ts';

/**
 * What upstream takes from us, as administrators write it, in millionths ("micros") of a currency: a vendor's price of a
 * thousandth of a cent is a whole number. Never shown to users. Imports zod and prices only.
 */

/** Micros of one unit of a currency. */
const MICROS = 1_000_000;
/** A million units of the currency: more is a slip of the hand. */
const MAX_UNIT_MICROS = 1_000_000 * MICROS;

const unitMicros = z
  .number('Enter an amount.')
  .int('An amount has at most 6 decimals.')
  .min(0, 'An amount is 0 or more.')
  .max(MAX_UNIT_MICROS, 'An amount is at most 1,000,000.');

const costTier = z.object({
  when: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,40}$/, 'This is no name of a parameter.'),
      z.union([z.string().max(80), z.number().int(), z.boolean()]),
    )
    .refine((when) => Object.keys(when).length > 0, 'A tier says for which values of a parameter it is.')
    .refine((when) => Object.keys(when).length <= 8, 'A tier has at most 8 conditions.'),
  micros: unitMicros,
});

/** What a job costs that upstream took and that ended without a result: nothing, as ordered, or nobody knows. */
export const COST_OF_FAILURES = ['free', 'full', 'unknown'] as const;

/**
 * The vendor's price: of a call, of an output, of a second of each output, or of a block of tokens (by the token, not by
 * started blocks). The first tier that matches sets the amount, else the base does.
 */
export const costRule = z
  .object({
    currency: z.string().regex(/^[A-Z]{3}$/, 'Enter the three letters of a currency, such as USD.'),
    unit: z.enum(PRICE_UNITS, 'Choose what the vendor counts.'),
    micros: unitMicros,
    /** Of output tokens, where they have a price of their own; `micros` is then that of input tokens. */
    outputMicros: unitMicros.optional(),
    /** Tokens of one block; only with the unit `tokens`. */
    blockTokens: z
      .number('Enter how many tokens a block has.')
      .int('Enter a whole number of tokens.')
      .min(1, 'A block has at least 1 token.')
      .max(1_000_000_000, 'A block has at most 1,000,000,000 tokens.')
      .optional(),
    tiers: z.array(costTier).max(MAX_TIERS, `A cost has at most ${MAX_TIERS} tiers.`).optional(),
    /** Of one credit of the vendor, where its answers tell how many a job took: that figure then stands. */
    vendorCreditMicros: unitMicros.optional(),
    failures: z.enum(COST_OF_FAILURES).default('unknown'),
  })
  .superRefine(({ unit, blockTokens, outputMicros }, ctx) => {
    const fail = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
    const counts = unit === 'tokens';
    if (counts && blockTokens === undefined) {
      fail('blockTokens', 'A cost per block of tokens says how many tokens a block has.');
    }
    if (!counts && blockTokens !== undefined) {
      fail('blockTokens', 'Only a cost per block of tokens has a block size.');
    }
    if (!counts && outputMicros !== undefined) {
      fail('outputMicros', 'Only a cost per block of tokens has a price of output tokens.');
    }
  });
export type CostRule = z.infer<typeof costRule>;

/** A rule as it was frozen into a dispatch: its tier is chosen, and it knows what was ordered. */
export type CostTerms = {
  currency: string;
  unit: PriceUnit;
  micros: number;
  outputMicros?: number;
  blockTokens?: number;
  vendorCreditMicros?: number;
  failures: (typeof COST_OF_FAILURES)[number];
  ordered: {
    outputs: number;
    /** Of each output. */
    seconds: number;
  };
};

/** What a dispatch has cost, for administrators. */
export type DispatchCost = {
  currency: string;
  /** Null: not known (yet). */
  micros: number | null;
  /** Null: not known before it is delivered. */
  orderedMicros: number | null;
  /** `terms`: by the model's rule; `vendor`: by what the vendor's answer said; null: not known. */
  from: 'terms' | 'vendor' | null;
};
