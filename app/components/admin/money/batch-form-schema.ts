import { z } from 'zod';
import { createBatchInput } from '#server/billing/redeem/schemas.ts';

/** The procedure's own schema, but for the end: a form asks for a day, and codes are taken until that day is over. */

const { title, credits, codeCount, validDays, oncePerUser, key } = createBatchInput.shape;

export const batchForm = z.object({
  title,
  credits,
  codeCount,
  lastDay: z.iso.date('Enter a day.').optional(),
  validDays: validDays.unwrap().unwrap().optional(),
  oncePerUser,
  key,
});

export function toBatch({ lastDay, validDays: days, ...rest }: z.output<typeof batchForm>) {
  return { ...rest, validDays: days ?? null, expiresAt: lastDay ? endOfDay(lastDay) : null };
}

/** The first moment of the next day, in UTC. */
function endOfDay(day: string): Date {
  const end = new Date(`${day}T00:00:00Z`);
  end.setUTCDate(end.getUTCDate() + 1);
  return end;
}
