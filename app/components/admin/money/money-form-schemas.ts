import { z } from 'zod';
import { adjustInput, costGuardInput } from '#server/billing/schemas.ts';

/** The procedures' own schemas, but for what a form says otherwise: an empty field is "none". */

const noneWhenEmpty = <T extends z.ZodType>(field: T) => field.transform((value) => value ?? null);

const limit = noneWhenEmpty(costGuardInput.shape.taskCredits.unwrap().optional());

export const costGuardForm = z.object({ taskCredits: limit, userDayCredits: limit, dayCredits: limit });

/** A form asks for the direction and an amount; the procedure takes one number with a sign. */
export const adjustForm = z.object({
  userId: adjustInput.shape.userId,
  direction: z.enum(['give', 'take'], 'Choose whether to give or to take.'),
  credits: z
    .number('Enter a whole number of credits.')
    .int('Enter a whole number of credits.')
    .min(1, 'Enter at least 1 credit.')
    .max(1_000_000_000, 'At most 1,000,000,000 credits.'),
  validDays: z
    .number('Enter a whole number of days.')
    .int('Enter a whole number of days.')
    .min(1, 'At least 1 day.')
    .max(3_650, 'At most 3,650 days.')
    .optional(),
  reason: adjustInput.shape.reason,
  key: adjustInput.shape.key,
});

export function toAdjustment({ direction, credits, validDays, ...rest }: z.output<typeof adjustForm>) {
  const gives = direction === 'give';
  return { ...rest, credits: gives ? credits : -credits, validDays: gives ? (validDays ?? null) : null };
}
