import { z } from 'zod';
import { moneyReason } from '#server/billing/schemas.ts';
import { bulkIds } from '#server/lib/schemas.ts';

/** Inputs and views of the administration of people. Isomorphic: imports zod and contracts only. */

const userId = z.uuid('This is not a user id.');

export const userIdInput = z.object({ userId });
export const setDisabledInput = z.object({ userId, disabled: z.boolean(), reason: moneyReason });
export const bulkDisabledInput = setDisabledInput.omit({ userId: true }).extend({ userIds: bulkIds });

/** Limits of one person in place of the general ones; null: the general ones. 0 starts nothing. */
export const setLimitsInput = z.object({
  userId,
  inFlightLimit: z
    .number('Enter a whole number of tasks.')
    .int('Enter a whole number of tasks.')
    .min(0, 'A limit is 0 or more.')
    .max(100_000, 'At most 100,000 tasks.')
    .nullable(),
  dayCreditsLimit: z
    .number('Enter a whole number of credits.')
    .int('Enter a whole number of credits.')
    .min(0, 'A limit is 0 or more.')
    .max(1_000_000_000_000, 'At most 1,000,000,000,000 credits.')
    .nullable(),
  reason: moneyReason,
});

export type UserStandingView = {
  userId: string;
  role: 'user' | 'admin';
  disabledAt: Date | null;
  deletedAt: Date | null;
  inFlightLimit: number | null;
  dayCreditsLimit: number | null;
  /** The general ones; null: there is none. */
  general: { inFlightLimit: number; dayCreditsLimit: number | null };
  /** Tasks that have not ended. */
  liveTasks: number;
};
