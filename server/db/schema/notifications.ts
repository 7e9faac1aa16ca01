import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { WebhookBody } from '#server/notifications/schemas.ts';
import type { SealedSecret } from './channels.ts';
import { createdAt, leaseColumns, moment, primaryId } from './columns.ts';
import { generationTasks } from './generation-tasks.ts';
import { users } from './users.ts';

/** What a person is told: written in the transaction of what it tells. Also the event that webhooks deliver. */
export const notifications = pgTable(
  'notifications',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    /** `task.succeeded`, `task.failed` …: the list is in `server/notifications/schemas.ts`. */
    type: text('type').notNull(),
    taskId: uuid('task_id').references(() => generationTasks.id, { onDelete: 'restrict' }),
    /** What the sentence needs: title of the model, amounts. Never a secret, never a prompt. */
    data: jsonb('data').$type<Record<string, string | number | boolean | null>>().notNull().default({}),
    createdAt: createdAt(),
    readAt: moment('read_at'),
  },
  (t) => [
    index('notifications_user_idx').on(t.userId, t.id),
    index('notifications_unread_idx').on(t.userId).where(sql`${t.readAt} is null`),
    index('notifications_age_idx').on(t.createdAt),
    index('notifications_task_idx').on(t.taskId).where(sql`${t.taskId} is not null`),
  ],
);

/** Where a person's own services want to hear of events. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    url: text('url').notNull(),
    description: text('description').notNull().default(''),
    /** Sealed like a channel's key; with it each delivery is signed. */
    secret: jsonb('secret').$type<SealedSecret>().notNull(),
    /** The one before, which signs too until then. */
    previousSecret: jsonb('previous_secret').$type<SealedSecret>(),
    previousUntil: moment('previous_until'),
    /** Types of events that are delivered. */
    events: text('events').array().notNull(),
    enabled: boolean('enabled').notNull().default(true),
    /** Why it was switched off: `owner`, `failing` (its tries were used up for days), `gone` (it answered 410). */
    disabledReason: text('disabled_reason'),
    consecutiveFailures: integer('consecutive_failures').notNull().default(0),
    lastSuccessAt: moment('last_success_at'),
    createdAt: createdAt(),
    deletedAt: moment('deleted_at'),
  },
  (t) => [
    index('webhook_endpoints_user_idx').on(t.userId).where(sql`${t.deletedAt} is null`),
    check('webhook_endpoints_events', sql`cardinality(${t.events}) > 0`),
    check('webhook_endpoints_disabled', sql`${t.enabled} = (${t.disabledReason} is null)`),
    check('webhook_endpoints_previous', sql`(${t.previousSecret} is null) = (${t.previousUntil} is null)`),
  ],
);

/** One event for one endpoint, sent until it is taken or its tries are used up. The body is fixed at the first moment. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: primaryId(),
    endpointId: uuid('endpoint_id')
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: 'restrict' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    /** Null: a test of the endpoint. */
    notificationId: uuid('notification_id').references(() => notifications.id, { onDelete: 'set null' }),
    eventType: text('event_type').notNull(),
    body: jsonb('body').$type<WebhookBody>().notNull(),
    status: text('status', { enum: ['pending', 'delivered', 'failed'] })
      .notNull()
      .default('pending'),
    attempts: integer('attempts').notNull().default(0),
    /** When the next try is due; null exactly when it has ended. */
    nextAttemptAt: moment('next_attempt_at'),
    lastStatusCode: integer('last_status_code'),
    lastError: text('last_error'),
    createdAt: createdAt(),
    finishedAt: moment('finished_at'),
    ...leaseColumns(),
  },
  (t) => [
    // A resend is another try of the same row, so an event reaches an endpoint under one id.
    uniqueIndex('webhook_deliveries_event_key')
      .on(t.endpointId, t.notificationId)
      .where(sql`${t.notificationId} is not null`),
    index('webhook_deliveries_due_idx').on(t.nextAttemptAt, t.id).where(sql`${t.status} = 'pending'`),
    // The claim walks from endpoint to endpoint, so that none is behind another's backlog.
    index('webhook_deliveries_fair_idx')
      .on(t.endpointId, t.nextAttemptAt, t.id)
      .where(sql`${t.status} = 'pending'`),
    index('webhook_deliveries_ended_idx').on(t.finishedAt).where(sql`${t.finishedAt} is not null`),
    index('webhook_deliveries_endpoint_idx').on(t.endpointId, t.id),
    index('webhook_deliveries_user_idx').on(t.userId, t.id),
    index('webhook_deliveries_notification_idx')
      .on(t.notificationId)
      .where(sql`${t.notificationId} is not null`),
    check('webhook_deliveries_status_known', sql`${t.status} in ('pending', 'delivered', 'failed')`),
    check(
      'webhook_deliveries_due_iff_pending',
      sql`(${t.status} = 'pending') = (${t.nextAttemptAt} is not null)`,
    ),
    check('webhook_deliveries_finished', sql`(${t.status} = 'pending') = (${t.finishedAt} is null)`),
    check('webhook_deliveries_lease_has_holder', sql`(${t.leaseUntil} is null) = (${t.leasedBy} is null)`),
  ],
);

/** Each try of a delivery: what the owner's server answered. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    id: primaryId(),
    deliveryId: uuid('delivery_id')
      .notNull()
      .references(() => webhookDeliveries.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    at: moment('at').notNull().defaultNow(),
    durationMs: integer('duration_ms').notNull(),
    statusCode: integer('status_code'),
    /** First characters of the answer, redacted. */
    answer: text('answer'),
    error: text('error'),
  },
  (t) => [uniqueIndex('webhook_attempts_number_key').on(t.deliveryId, t.number)],
);
