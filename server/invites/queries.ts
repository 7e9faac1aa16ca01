import { aliasedTable, and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { DbOrTx, Tx } from '#server/db/client.ts';
import { keyset, madeBetween, oneOf } from '#server/db/keyset.ts';
import { inviteCodes, invites, orders, users } from '#server/db/schema/index.ts';
import { isUuid } from '#server/lib/ids.ts';
import type { AdminInvitesInput } from './schemas.ts';

export type InviteRow = typeof invites.$inferSelect;
export type Inviter = { userId: string; displayName: string; code: string };
/** Enough to show somebody by. */
export type Person = { displayName: string; email: string; deletedAt: Date | null };

const person = (table: typeof users) => ({
  displayName: table.displayName,
  email: table.email,
  deletedAt: table.deletedAt,
});

export async function findCodeOf(db: DbOrTx, userId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ code: inviteCodes.code })
    .from(inviteCodes)
    .where(eq(inviteCodes.userId, userId));
  return row?.code;
}

/** Does nothing when the user has a code, or somebody has this one. */
export async function insertCode(db: DbOrTx, input: { userId: string; code: string }): Promise<void> {
  await db.insert(inviteCodes).values(input).onConflictDoNothing();
}

/** Whose code it is; people who may not sign in invite nobody. */
export async function findInviter(db: DbOrTx, code: string): Promise<Inviter | undefined> {
  const [row] = await db
    .select({ userId: users.id, displayName: users.displayName, code: inviteCodes.code })
    .from(inviteCodes)
    .innerJoin(users, eq(users.id, inviteCodes.userId))
    .where(and(eq(inviteCodes.code, code), isNull(users.disabledAt)));
  return row;
}

/** Key of the advisory lock under which codes are entered: the letters "invites" as a number. */
const BIND_LOCK = '29676327409050995';

/** Lets one transaction at a time bind people who may have invited others already. */
export async function lockBinding(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${BIND_LOCK}::bigint)`);
}

/** Whether a user is among those who invited `from`, directly or through others. */
export async function isAncestor(tx: Tx, input: { userId: string; from: string }): Promise<boolean> {
  const rows = (await tx.execute(sql`
    with recursive chain(id) as (
      select ${input.from}::uuid
      union
      select i.inviter_id from ${invites} i join chain on i.invitee_id = chain.id
    )
    select 1 as found from chain where id = ${input.userId}::uuid`)) as unknown as { found: number }[];
  return rows.length > 0;
}

/** False when somebody invited this person already. */
export async function insertInvite(
  tx: Tx,
  input: { inviterId: string; inviteeId: string },
): Promise<boolean> {
  const rows = await tx
    .insert(invites)
    .values(input)
    .onConflictDoNothing({ target: invites.inviteeId })
    .returning({ id: invites.id });
  return rows.length === 1;
}

export async function hasPaidOrder(db: DbOrTx, userId: string): Promise<boolean> {
  const [row] = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.userId, userId), isNotNull(orders.paidAt)))
    .limit(1);
  return row !== undefined;
}

/** The invite of which this person is the invited one. */
export async function findInviteOf(
  db: DbOrTx,
  inviteeId: string,
): Promise<(InviteRow & { inviter: Person }) | undefined> {
  const [row] = await db
    .select({ invite: invites, inviter: person(users) })
    .from(invites)
    .innerJoin(users, eq(users.id, invites.inviterId))
    .where(eq(invites.inviteeId, inviteeId));
  return row && { ...row.invite, inviter: row.inviter };
}

/** Newest first. */
export async function listInvitesBy(
  db: DbOrTx,
  input: { inviterId: string; limit: number },
): Promise<(InviteRow & { invitee: Person })[]> {
  const rows = await db
    .select({ invite: invites, invitee: person(users) })
    .from(invites)
    .innerJoin(users, eq(users.id, invites.inviteeId))
    .where(eq(invites.inviterId, input.inviterId))
    .orderBy(desc(invites.id))
    .limit(input.limit);
  return rows.map(({ invite, invitee }) => ({ ...invite, invitee }));
}

/** Rewards that an inviter got in the calendar month (UTC) of a moment, those taken back later included; `at` null: now. */
export async function countRewards(
  db: DbOrTx,
  input: { inviterId: string; at: Date | null },
): Promise<number> {
  const at = input.at ? sql`${input.at.toISOString()}::timestamptz` : sql`now()`;
  const month = sql`date_trunc('month', ${at}, 'UTC')`;
  const rows = (await db.execute(sql`
    select count(*)::int as total from ${invites}
    where inviter_id = ${input.inviterId} and inviter_credits > 0
      and rewarded_at >= ${month}
      and rewarded_at < (${month} at time zone 'UTC' + interval '1 month') at time zone 'UTC'`)) as unknown as {
    total: number;
  }[];
  return rows[0]?.total ?? 0;
}

/** For administrators, in the order asked for. */
export async function listInvites(
  db: DbOrTx,
  input: AdminInvitesInput,
): Promise<(InviteRow & { inviter: Person; invitee: Person; sortKey: string })[]> {
  const inviter = aliasedTable(users, 'inviter');
  const invitee = aliasedTable(users, 'invitee');
  const { status, who, sort } = input;
  const { after, orderBy, sortKey } = keyset({
    sort,
    descending: input.order === 'desc',
    cursor: input.cursor,
    columns: {
      made: null,
      due: { column: sql`${invites.dueAt}`, type: 'moment' },
      rewarded: { column: sql`${invites.rewardedAt}`, type: 'moment' },
    },
    id: sql`${invites.id}`,
  });
  const ofWhom = isUuid(who)
    ? sql`${who}::uuid in (${invites.inviterId}, ${invites.inviteeId})`
    : sql`lower(${who}) in (${inviter.email}, ${invitee.email})`;
  const rows = await db
    .select({ invite: invites, inviter: person(inviter), invitee: person(invitee), sortKey })
    .from(invites)
    .innerJoin(inviter, eq(inviter.id, invites.inviterId))
    .innerJoin(invitee, eq(invitee.id, invites.inviteeId))
    .where(
      and(
        after,
        sort === 'due' ? isNotNull(invites.dueAt) : undefined,
        sort === 'rewarded' ? isNotNull(invites.rewardedAt) : undefined,
        status ? eq(invites.status, status) : undefined,
        who === '' ? undefined : ofWhom,
        oneOf(sql`${invites.id}`, input.ids),
        madeBetween({ id: sql`${invites.id}`, madeAt: sql`${invites.createdAt}` }, input),
      ),
    )
    .orderBy(...orderBy)
    .limit(input.limit);
  return rows.map(({ invite, ...rest }) => ({ ...invite, ...rest }));
}

export async function lockInvite(tx: Tx, inviteId: string): Promise<InviteRow | undefined> {
  const [row] = await tx.select().from(invites).where(eq(invites.id, inviteId)).for('no key update');
  return row;
}

/** `bound` or `qualified` → `refused`; whoever is about to pay it finds that it waits no more. */
export async function markVoided(tx: Tx, input: { inviteId: string; note: string }): Promise<void> {
  await tx
    .update(invites)
    .set({
      status: 'refused',
      dueAt: null,
      leaseUntil: null,
      leasedBy: null,
      lastError: null,
      endedAt: sql`clock_timestamp()`,
      note: input.note,
    })
    .where(eq(invites.id, input.inviteId));
}
