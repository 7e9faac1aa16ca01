import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { StepInput, StepResult } from '#server/generation/composite/schemas.ts';
import { createdAt, int8, moment, primaryId } from './columns.ts';
import { generationTasks } from './generation-tasks.ts';

/** The wide side of a composite: what was asked for, its plan, and where it stands. Written under the task's lease or lock. */
export const compositeTasks = pgTable(
  'composite_tasks',
  {
    taskId: uuid('task_id')
      .primaryKey()
      .references(() => generationTasks.id, { onDelete: 'restrict' }),
    /** Of its kind: where the run stands. */
    phase: text('phase').notNull(),
    /** What was asked for; never changed. */
    settings: jsonb('settings').$type<Record<string, unknown>>().notNull(),
    /** The drama's storyboard, or whatever else the kind plans by. */
    plan: jsonb('plan').$type<Record<string, unknown>>(),
    /** +1 by every change of the plan: an edit names the version that it was made on. */
    planVersion: integer('plan_version').notNull().default(0),
    /** The composite whose finished parts this one takes over. */
    revisionOf: uuid('revision_of').references(() => generationTasks.id, { onDelete: 'restrict' }),
    /** The first of a chain of revisions; its own id for a first one. */
    rootId: uuid('root_id').notNull(),
    estimateCredits: int8('estimate_credits'),
    pausedAt: moment('paused_at'),
    /** The user wants it to end with what is there. */
    stopRequestedAt: moment('stop_requested_at'),
    createdAt: createdAt(),
  },
  (t) => [
    index('composite_tasks_root_idx').on(t.rootId, t.taskId),
    check('composite_tasks_estimate', sql`${t.estimateCredits} >= 0`),
  ],
);

/**
 * Steps of a composite, each recorded before it is acted on. The key names the step: a second try to record it changes
 * nothing, and a step has one child at most, so no crash can start it twice.
 */
export const compositeSteps = pgTable(
  'composite_steps',
  {
    id: primaryId(),
    taskId: uuid('task_id')
      .notNull()
      .references(() => compositeTasks.taskId, { onDelete: 'restrict' }),
    /** Order of the steps within the task. */
    seq: integer('seq').notNull(),
    key: text('key').notNull(),
    kind: text('kind').notNull(),
    status: text('status', {
      enum: ['planned', 'awaiting', 'running', 'done', 'failed', 'rejected', 'skipped'],
    })
      .notNull()
      .default('planned'),
    childTaskId: uuid('child_task_id').references(() => generationTasks.id, { onDelete: 'restrict' }),
    input: jsonb('input').$type<StepInput>().notNull(),
    result: jsonb('result').$type<StepResult>(),
    createdAt: createdAt(),
    endedAt: moment('ended_at'),
  },
  (t) => [
    uniqueIndex('composite_steps_seq_key').on(t.taskId, t.seq),
    uniqueIndex('composite_steps_key_key').on(t.taskId, t.key),
    index('composite_steps_child_idx').on(t.childTaskId).where(sql`${t.childTaskId} is not null`),
    check(
      'composite_steps_status_known',
      sql`${t.status} in ('planned', 'awaiting', 'running', 'done', 'failed', 'rejected', 'skipped')`,
    ),
    check(
      'composite_steps_ended_at',
      sql`(${t.status} in ('done', 'failed', 'rejected', 'skipped')) = (${t.endedAt} is not null)`,
    ),
  ],
);
