import type { Config, Deps } from '#server/deps.ts';
import { pageOf } from '#server/lib/list-page.ts';
import { randomCode } from '#server/lib/typed-codes.ts';
import { INVITE_CODE_CHARACTERS, requireInviter } from './bind-invite.ts';
import {
  countRewards,
  findCodeOf,
  findInviteOf,
  hasPaidOrder,
  insertCode,
  listInvites,
  listInvitesBy,
  type Person,
} from './queries.ts';
import type {
  AdminInvitePage,
  AdminInvitesInput,
  InviteLanding,
  InviteTerms,
  InviteView,
  MyInvites,
} from './schemas.ts';

const DAY_MS = 86_400_000;
/** A page's worth; there is no second page. */
const LISTED = 200;

/** A user's code, made when first asked for, and what came of it. */
export async function readMyInvites(deps: Pick<Deps, 'db' | 'config'>, userId: string): Promise<MyInvites> {
  const code = await openCode(deps, userId);
  const [mine, invitedBy, bought, rewardsThisMonth] = await Promise.all([
    listInvitesBy(deps.db, { inviterId: userId, limit: LISTED }),
    findInviteOf(deps.db, userId),
    hasPaidOrder(deps.db, userId),
    countRewards(deps.db, { inviterId: userId, at: null }),
  ]);
  return {
    code,
    path: `/invite/${code}`,
    terms: termsOf(deps.config),
    invites: mine.map(toInviteView),
    invitedBy: invitedBy
      ? {
          name: nameOf(invitedBy.inviter),
          status: invitedBy.status,
          inviteeCredits: invitedBy.inviteeCredits,
          dueAt: invitedBy.dueAt,
        }
      : null,
    mayBind: !invitedBy && !bought,
    rewardsThisMonth,
  };
}

/**
 * What an invited person sees: the inviter's name and nothing else of them.
 *
 * @throws AppError not_found
 */
export async function readLanding(
  deps: Pick<Deps, 'db' | 'config'>,
  input: { code: string },
): Promise<InviteLanding> {
  const { code, displayName } = await requireInviter(deps.db, { code: input.code, field: 'code' });
  return { code, inviterName: displayName, terms: termsOf(deps.config) };
}

/** One page of all invites, in the order asked for. */
export async function readInvites(
  deps: Pick<Deps, 'db'>,
  input: AdminInvitesInput,
): Promise<AdminInvitePage> {
  const { rows, nextCursor } = pageOf(
    await listInvites(deps.db, { ...input, limit: input.limit + 1 }),
    input.limit,
  );
  return {
    items: rows.map((row) => ({
      id: row.id,
      status: row.status,
      inviterId: row.inviterId,
      inviterEmail: emailOf(row.inviter),
      inviteeId: row.inviteeId,
      inviteeEmail: emailOf(row.invitee),
      orderId: row.orderId,
      createdAt: row.createdAt,
      dueAt: row.dueAt,
      rewardedAt: row.rewardedAt,
      inviterCredits: row.inviterCredits,
      inviteeCredits: row.inviteeCredits,
      note: row.note,
      lastError: row.lastError,
    })),
    nextCursor,
  };
}

/** Two who ask at once get the same code; one that somebody else has is drawn again. */
async function openCode(deps: Pick<Deps, 'db'>, userId: string): Promise<string> {
  for (;;) {
    const code = await findCodeOf(deps.db, userId);
    if (code !== undefined) return code;
    await insertCode(deps.db, { userId, code: randomCode(INVITE_CODE_CHARACTERS) });
  }
}

function termsOf({ invites }: Pick<Config, 'invites'>): InviteTerms {
  const { inviterCredits, inviteeCredits, coolingOffMs, monthlyCap } = invites;
  return {
    open: inviterCredits + inviteeCredits > 0,
    inviterCredits,
    inviteeCredits,
    coolingOffDays: Math.ceil(coolingOffMs / DAY_MS),
    monthlyCap,
  };
}

type Listed = Awaited<ReturnType<typeof listInvitesBy>>[number];
function toInviteView(row: Listed): InviteView {
  const { id, status, createdAt, dueAt, rewardedAt, inviterCredits, note } = row;
  return {
    id,
    status,
    inviteeName: shortNameOf(row.invitee),
    createdAt,
    dueAt,
    rewardedAt,
    inviterCredits,
    note,
  };
}

const DELETED = 'Deleted user';
const nameOf = (person: Person): string => (person.deletedAt ? DELETED : person.displayName);
const emailOf = (person: Person): string => (person.deletedAt ? DELETED : person.email);
/** Enough to tell one's friends apart; the rest is theirs. */
const shortNameOf = (person: Person): string =>
  person.deletedAt ? DELETED : `${[...person.displayName][0] ?? ''}…`;
