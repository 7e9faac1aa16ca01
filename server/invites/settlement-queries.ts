import { and, asc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Db, DbOrTx, Tx } from '#server/db/client.ts';
import { invites, orders, users } from '#server/db/schema/index.ts';
import { claimRows, unleased, uuidArray } from '#server/lib/leases.ts';
import type { InviteRow } from './queries.ts';

const orderColumns = {
  id: orders.id,
  userId: orders.userId,
  status: orders.status,
  refundedMinor: orders.refundedMinor,
  dispute: orders.dispute,
  paidAt: orders.paidAt,
};
export type SeenOrder = Pick<typeof orders.$inferSelect, keyof typeof orderColumns>;

/** Orders whose last change the lane has not seen, from an id onwards. */
export async function listDueOrders(
  db: Db,
  input: { after: string | undefined; limit: number },
): Promise<string[]> {
  const rows = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.invitesDue, true), input.after ? gt(orders.id, input.after) : undefined))
    .orderBy(asc(orders.id))
    .limit(input.limit);
  return rows.map((row) => row.id);
}

/** Locks an order to be looked at; undefined when another lane has it, or has seen it. */
export async function lockDueOrder(tx: Tx, orderId: string): Promise<SeenOrder | undefined> {
  const [row] = await tx
    .select(orderColumns)
    .from(orders)
    .where(and(eq(orders.id, orderId), eq(orders.invitesDue, true)))
    .for('no key update', { skipLocked: true });
  return row;
}

export async function findOrder(tx: Tx, orderId: string): Promise<SeenOrder | undefined> {
  const [row] = await tx.select(orderColumns).from(orders).where(eq(orders.id, orderId));
  return row;
}

export async function markOrderSeen(tx: Tx, orderId: string): Promise<void> {
  await tx.update(orders).set({ invitesDue: false }).where(eq(orders.id, orderId));
}

export async function findFirstPaidOrder(tx: Tx, userId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.userId, userId), isNotNull(orders.paidAt)))
    .orderBy(asc(orders.paidAt), asc(orders.id))
    .limit(1);
  return row?.id;
}

export async function lockInviteOf(tx: Tx, inviteeId: string): Promise<InviteRow | undefined> {
  const [row] = await tx.select().from(invites).where(eq(invites.inviteeId, inviteeId)).for('no key update');
  return row;
}

/** Locks a claimed invite; undefined when somebody else has it or it is no longer waiting. */
export async function lockClaimed(
  tx: Tx,
  claimed: { id: string; leaseToken: number },
): Promise<InviteRow | undefined> {
  const [row] = await tx
    .select()
    .from(invites)
    .where(
      and(
        eq(invites.id, claimed.id),
        eq(invites.leaseToken, claimed.leaseToken),
        eq(invites.status, 'qualified'),
      ),
    )
    .for('no key update');
  return row;
}

/** Which of these people may not sign in any more. */
export async function listClosedAccounts(tx: Tx, userIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, [...userIds]), isNotNull(users.disabledAt)));
  return rows.map((row) => row.id);
}

const released = { leaseUntil: null, leasedBy: null, lastError: null };

/** `bound → qualified`; rewards are due when the cooling-off time has passed since the payment. */
export async function markQualified(
  tx: Tx,
  input: { inviteId: string; orderId: string; paidAt: Date; coolingOffMs: number },
): Promise<void> {
  await tx
    .update(invites)
    .set({
      status: 'qualified',
      orderId: input.orderId,
      qualifiedAt: sql`clock_timestamp()`,
      dueAt: new Date(input.paidAt.getTime() + input.coolingOffMs),
    })
    .where(eq(invites.id, input.inviteId));
}

/** Ends an invite for which nothing is paid. */
export async function markRefused(
  tx: Tx,
  input: { inviteId: string; orderId: string; note: string },
): Promise<void> {
  const { inviteId, orderId, note } = input;
  await tx
    .update(invites)
    .set({ ...released, status: 'refused', orderId, dueAt: null, endedAt: sql`clock_timestamp()`, note })
    .where(eq(invites.id, inviteId));
}

/** `qualified → rewarded`, with what was paid to each. */
export async function markRewarded(
  tx: Tx,
  input: {
    inviteId: string;
    inviterCredits: number;
    inviteeCredits: number;
    rewardedAt: Date;
    note: string | null;
  },
): Promise<void> {
  const { inviteId, ...columns } = input;
  await tx
    .update(invites)
    .set({ ...released, ...columns, status: 'rewarded', dueAt: null })
    .where(eq(invites.id, inviteId));
}

export async function markClawedBack(tx: Tx, input: { inviteId: string; note: string }): Promise<void> {
  await tx
    .update(invites)
    .set({ status: 'clawed_back', endedAt: sql`clock_timestamp()`, note: input.note })
    .where(eq(invites.id, input.inviteId));
}

/** Claims invites whose rewards are due, each by one caller. */
export async function claimDueInvites(
  db: Db,
  input: { limit: number; leaseSeconds: number; executorId: string },
): Promise<InviteRow[]> {
  return claimRows(db, {
    table: invites,
    leaseSeconds: input.leaseSeconds,
    executorId: input.executorId,
    due: sql`
      select id from ${invites}
      where status = 'qualified' and due_at <= now() and ${unleased(invites)}
      order by due_at, id
      limit ${input.limit}
      for no key update skip locked`,
  });
}

/** Puts rewards off, after a failure (`error`) or because the order is not decided yet. */
export async function postponeInvite(
  db: DbOrTx,
  input: { id: string; leaseToken: number; delayMs: number; error: string | null },
): Promise<void> {
  await db
    .update(invites)
    .set({
      attempts: input.error === null ? invites.attempts : sql`${invites.attempts} + 1`,
      dueAt: sql`now() + make_interval(secs => ${input.delayMs / 1_000})`,
      leaseUntil: null,
      leasedBy: null,
      lastError: input.error,
    })
    .where(
      and(
        eq(invites.id, input.id),
        eq(invites.leaseToken, input.leaseToken),
        eq(invites.status, 'qualified'),
      ),
    );
}

/** When the lane has something to do again; orders that just failed are left for `retryMs`. Null: nothing waits. */
export async function nextInviteDueAt(
  db: DbOrTx,
  input: { failedOrderIds: readonly string[]; retryMs: number },
): Promise<Date | null> {
  const failed = uuidArray(input.failedOrderIds);
  const rows = (await db.execute(sql`
    select least(
      (select min(greatest(due_at, lease_until)) from ${invites} where status = 'qualified'),
      (select now() from ${orders} where invites_due and id <> all(${failed}) limit 1),
      (select now() + make_interval(secs => ${input.retryMs / 1_000})
        from ${orders} where invites_due and id = any(${failed}) limit 1)
    )::text as at`)) as unknown as { at: string | null }[];
  const at = rows[0]?.at;
  return at ? new Date(at) : null;
}
