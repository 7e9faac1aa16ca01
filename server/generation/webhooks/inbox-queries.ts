import { and, desc, eq, lt, or, sql } from 'drizzle-orm';
import type { Db, DbOrTx } from '#server/db/client.ts';
import { dispatches, generationTasks, providerChannels, webhookInbox } from '#server/db/schema/index.ts';

type InboxRow = typeof webhookInbox.$inferSelect;
type Delivery = Omit<
  typeof webhookInbox.$inferInsert,
  'id' | 'deliveries' | 'receivedAt' | 'lastReceivedAt'
> & {
  id: string;
};

/** Writes a delivery once, however often it comes; `first` is false for a repeat. */
export async function saveDelivery(db: Db, delivery: Delivery): Promise<{ row: InboxRow; first: boolean }> {
  const [saved] = await db
    .insert(webhookInbox)
    .values(delivery)
    .onConflictDoUpdate({
      target: [webhookInbox.channelId, webhookInbox.dedupeKey],
      set: { deliveries: sql`${webhookInbox.deliveries} + 1`, lastReceivedAt: sql`now()` },
    })
    .returning();
  if (!saved) throw new Error('The delivery was not returned');
  return { row: saved, first: saved.deliveries === 1 };
}

/** The dispatch that a delivery is about: by our own reference, else by upstream's id on that channel. */
export async function findAddressee(
  db: DbOrTx,
  by: { channelId: string; dispatchId?: string; upstreamId?: string },
): Promise<typeof dispatches.$inferSelect | undefined> {
  const named = [
    by.dispatchId ? eq(dispatches.id, by.dispatchId) : undefined,
    by.upstreamId ? eq(dispatches.upstreamId, by.upstreamId) : undefined,
  ].filter((condition) => condition !== undefined);
  if (named.length === 0) return undefined;
  const [row] = await db
    .select()
    .from(dispatches)
    .where(and(eq(dispatches.channelId, by.channelId), eq(dispatches.phase, 'sent'), or(...named)))
    // Our own reference before an id that another dispatch may carry by mistake.
    .orderBy(by.dispatchId ? sql`(${dispatches.id} = ${by.dispatchId}) desc` : desc(dispatches.id))
    .limit(1);
  return row;
}

export async function markMatched(db: DbOrTx, inboxId: string, dispatchId: string): Promise<void> {
  await db
    .update(webhookInbox)
    .set({ status: 'matched', dispatchId, matchedAt: sql`now()` })
    .where(and(eq(webhookInbox.id, inboxId), eq(webhookInbox.status, 'pending')));
}

/** Gives deliveries that came before the id was known to the dispatch that turned out to own it. */
export async function matchPending(
  db: Db,
  by: { channelId: string; upstreamId: string; dispatchId: string },
): Promise<number> {
  const rows = await db
    .update(webhookInbox)
    .set({ status: 'matched', dispatchId: by.dispatchId, matchedAt: sql`now()` })
    .where(
      and(
        eq(webhookInbox.channelId, by.channelId),
        eq(webhookInbox.upstreamId, by.upstreamId),
        eq(webhookInbox.status, 'pending'),
      ),
    )
    .returning({ id: webhookInbox.id });
  return rows.length;
}

/** A dispatch that is watched for a late success is looked at now. */
export async function watchNow(db: DbOrTx, dispatchId: string): Promise<void> {
  await db
    .update(dispatches)
    .set({ nextWatchAt: sql`least(${dispatches.nextWatchAt}, now())` })
    .where(and(eq(dispatches.id, dispatchId), sql`${dispatches.nextWatchAt} is not null`));
}

const MOST_STRANGERS = 2_000;

/** Whether one more unsigned delivery that fits no job may be kept for this channel. */
export async function hasRoomForStrangers(db: DbOrTx, channelId: string): Promise<boolean> {
  const rows = await db
    .select({ id: webhookInbox.id })
    .from(webhookInbox)
    .where(
      and(
        eq(webhookInbox.channelId, channelId),
        eq(webhookInbox.status, 'pending'),
        eq(webhookInbox.verified, false),
      ),
    )
    .limit(MOST_STRANGERS);
  return rows.length < MOST_STRANGERS;
}

/** Forgets deliveries after 30 days, and after three those that fitted nothing. A thousand at a time. */
export async function deleteOldDeliveries(db: DbOrTx): Promise<void> {
  await db.execute(sql`
    delete from webhook_inbox where id in (
      select id from webhook_inbox
      where last_received_at < now() - interval '30 days'
        or (status <> 'matched' and last_received_at < now() - interval '3 days')
      limit 1000)`);
}

/** Deliveries, newest first, with the channel's name and the task they were about. */
export async function listDeliveries(
  db: Db,
  filter: { status?: InboxRow['status']; channelId?: string; cursor?: string; limit: number },
) {
  return db
    .select({ delivery: webhookInbox, channelName: providerChannels.name, taskId: generationTasks.id })
    .from(webhookInbox)
    .innerJoin(providerChannels, eq(providerChannels.id, webhookInbox.channelId))
    .leftJoin(dispatches, eq(dispatches.id, webhookInbox.dispatchId))
    .leftJoin(generationTasks, eq(generationTasks.id, dispatches.taskId))
    .where(
      and(
        filter.status ? eq(webhookInbox.status, filter.status) : undefined,
        filter.channelId ? eq(webhookInbox.channelId, filter.channelId) : undefined,
        filter.cursor ? lt(webhookInbox.id, filter.cursor) : undefined,
      ),
    )
    .orderBy(desc(webhookInbox.id))
    .limit(filter.limit);
}
