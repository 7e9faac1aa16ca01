import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Conversation } from '#server/generation/conversation/schemas.ts';
import type { CostTerms } from '#server/generation/cost/schemas.ts';
import type { TaskSnapshot } from '#server/generation/schemas.ts';
import type { ArtefactRef, PollRef, Usage } from '#server/providers/provider.ts';
import { models, providerChannels, providerKeys } from './channels.ts';
import { createdAt, int8, leaseColumns, moment, primaryId } from './columns.ts';
import { users } from './users.ts';

/**
 * The hot, narrow row: everything a claim, a poll or a renewal touches. Wide payloads are in
 * `generation_task_details`. No index and no index predicate may name lease_*, leased_by, progress, wake_seq or
 * updated_at: renewals must stay heap-only (HOT) updates. fillfactor and autovacuum settings: a custom migration.
 */
export const generationTasks = pgTable(
  'generation_tasks',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    kind: text('kind', { enum: ['image', 'video', 'audio', 'text', 'agent', 'drama'] }).notNull(),
    /** The composite that this task was started by; it is due again when this one ends. */
    parentId: uuid('parent_id').references((): AnyPgColumn => generationTasks.id, { onDelete: 'restrict' }),
    status: text('status', {
      enum: [
        'queued',
        'dispatching',
        'running',
        'uncertain',
        'archiving',
        'waiting',
        'succeeded',
        'failed',
        'cancelled',
      ],
    })
      .notNull()
      .default('queued'),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => providerChannels.id, { onDelete: 'restrict' }),
    modelId: uuid('model_id')
      .notNull()
      .references(() => models.id, { onDelete: 'restrict' }),
    /** When the next step is due; null exactly when terminal. A claim pushes it to the end of the lease. */
    nextPollAt: moment('next_poll_at'),
    ...leaseColumns(),
    /** The daemon whose knock made the claim, for display; null when a page or a kick did. */
    workerId: text('worker_id'),
    /** +1 by every hint; a release compares it with the value its claim saw, so no hint is lost. */
    wakeSeq: int8('wake_seq').notNull().default(0),
    /** +1 by every change a page should see. */
    version: int8('version').notNull().default(1),
    /** Number of the last event of this task. */
    eventSeq: integer('event_seq').notNull().default(0),
    progress: smallint('progress'),
    /** Why it is uncertain. */
    uncertainReason: text('uncertain_reason', { enum: ['no_answer', 'overdue', 'missing'] }),
    /** When the policy ends an uncertain task. */
    uncertainUntil: moment('uncertain_until'),
    waitingFor: text('waiting_for', { enum: ['children', 'user', 'resume'] }),
    waitingUntil: moment('waiting_until'),
    cancelRequestedAt: moment('cancel_requested_at'),
    /** Whether upstream has been asked to cancel, and what it said. */
    cancelAnswer: text('cancel_answer', { enum: ['requested', 'unsupported', 'finished', 'unknown'] }),
    /** Creates tried; at most 20. */
    createTries: integer('create_tries').notNull().default(0),
    /** When a task that could not be dispatched gives up. */
    giveUpAt: moment('give_up_at').notNull(),
    /** End of the upstream run time allowed; set when upstream accepted. */
    deadlineAt: moment('deadline_at'),
    /** When the last poll was answered; with `deadline_at` it keeps our own outages out of the verdict. */
    lastPolledAt: moment('last_polled_at'),
    pollCount: integer('poll_count').notNull().default(0),
    /** Consecutive failures of our step (poison rows back off by it), of 404 answers, of success without artefact. */
    errorCount: integer('error_count').notNull().default(0),
    missingCount: integer('missing_count').notNull().default(0),
    archiveTries: integer('archive_tries').notNull().default(0),
    lastErrorClass: text('last_error_class'),
    lastErrorAt: moment('last_error_at'),
    /** When upstream's results vanish; storage faults are retried until then. */
    archiveUntil: moment('archive_until'),
    /** Upstream's own word of the last poll. */
    upstreamStatus: text('upstream_status'),
    failureCode: text('failure_code'),
    hasOutputs: boolean('has_outputs').notNull().default(false),
    submittedAt: moment('submitted_at').notNull().defaultNow(),
    sentAt: moment('sent_at'),
    acceptedAt: moment('accepted_at'),
    finishedAt: moment('finished_at'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('generation_tasks_due_queued_idx')
      .on(t.channelId, t.userId, t.nextPollAt, t.id)
      .where(sql`${t.status} = 'queued'`),
    index('generation_tasks_due_poll_idx')
      .on(t.nextPollAt, t.id)
      .where(sql`${t.status} in ('dispatching', 'running', 'uncertain', 'waiting')`),
    index('generation_tasks_due_archive_idx').on(t.nextPollAt, t.id).where(sql`${t.status} = 'archiving'`),
    index('generation_tasks_give_up_idx').on(t.giveUpAt, t.id).where(sql`${t.status} = 'queued'`),
    // In-flight counts of a user's cap and the page's own push.
    index('generation_tasks_user_live_idx')
      .on(t.userId, t.status, t.nextPollAt)
      .where(sql`${t.status} in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting')`),
    index('generation_tasks_channel_in_flight_idx')
      .on(t.channelId)
      .where(sql`${t.status} in ('dispatching', 'running')`),
    index('generation_tasks_user_list_idx').on(t.userId, t.id),
    index('generation_tasks_status_list_idx').on(t.status, t.id),
    // The back office's order by end.
    index('generation_tasks_finished_idx').on(t.finishedAt, t.id).where(sql`${t.finishedAt} is not null`),
    index('generation_tasks_parent_idx').on(t.parentId, t.id).where(sql`${t.parentId} is not null`),
    check(
      'generation_tasks_status_known',
      sql`${t.status} in ('queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting', 'succeeded', 'failed', 'cancelled')`,
    ),
    check(
      'generation_tasks_kind_known',
      sql`${t.kind} in ('image', 'video', 'audio', 'text', 'agent', 'drama')`,
    ),
    // One level: a child is a leaf, so every paid call is an ordinary task.
    check(
      'generation_tasks_child_is_leaf',
      sql`${t.parentId} is null or ${t.kind} not in ('agent', 'drama')`,
    ),
    // A composite is never sent upstream itself, and only a composite waits.
    check(
      'generation_tasks_composite_never_sent',
      sql`${t.kind} not in ('agent', 'drama') or ${t.status} not in ('queued', 'dispatching', 'running', 'uncertain')`,
    ),
    check(
      'generation_tasks_composite_waits',
      sql`${t.status} <> 'waiting' or ${t.kind} in ('agent', 'drama')`,
    ),
    check(
      'generation_tasks_finished_iff_terminal',
      sql`(${t.status} in ('succeeded', 'failed', 'cancelled')) = (${t.finishedAt} is not null)`,
    ),
    check(
      'generation_tasks_due_iff_live',
      sql`(${t.status} in ('succeeded', 'failed', 'cancelled')) = (${t.nextPollAt} is null)`,
    ),
    check('generation_tasks_no_lease_when_terminal', sql`${t.finishedAt} is null or ${t.leaseUntil} is null`),
    check('generation_tasks_lease_has_holder', sql`(${t.leaseUntil} is null) = (${t.leasedBy} is null)`),
    check(
      'generation_tasks_uncertain_ends',
      sql`${t.status} <> 'uncertain' or (${t.uncertainUntil} is not null and ${t.uncertainReason} is not null)`,
    ),
    check(
      'generation_tasks_waiting_ends',
      sql`${t.status} <> 'waiting' or (${t.waitingUntil} is not null and ${t.waitingFor} is not null)`,
    ),
    check('generation_tasks_running_ends', sql`${t.status} <> 'running' or ${t.deadlineAt} is not null`),
    check(
      'generation_tasks_archiving_ends',
      sql`${t.status} <> 'archiving' or ${t.archiveUntil} is not null`,
    ),
    check('generation_tasks_succeeded_has_outputs', sql`${t.status} <> 'succeeded' or ${t.hasOutputs}`),
    check('generation_tasks_failed_has_code', sql`(${t.status} = 'failed') = (${t.failureCode} is not null)`),
    check('generation_tasks_progress_range', sql`${t.progress} between 0 and 100`),
  ],
);

