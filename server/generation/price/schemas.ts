import { z } from 'zod';

/** Prices: the rule as administrators write it and the counting that quote, hold and settlement share. Imports zod only. */

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

/** Credits of one unit for these parameters: those of the first tier whose every condition holds, else the base. */
export function unitCreditsOf(
  price: Pick<PriceRule, 'credits' | 'tiers'>,
  params: Record<string, unknown>,
): number {
  const tier = price.tiers?.find(({ when }) =>
    Object.entries(when).every(([name, value]) => String(params[name]) === String(value)),
  );
  return (tier ?? price).credits;
}

/** What was ordered, or delivered. Seconds are those of all outputs together; tokens are input and output together. */
type Quantity = { outputs: number; seconds: number; tokens: number };

/**
 * Units of a quantity under a price. Units are whole: a started block of tokens counts, and whatever was delivered has
 * started one.
 */
export function countUnits(price: Pick<PriceRule, 'unit' | 'blockTokens'>, quantity: Quantity): number {
  switch (price.unit) {
    case 'call':
      return 1;
    case 'output':
      return quantity.outputs;
    case 'second':
      return quantity.seconds;
    case 'tokens':
      return Math.max(1, Math.ceil(quantity.tokens / (price.blockTokens ?? 1)));
  }
}

/**
 * Most tokens that an order can use: `max_tokens` for each output, and one for each byte of what is sent as text,
 * because no vendor's token is shorter than a byte. What a vendor adds of its own (the frame of a message, pictures)
 * may pass it; nobody pays for that, because a settlement never takes more than the hold.
 */
export const mostTokens = (order: { outputs: number; maxTokens: number; inputBytes: number }): number =>
  order.outputs * order.maxTokens + order.inputBytes;

export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;

/** UTF-8 bytes of the parameters that are written by hand: upstream reads them as it reads the prompt. */
export function textBytes(
  parameters: Readonly<Record<string, { type: string }>>,
  params: Record<string, unknown>,
): number {
  return Object.entries(parameters).reduce((sum, [name, { type }]) => {
    const value = params[name];
    return type === 'text' && typeof value === 'string' ? sum + utf8Bytes(value) : sum;
  }, 0);
}
