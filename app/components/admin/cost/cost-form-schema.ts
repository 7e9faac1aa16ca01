import { z } from 'zod';
import { COST_OF_FAILURES, type CostRule } from '#server/generation/cost/schemas.ts';
import { MAX_TIERS, PRICE_UNITS } from '#server/generation/price/schemas.ts';
import { candidateInput } from '#server/providers/channels/models/schemas.ts';
import { parseConditions, toConditions } from '../price-form-schema.ts';
import { parseAmount, toAmountText } from './format-micros.ts';

/** A cost as a form has it: amounts as text, in the currency, which become whole millionths. */

const MOST = 1_000_000 * 1_000_000;
const NO_AMOUNT = 'Enter an amount such as 0.04, with at most 6 decimals.';

const amount = z.string().transform((text, ctx) => {
  const micros = parseAmount(text);
  if (micros !== undefined && micros <= MOST) return micros;
  ctx.addIssue({
    code: 'custom',
    message: micros === undefined ? NO_AMOUNT : 'An amount is at most 1,000,000.',
  });
  return z.NEVER;
});

/** A row of the form. One with nothing in it is no tier. */
const tierRow = z
  .object({ when: z.string().max(700, 'At most 700 characters.').optional(), amount: amount.optional() })
  .transform((row, ctx) => {
    if (row.when === undefined && row.amount === undefined) return null;
    const when = parseConditions(row.when ?? '');
    if (!when) {
      const message = 'Write name=value, such as size=1024x1024, quality=high; each name once.';
      ctx.addIssue({ code: 'custom', path: ['when'], message });
    }
    if (row.amount === undefined) ctx.addIssue({ code: 'custom', path: ['amount'], message: NO_AMOUNT });
    return when && row.amount !== undefined ? { when, micros: row.amount } : z.NEVER;
  });

export const costForm = z
  .object({
    unit: z.enum(['none', ...PRICE_UNITS], 'Choose what the vendor counts.').default('none'),
    currency: z.string().trim().toUpperCase().optional(),
    amount: amount.optional(),
    blockTokens: z
      .number('Enter a number.')
      .int('Enter a whole number.')
      .min(1, 'Enter at least 1.')
      .max(1_000_000_000, 'Enter at most 1000000000.')
      .optional(),
    outputAmount: amount.optional(),
    failures: z.enum(COST_OF_FAILURES, 'Choose what these cost.').default('unknown'),
    credit: amount.optional(),
    tiers: z.array(tierRow).max(MAX_TIERS, `At most ${MAX_TIERS} tiers.`).default([]),
  })
  .transform((form, ctx): CostRule | null => {
    const { unit, currency = '', amount: micros, blockTokens, outputAmount, failures, credit } = form;
    if (unit === 'none') return null;
    const fail = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
    const isCurrency = /^[A-Z]{3}$/.test(currency);
    const hasBlock = unit !== 'tokens' || blockTokens !== undefined;
    if (!isCurrency) fail('currency', 'Enter the three letters of a currency, such as USD.');
    if (micros === undefined) fail('amount', NO_AMOUNT);
    if (!hasBlock) fail('blockTokens', 'Enter how many tokens the amount buys.');
    if (!isCurrency || micros === undefined || !hasBlock) return z.NEVER;
    const tiers = form.tiers.filter((row) => row !== null);
    return {
      currency,
      unit,
      micros,
      // What is left from another unit says nothing.
      ...(unit === 'tokens' ? { blockTokens } : {}),
      ...(unit === 'tokens' && outputAmount !== undefined ? { outputMicros: outputAmount } : {}),
      ...(tiers.length > 0 ? { tiers } : {}),
      ...(credit === undefined ? {} : { vendorCreditMicros: credit }),
      failures,
    };
  });

/** What the form's name begins with; each candidate has one. */
export const CANDIDATE_COST = 'candidate-cost-';
export const candidateCostForm = candidateInput.extend({ cost: costForm });

/** A cost in the fields of the form, with an empty row for a further tier. */
export function toCostFields(cost: CostRule | null) {
  if (!cost)
    return { unit: 'none' as const, currency: 'USD', failures: 'unknown' as const, tiers: [EMPTY_ROW] };
  const { tiers = [], micros, outputMicros, vendorCreditMicros, ...rest } = cost;
  const rows = tiers.map(({ when, micros: each }) => ({
    when: toConditions(when),
    amount: toAmountText(each),
  }));
  return {
    ...rest,
    amount: toAmountText(micros),
    outputAmount: outputMicros === undefined ? undefined : toAmountText(outputMicros),
    credit: vendorCreditMicros === undefined ? undefined : toAmountText(vendorCreditMicros),
    tiers: rows.length < MAX_TIERS ? [...rows, EMPTY_ROW] : rows,
  };
}

const EMPTY_ROW = { when: '', amount: '' };