/** The wide side of a task: what was asked and under which conditions. Later settings never change it. */
export const generationTaskDetails = pgTable('generation_task_details', {
  taskId: uuid('task_id')
    .primaryKey()
    .references(() => generationTasks.id, { onDelete: 'restrict' }),
  prompt: text('prompt').notNull(),
  params: jsonb('params').$type<Record<string, unknown>>().notNull(),
  /** Upload ids, in order. */
  referenceIds: uuid('reference_ids').array().notNull().default(sql`'{}'::uuid[]`),
  snapshot: jsonb('snapshot').$type<TaskSnapshot>().notNull(),
  /** What a language model is sent instead of the prompt alone: turns and tools. */
  conversation: jsonb('conversation').$type<Conversation>(),
  /** The task that this one retries. */
  retryOf: uuid('retry_of'),
  /** What upstream said is to be fetched; written with the transition to `archiving`. */
  artefacts: jsonb('artefacts').$type<ArtefactRef[]>(),
  /** Units upstream says it delivered (seconds), where the price counts them. */
  reportedUnits: integer('reported_units'),
  /** Redacted raw result, at most 256 kB, for administrators. */
  rawResult: jsonb('raw_result'),
  /** Sentence for the user; upstream text only after mapping and redaction. */
  failureMessage: text('failure_message'),
  /** Redacted upstream text, for administrators. */
  failureDetail: text('failure_detail'),
});

