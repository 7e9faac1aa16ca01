import { z } from 'zod';
import { moneyReason } from '#server/billing/schemas.ts';
import { bulkIds, listCursor, listDays, listIds, listLimit, listSearch } from '#server/lib/schemas.ts';

/** Inputs and views of invites. Isomorphic: imports zod and contracts only. */

export const inviteCode = z
  .string('Enter an invite code.')
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9]{6,20}$/, 'An invite code has 6 to 20 letters and digits.');

export const inviteCodeInput = z.object({ code: inviteCode });

export const INVITE_STATUSES = ['bound', 'qualified', 'rewarded', 'refused', 'clawed_back'] as const;
export type InviteStatus = (typeof INVITE_STATUSES)[number];

export type InviteTerms = {
  /** False: rewards are switched off. */
  open: boolean;
  inviterCredits: number;
  inviteeCredits: number;
  coolingOffDays: number;
  /** Rewards of one inviter per calendar month (UTC). */
  monthlyCap: number;
};

/** Whose code it is, for the landing page: a name, no address. */
export type InviteLanding = { code: string; inviterName: string; terms: InviteTerms };

export type InviteView = {
  id: string;
  status: InviteStatus;
  /** Name of the invited person, shortened ("A…"). */
  inviteeName: string;
  createdAt: Date;
  /** When the reward is paid if the order stands. */
  dueAt: Date | null;
  rewardedAt: Date | null;
  inviterCredits: number;
  note: string | null;
};

export type MyInvites = {
  code: string;
  /** Path of the landing page, `/invite/CODE`. */
  path: string;
  terms: InviteTerms;
  invites: InviteView[];
  /** Who invited me, once bound. */
  invitedBy: { name: string; status: InviteStatus; inviteeCredits: number; dueAt: Date | null } | null;
  /** Whether a code may still be entered: nobody invited me yet and nothing was bought. */
  mayBind: boolean;
  rewardsThisMonth: number;
};

export const adminInvitesInput = listDays.extend({
  status: z.enum(INVITE_STATUSES).optional(),
  /** The e-mail address or the id of either person. */
  who: listSearch,
  /** `due`: only what waits for its reward. `rewarded`: only what was paid. */
  sort: z.enum(['made', 'due', 'rewarded']).default('made'),
  order: z.enum(['asc', 'desc']).default('desc'),
  cursor: listCursor.optional(),
  limit: listLimit,
  ids: listIds,
});
export type AdminInvitesInput = z.infer<typeof adminInvitesInput>;

/** Ends invites for which nothing was paid; no reward is ever paid for them. */
export const voidInvitesInput = z.object({ inviteIds: bulkIds, reason: moneyReason });

export type AdminInviteView = {
  id: string;
  status: InviteStatus;
  inviterId: string;
  inviterEmail: string;
  inviteeId: string;
  inviteeEmail: string;
  orderId: string | null;
  createdAt: Date;
  dueAt: Date | null;
  rewardedAt: Date | null;
  inviterCredits: number;
  inviteeCredits: number;
  note: string | null;
  lastError: string | null;
};
export type AdminInvitePage = { items: AdminInviteView[]; nextCursor: string | null };
