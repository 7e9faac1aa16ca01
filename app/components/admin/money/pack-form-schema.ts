import { z } from 'zod';
import { minorDigits } from '#app/lib/format-money.ts';
import { type AdminPackView, savePackInput } from '#server/orders/schemas.ts';

/** The procedure's own schema, but for the price: people type `9.90`, not cents. Empty validity: for ever. */

const { packId, key, title, credits, currency, position } = savePackInput.shape;

export const packForm = z
  .object({
    packId,
    key,
    title,
    credits,
    price: z.string('Enter the price.').trim(),
    currency,
    validDays: z
      .number('Enter a whole number of days.')
      .int('Enter a whole number of days.')
      .min(1, 'At least 1 day.')
      .max(3_650, 'At most 3,650 days.')
      .optional(),
    enabled: z.boolean().default(false),
    position,
  })
  .superRefine((form, ctx) => {
    const amount = readPrice(form.price, form.currency);
    if (typeof amount === 'string') ctx.addIssue({ code: 'custom', path: ['price'], message: amount });
  });

/** What the procedure takes: minor units, and null for credits that never expire. */
export function toPack({ price, validDays, ...rest }: z.output<typeof packForm>) {
  const amount = readPrice(price, rest.currency);
  return { ...rest, amountMinor: typeof amount === 'number' ? amount : 0, validDays: validDays ?? null };
}

/** How the form shows a pack. */
export function fromPack(pack: AdminPackView) {
  const { id, amountMinor, validDays, createdAt: _createdAt, ...rest } = pack;
  return {
    ...rest,
    packId: id,
    price: minorToText(amountMinor, pack.currency),
    validDays: validDays ?? undefined,
  };
}

/** Minor units as typed, exactly: digits are moved as text and never multiplied. Or what is wrong. */
function readPrice(text: string, currencyCode: string): number | string {
  const typed = /^(\d{1,9})(?:[.,](\d+))?$/.exec(text);
  if (!typed) return 'Enter the price in figures, such as 9.90.';
  const digits = minorDigits(currencyCode);
  const [, whole = '', part = ''] = typed;
  if (part.length > digits) {
    return digits === 0
      ? `${currencyCode} has no digits after the point.`
      : `${currencyCode} has ${digits} digits after the point.`;
  }
  const amount = Number(`${whole}${part.padEnd(digits, '0')}`);
  return amount > 0 ? amount : 'The price is more than 0.';
}

function minorToText(amountMinor: number, currencyCode: string): string {
  const digits = minorDigits(currencyCode);
  const figures = String(amountMinor).padStart(digits + 1, '0');
  return digits === 0 ? figures : `${figures.slice(0, -digits)}.${figures.slice(-digits)}`;
}