/** Request keys (idempotency), scoped by user. Live 30 days longer than their task, hence no foreign key. */
export const requestKeys = pgTable(
  'request_keys',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    key: text('key').notNull(),
    /** SHA-256 of the canonical request body. */
    bodyHash: text('body_hash').notNull(),
    taskId: uuid('task_id').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), uniqueIndex('request_keys_task_key').on(t.taskId)],
);

/**
 * One row per create call. Committed as `sent` before the call; `outcome` null means not known (yet) and is left only
 * by evidence. At most one row per task may be open or have started work upstream.
 */
export const dispatches = pgTable(
  'dispatches',
  {
    id: primaryId(),
    taskId: uuid('task_id')
      .notNull()
      .references(() => generationTasks.id, { onDelete: 'restrict' }),
    number: integer('number').notNull(),
    phase: text('phase', { enum: ['intent', 'sent'] })
      .notNull()
      .default('intent'),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => providerChannels.id, { onDelete: 'restrict' }),
    keyId: uuid('key_id').references(() => providerKeys.id, { onDelete: 'restrict' }),
    executorId: uuid('executor_id').notNull(),
    /** Lease token of the task's claim that opened this dispatch. */
    claimToken: int8('claim_token').notNull(),
    createdAt: createdAt(),
    sentAt: moment('sent_at'),
    outcome: text('outcome', {
      enum: ['accepted', 'done', 'rejected', 'rate_limited', 'not_sent', 'failed'],
    }),
    outcomeAt: moment('outcome_at'),
    /** Who knew: call, recovery, lookup, webhook, operator, policy. */
    evidenceFrom: text('evidence_from'),
    /** What the call's end looked like when it proved nothing (redacted). */
    evidence: jsonb('evidence'),
    /** As text, parsed losslessly. */
    upstreamId: text('upstream_id'),
    pollRef: jsonb('poll_ref').$type<PollRef>(),
    artefacts: jsonb('artefacts').$type<ArtefactRef[]>(),
    reportedUnits: integer('reported_units'),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    /** Whether a refusal was about the account (another candidate may be tried) or about the request. */
    rejectionScope: text('rejection_scope', { enum: ['account', 'request'] }),
    retryAfterMs: integer('retry_after_ms'),
    rawResult: jsonb('raw_result'),
    /** What upstream says it used and took; null: it said nothing. */
    usage: jsonb('usage').$type<Usage>(),
    /** What upstream takes, frozen when the dispatch was opened; null: not known then. */
    costTerms: jsonb('cost_terms').$type<CostTerms>(),
    costCurrency: text('cost_currency'),
    /** Millionths of the currency for all that was ordered; null: not known before it is delivered. */
    costOrderedMicros: int8('cost_ordered_micros'),
    /** Millionths of the currency that upstream took; null: not known (yet), which is not nothing. */
    costMicros: int8('cost_micros'),
    costFrom: text('cost_from', { enum: ['terms', 'vendor'] }),
    /** Late watch after a policy failure: own due time, window and lease. */
    nextWatchAt: moment('next_watch_at'),
    watchUntil: moment('watch_until'),
    watchCount: integer('watch_count').notNull().default(0),
    ...leaseColumns(),
  },
  (t) => [
    uniqueIndex('dispatches_number_key').on(t.taskId, t.number),
    uniqueIndex('dispatches_one_open_key')
      .on(t.taskId)
      .where(sql`${t.outcome} is null or ${t.outcome} not in ('not_sent', 'rate_limited', 'rejected')`),
    index('dispatches_upstream_idx').on(t.channelId, t.upstreamId).where(sql`${t.upstreamId} is not null`),
    index('dispatches_watch_idx').on(t.nextWatchAt, t.id).where(sql`${t.nextWatchAt} is not null`),
    check('dispatches_sent_at', sql`(${t.phase} = 'sent') = (${t.sentAt} is not null)`),
    check('dispatches_outcome_at', sql`(${t.outcome} is null) = (${t.outcomeAt} is null)`),
    check(
      'dispatches_intent_never_ran',
      sql`${t.phase} = 'sent' or ${t.outcome} is null or ${t.outcome} = 'not_sent'`,
    ),
    check('dispatches_accepted_has_id', sql`${t.outcome} <> 'accepted' or ${t.upstreamId} is not null`),
    check('dispatches_cost', sql`${t.costMicros} >= 0 and ${t.costOrderedMicros} >= 0`),
    check('dispatches_cost_currency', sql`${t.costTerms} is null or ${t.costCurrency} is not null`),
    check('dispatches_cost_known', sql`(${t.costMicros} is null) = (${t.costFrom} is null)`),
    check('dispatches_watch_window', sql`${t.nextWatchAt} is null or ${t.watchUntil} is not null`),
  ],
);

