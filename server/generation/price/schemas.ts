import { z } from 'zod';

/** Prices: the rule as administrators write it. What is counted by it is in `shared.ts`. Imports zod only. */

export const PRICE_UNITS = ['call', 'output', 'second', 'tokens'] as const;
export type PriceUnit = (typeof PRICE_UNITS)[number];

export const MAX_TIERS = 30;
const MAX_UNIT_CREDITS = 1_000_000;

const unitCredits = z
  .number('Enter a whole number of credits.')
  .int('Enter a whole number of credits.')
  .min(0, 'A price is 0 credits or more.')
  .max(MAX_UNIT_CREDITS, 'A price has at most 1,000,000 credits.');

/** Another price for orders whose parameters have these values; a value may be written as text, as forms send it. */
const priceTier = z.object({
  when: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,40}$/, 'This is no name of a parameter.'),
      z.union([z.string().max(80), z.number().int(), z.boolean()]),
    )
    .refine((when) => Object.keys(when).length > 0, 'A tier says for which values of a parameter it is.')
    .refine((when) => Object.keys(when).length <= 8, 'A tier has at most 8 conditions.'),
  credits: unitCredits,
});
export type PriceTier = z.infer<typeof priceTier>;

/**
 * Price in integer credits per unit: per call, per output (× `n`), per second (× `seconds` × `n`), or per started block
 * of tokens (input and output together). The first tier that matches sets the credits, else the base does.
 */
export const priceRule = z
  .object({
    unit: z.enum(PRICE_UNITS, 'Choose what the price counts.'),
    credits: unitCredits,
    /** Tokens of one block; only with the unit `tokens`. */
    blockTokens: z
      .number('Enter how many tokens a block has.')
      .int('Enter a whole number of tokens.')
      .min(1, 'A block has at least 1 token.')
      .max(1_000_000, 'A block has at most 1,000,000 tokens.')
      .optional(),
    tiers: z.array(priceTier).max(MAX_TIERS, `A price has at most ${MAX_TIERS} tiers.`).optional(),
  })
  .superRefine((price, ctx) => {
    const counts = price.unit === 'tokens';
    if (counts === (price.blockTokens !== undefined)) return;
    const message = counts
      ? 'A price per block of tokens says how many tokens a block has.'
      : 'Only a price per block of tokens has a block size.';
    ctx.addIssue({ code: 'custom', path: ['blockTokens'], message });
  });
export type PriceRule = z.infer<typeof priceRule>;
