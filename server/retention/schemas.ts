import { z } from 'zod';

/** Inputs and views of what is kept, and for how long. Isomorphic: imports zod only. */

export const outputRetentionInput = z.object({
  /** Files are removed so many days after their task ended; null: kept. */
  days: z
    .number('Enter a whole number of days.')
    .int('Enter a whole number of days.')
    .min(1, 'At least 1 day.')
    .max(3_650, 'At most 3,650 days.')
    .nullable(),
});

export const closeAccountInput = z.object({
  password: z
    .string('Enter your password.')
    .min(1, 'Enter your password.')
    .max(1_000, 'The password is wrong.'),
  /** Typed by the person, so that it is no accident. */
  confirm: z.literal('delete my account', 'Type: delete my account'),
});

export type AccountKeeping = {
  outputRetentionDays: number | null;
  /** What stands in the way of closing, or follows from it, in sentences. */
  beforeClosing: { runningTasks: number; balanceCredits: number; owedCredits: number };
};

/** Everything of a person, as JSON for download. */
export type AccountExport = {
  exportedAt: Date;
  account: {
    id: string;
    email: string;
    displayName: string;
    language: string | null;
    timeZone: string | null;
    outputRetentionDays: number | null;
    createdAt: Date;
  };
  balanceCredits: number;
  ledger: unknown[];
  debts: unknown[];
  orders: unknown[];
  tasks: unknown[];
  composites: unknown[];
  outputs: unknown[];
  collections: unknown[];
  shareLinks: unknown[];
  uploads: unknown[];
  invites: unknown[];
  sessions: unknown[];
  apiTokens: unknown[];
  notifications: unknown[];
  webhookEndpoints: unknown[];
  webhookDeliveries: unknown[];
  promptTemplates: unknown[];
  parameterPresets: unknown[];
};

/** How many rows a batch handled, by rule. */
export type RetentionCounts = Record<string, number>;
