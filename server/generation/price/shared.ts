import type { PriceRule } from './schemas.ts';

/** The counting that quote, hold, settlement and the page while it is filled in share. Pure, without zod. */

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
