import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { CostRule } from '#server/generation/cost/schemas.ts';
import type { ParameterSchema, PollPace, PriceRule, ReferenceRole } from '#server/generation/schemas.ts';
import { createdAt, int8, moment, primaryId } from './columns.ts';
import { users } from './users.ts';

/** A text sealed with AES-256-GCM; `sealedWith` names the version of ENCRYPTION_KEY. */
export type SealedSecret = { sealedWith: number; nonce: string; ciphertext: string };

/** A configured upstream account. */
export const providerChannels = pgTable(
  'provider_channels',
  {
    id: primaryId(),
    name: text('name').notNull(),
    protocol: text('protocol').notNull(),
    baseUrl: text('base_url').notNull(),
    enabled: boolean('enabled').notNull().default(true),
    /** Tasks dispatching or running on it at once. */
    maxInFlight: integer('max_in_flight').notNull().default(100),
    /** A 429 pauses the channel, not the task; pausing moves no task row. */
    pausedUntil: moment('paused_until'),
    consecutiveFailures: integer('consecutive_failures').notNull().default(0),
    lastErrorClass: text('last_error_class'),
    lastErrorAt: moment('last_error_at'),
    /** After failures in a row no new work is sent until then; polls go on. Shared by all processes. */
    coolDownUntil: moment('cool_down_until'),
    /** Creates per minute; null: no limit. `next_create_at` is the shared pacer's next free slot. */
    requestsPerMinute: integer('requests_per_minute'),
    nextCreateAt: moment('next_create_at'),
    /** Polls of this channel's jobs; null: the server's own pace. */
    pollPace: jsonb('poll_pace').$type<PollPace>(),
    /** Upstream run time after which this channel's tasks are overdue; null: the model's. */
    deadlineSeconds: integer('deadline_seconds'),
    /** How long finished results stay readable upstream; null: the protocol's. */
    resultWindowSeconds: integer('result_window_seconds'),
    /** What the protocol needs beyond address and key (a `custom` description). */
    settings: jsonb('settings'),
    /** Secret of signed webhooks, sealed like a key. */
    webhookSecret: jsonb('webhook_secret').$type<SealedSecret>(),
    /** The last test by an administrator, with the sentence that it came to; all null before the first. */
    testedAt: moment('tested_at'),
    testedBy: uuid('tested_by').references(() => users.id, { onDelete: 'restrict' }),
    testOk: boolean('test_ok'),
    testMessage: text('test_message'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('provider_channels_name_key').on(t.name),
    check('provider_channels_max_in_flight', sql`${t.maxInFlight} between 1 and 100000`),
    check('provider_channels_requests_per_minute', sql`${t.requestsPerMinute} between 1 and 100000`),
    check('provider_channels_deadline', sql`${t.deadlineSeconds} between 30 and 604800`),
    check('provider_channels_result_window', sql`${t.resultWindowSeconds} between 60 and 2592000`),
  ],
);

/**
 * API keys of channels, sealed with AES-256-GCM. `sealed_with` names the version of ENCRYPTION_KEY. A retired key
 * stays usable for the tasks that it created, so rows are never deleted under dispatches.
 */
export const providerKeys = pgTable(
  'provider_keys',
  {
    id: primaryId(),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => providerChannels.id, { onDelete: 'restrict' }),
    sealedWith: integer('sealed_with').notNull().default(1),
    nonce: text('nonce').notNull(),
    ciphertext: text('ciphertext').notNull(),
    /** The last four characters, shown to administrators. */
    hint: text('hint').notNull(),
    createdAt: createdAt(),
    retiredAt: moment('retired_at'),
  },
  (t) => [uniqueIndex('provider_keys_current_key').on(t.channelId).where(sql`${t.retiredAt} is null`)],
);

/** What users choose from: a public name over one channel's upstream model, with parameters and price. */
export const models = pgTable(
  'models',
  {
    id: primaryId(),
    /** Public name, e.g. `sandbox-image`. */
    slug: text('slug').notNull(),
    kind: text('kind', { enum: ['image', 'video', 'audio', 'text'] }).notNull(),
    title: text('title').notNull(),
    description: text('description').notNull().default(''),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => providerChannels.id, { onDelete: 'restrict' }),
    upstreamModel: text('upstream_model').notNull(),
    /** Which endpoint of the protocol: images, videos, speech, responses, chat. */
    endpoint: text('endpoint').notNull(),
    // json, not jsonb: it keeps the order of the keys, which is the order of display.
    parameters: json('parameters').$type<ParameterSchema>().notNull(),
    price: jsonb('price').$type<PriceRule>().notNull(),
    /** What upstream takes for it on the model's own channel; null: not known. */
    cost: jsonb('cost').$type<CostRule>(),
    maxPromptCharacters: integer('max_prompt_characters').notNull().default(4_000),
    maxReferences: integer('max_references').notNull().default(0),
    referenceRoles: jsonb('reference_roles').$type<ReferenceRole[]>().notNull().default(['reference']),
    createTimeoutSeconds: integer('create_timeout_seconds').notNull().default(300),
    /** Upstream run time after which a task is `overdue`. */
    deadlineSeconds: integer('deadline_seconds').notNull().default(3_600),
    chargedWhenCancelled: boolean('charged_when_cancelled').notNull().default(false),
    enabled: boolean('enabled').notNull().default(true),
    sortOrder: integer('sort_order').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('models_slug_key').on(t.slug),
    index('models_channel_idx').on(t.channelId),
    check('models_create_timeout', sql`${t.createTimeoutSeconds} between 5 and 900`),
    check('models_deadline', sql`${t.deadlineSeconds} between 30 and 604800`),
    check('models_kind_known', sql`${t.kind} in ('image', 'video', 'audio', 'text')`),
  ],
);

/**
 * Further accounts that may take a model's tasks, tried by priority (the lowest first) after the model's own channel.
 * The next one is tried only when the one before explicitly refused for a reason of its account.
 */
export const modelCandidates = pgTable(
  'model_candidates',
  {
    id: primaryId(),
    modelId: uuid('model_id')
      .notNull()
      .references(() => models.id, { onDelete: 'restrict' }),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => providerChannels.id, { onDelete: 'restrict' }),
    upstreamModel: text('upstream_model').notNull(),
    endpoint: text('endpoint').notNull(),
    priority: integer('priority').notNull(),
    /** What upstream takes for it on this account; null: not known. */
    cost: jsonb('cost').$type<CostRule>(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('model_candidates_target_key').on(t.modelId, t.channelId, t.upstreamModel),
    uniqueIndex('model_candidates_priority_key').on(t.modelId, t.priority),
    index('model_candidates_channel_idx').on(t.channelId),
    check('model_candidates_priority', sql`${t.priority} between 1 and 100`),
  ],
);

/** Daemons that knocked: presence and what their lanes do. Observability only, no rule reads it. */
export const maintenanceWorkers = pgTable('maintenance_workers', {
  workerId: text('worker_id').primaryKey(),
  version: text('version').notNull(),
  protocol: integer('protocol').notNull(),
  startedAt: moment('started_at').notNull(),
  lastSeenAt: moment('last_seen_at').notNull().defaultNow(),
  heartbeats: int8('heartbeats').notNull().default(0),
  lanes: jsonb('lanes').notNull().default([]),
});
