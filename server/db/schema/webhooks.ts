import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { providerChannels } from './channels.ts';
import { moment, primaryId } from './columns.ts';
import { dispatches } from './generation-tasks.ts';

/**
 * Deliveries of upstreams, as they came. A delivery never decides anything: it makes a task due, or it waits here until
 * the id that it names is known. Repeats of one delivery are one row.
 */
export const webhookInbox = pgTable(
  'webhook_inbox',
  {
    id: primaryId(),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => providerChannels.id, { onDelete: 'restrict' }),
    receivedAt: moment('received_at').notNull().defaultNow(),
    lastReceivedAt: moment('last_received_at').notNull().defaultNow(),
    deliveries: integer('deliveries').notNull().default(1),
    /** The vendor's number of the event, else the digest of the body. */
    dedupeKey: text('dedupe_key').notNull(),
    /** pending: no task of ours is known for it (yet). */
    status: text('status', { enum: ['pending', 'matched', 'refused'] }).notNull(),
    verified: boolean('verified').notNull(),
    upstreamId: text('upstream_id'),
    /** Our own reference, from the address that upstream was given. */
    clientRef: uuid('client_ref'),
    upstreamStatus: text('upstream_status'),
    /** Why it was refused, for administrators. */
    reason: text('reason'),
    dispatchId: uuid('dispatch_id').references(() => dispatches.id, { onDelete: 'restrict' }),
    matchedAt: moment('matched_at'),
    /** Redacted, at most 64 kB. */
    body: text('body').notNull(),
    headers: jsonb('headers').$type<Record<string, string>>().notNull(),
  },
  (t) => [
    uniqueIndex('webhook_inbox_dedupe_key').on(t.channelId, t.dedupeKey),
    index('webhook_inbox_pending_idx').on(t.channelId, t.upstreamId).where(sql`${t.status} = 'pending'`),
    index('webhook_inbox_dispatch_idx').on(t.dispatchId).where(sql`${t.dispatchId} is not null`),
    check('webhook_inbox_status_known', sql`${t.status} in ('pending', 'matched', 'refused')`),
    check('webhook_inbox_matched', sql`(${t.status} = 'matched') = (${t.dispatchId} is not null)`),
  ],
);