/** Stored artefacts; (task, ordinal) makes a retried archive step harmless. */
export const outputs = pgTable(
  'outputs',
  {
    id: primaryId(),
    taskId: uuid('task_id')
      .notNull()
      .references(() => generationTasks.id, { onDelete: 'restrict' }),
    ordinal: integer('ordinal').notNull(),
    kind: text('kind', { enum: ['image', 'video', 'audio', 'text'] }).notNull(),
    mime: text('mime').notNull(),
    bytes: int8('bytes').notNull(),
    sha256: text('sha256').notNull(),
    storageKey: text('storage_key').notNull(),
    width: integer('width'),
    height: integer('height'),
    durationMs: integer('duration_ms'),
    /** Small preview (image thumbnail or video poster, WebP); made after success, may be missing. */
    previewKey: text('preview_key'),
    previewTriedAt: moment('preview_tried_at'),
    /** Arrived after a policy refund: the user keeps artefact and refund. */
    late: boolean('late').notNull().default(false),
    createdAt: createdAt(),
    /** The file was removed by retention; the row stays as what was delivered. */
    removedAt: moment('removed_at'),
    favoriteAt: moment('favorite_at'),
    /** Its owner threw it away: hidden, and removed after a while; until then it can be taken back. */
    trashedAt: moment('trashed_at'),
  },
  (t) => [
    uniqueIndex('outputs_ordinal_key').on(t.taskId, t.ordinal),
    index('outputs_preview_due_idx')
      .on(t.id)
      .where(sql`${t.previewTriedAt} is null and ${t.kind} in ('image', 'video')`),
    index('outputs_favorite_idx').on(t.taskId, t.ordinal).where(sql`${t.favoriteAt} is not null`),
    index('outputs_trash_idx')
      .on(t.trashedAt)
      .where(sql`${t.trashedAt} is not null and ${t.removedAt} is null`),
    check('outputs_not_empty', sql`${t.bytes} > 0`),
    check('outputs_ordinal', sql`${t.ordinal} >= 0`),
  ],
);

/** What happened to a task, numbered per task. Append-only (trigger). */
export const generationTaskEvents = pgTable(
  'generation_task_events',
  {
    taskId: uuid('task_id').notNull(),
    seq: integer('seq').notNull(),
    at: moment('at').notNull().default(sql`clock_timestamp()`),
    type: text('type').notNull(),
    /** `user:<id>`, `operator:<id>`, `executor`, `policy`. */
    actor: text('actor').notNull(),
    executorId: uuid('executor_id'),
    workerId: text('worker_id'),
    leaseToken: int8('lease_token'),
    fromStatus: text('from_status'),
    toStatus: text('to_status'),
    reason: text('reason'),
    data: jsonb('data'),
  },
  (t) => [
    primaryKey({ columns: [t.taskId, t.seq] }),
    foreignKey({ columns: [t.taskId], foreignColumns: [generationTasks.id] }).onDelete('restrict'),
  ],
);

/** Reference files, uploaded before the submit that names them. */
export const uploads = pgTable(
  'uploads',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    storageKey: text('storage_key').notNull(),
    fileName: text('file_name').notNull(),
    mime: text('mime').notNull(),
    bytes: int8('bytes').notNull(),
    sha256: text('sha256').notNull(),
    createdAt: createdAt(),
    /** Set by the first submit that uses it; unused uploads may be removed after a day. */
    usedAt: moment('used_at'),
    /** The output of which this is a copy, so that a result serves as a reference. */
    sourceOutputId: uuid('source_output_id').references((): AnyPgColumn => outputs.id, {
      onDelete: 'restrict',
    }),
  },
  (t) => [
    uniqueIndex('uploads_source_output_key').on(t.sourceOutputId).where(sql`${t.sourceOutputId} is not null`),
    index('uploads_user_idx').on(t.userId, t.id),
    index('uploads_unused_idx').on(t.createdAt).where(sql`${t.usedAt} is null`),
    check('uploads_not_empty', sql`${t.bytes} > 0`),
  ],
);
