import { z } from 'zod';

export const ledgerInput = z.object({
  /** Id of the last entry of the page before. */
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(30),
});

export type LedgerEntryView = {
  id: string;
  at: Date;
  kind: 'grant' | 'hold' | 'return' | 'refund' | 'adjustment';
  deltaCredits: number;
  balanceAfterCredits: number;
  taskId: string | null;
  reason: string;
};

export type LedgerPage = { items: LedgerEntryView[]; nextCursor: string | null };

/** `heldCredits`: in open holds and in refunds that are on their way; not part of the balance. */
export type BalanceView = { balanceCredits: number; heldCredits: number };
