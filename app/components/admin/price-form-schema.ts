import { z } from 'zod';
import { MAX_TIERS, PRICE_UNITS, type PriceRule } from '#server/generation/price/schemas.ts';

const credits = (empty: string) =>
  z
    .number(empty)
    .int('Enter a whole number of credits.')
    .min(0, 'Enter at least 0.')
    .max(1_000_000, 'Enter at most 1000000.');

/** `size=1024x1024, quality=high`; a comma ends a value only where another name follows. */
const CONDITION_BREAK = /,\s*(?=[a-z][a-z0-9_]{0,40}\s*=)/;
const CONDITION = /^([a-z][a-z0-9_]{0,40})\s*=\s*(.+)$/;

/** The conditions of a tier as they are typed; undefined when they cannot be read. */
export function parseConditions(text: string): Record<string, string> | undefined {
  const pairs = text
    .trim()
    .split(CONDITION_BREAK)
    .map((part) => CONDITION.exec(part.trim()))
    .map((match) => (match ? ([match[1] ?? '', (match[2] ?? '').trim()] as const) : undefined));
  const names = new Set(pairs.map((pair) => pair?.[0]));
  if (pairs.some((pair) => pair === undefined) || names.size < pairs.length) return undefined;
  return Object.fromEntries(pairs.filter((pair) => pair !== undefined));
}

/** A row of the form. One with nothing in it is no tier. */
const tierRow = z
  .object({
    when: z.string().max(700, 'At most 700 characters.').optional(),
    credits: credits('Enter a number.').optional(),
  })
  .transform((row, ctx) => {
    if (row.when === undefined && row.credits === undefined) return null;
    const when = parseConditions(row.when ?? '');
    if (!when) {
      const message = 'Write name=value, such as size=1024x1024, quality=high; each name once.';
      ctx.addIssue({ code: 'custom', path: ['when'], message });
    }
    if (row.credits === undefined) {
      ctx.addIssue({ code: 'custom', path: ['credits'], message: 'Enter a number.' });
    }
    return when && row.credits !== undefined ? { when, credits: row.credits } : z.NEVER;
  });

/** A model's price as a form has it. What its tiers name is checked with the model, whose parameters they are about. */
export const priceForm = z
  .object({
    unit: z.enum(PRICE_UNITS, 'Choose what the price counts.'),
    credits: credits('Enter a number.'),
    blockTokens: z
      .number('Enter a number.')
      .int('Enter a whole number.')
      .min(1, 'Enter at least 1.')
      .max(1_000_000, 'Enter at most 1000000.')
      .optional(),
    tiers: z.array(tierRow).max(MAX_TIERS, `At most ${MAX_TIERS} tiers.`).default([]),
  })
  .transform(({ unit, credits, blockTokens, tiers: rows }, ctx): PriceRule => {
    if (unit === 'tokens' && blockTokens === undefined) {
      ctx.addIssue({ code: 'custom', path: ['blockTokens'], message: 'Enter how many tokens a block has.' });
      return z.NEVER;
    }
    const tiers = rows.filter((row) => row !== null);
    return {
      unit,
      credits,
      // A block size that is left from another unit says nothing.
      ...(unit === 'tokens' ? { blockTokens } : {}),
      ...(tiers.length > 0 ? { tiers } : {}),
    };
  });

/** A price in the fields of the form, with an empty row for a further tier. */
export function toPriceFields(price: PriceRule) {
  const { tiers = [], ...rest } = price;
  const rows = tiers.map(({ when, credits }) => ({ when: toConditions(when), credits }));
  const spare = rows.length < MAX_TIERS ? [{ when: '', credits: undefined }] : [];
  return { ...rest, tiers: [...rows, ...spare] };
}

export const toConditions = (when: Record<string, unknown>): string =>
  Object.entries(when)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ');
