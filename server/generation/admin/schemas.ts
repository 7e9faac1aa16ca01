import { z } from 'zod';
import { bulkIds, listCursor, listDays, listIds, listLimit, listSearch } from '#server/lib/schemas.ts';
import { taskId } from '../schemas.ts';
import { STATUSES, TASK_KINDS } from '../status.ts';

/** Inputs and views of the administration of tasks. Isomorphic: imports zod and contracts only. */

/** `finished`: only tasks that have ended; `due`: only those that have not. */
export const TASK_SORTS = ['submitted', 'finished', 'due'] as const;

export const adminTasksInput = listDays.extend({
  /** The e-mail address of a person, or the id of a person or a task. */
  who: listSearch,
  upstreamId: listSearch,
  /** Words of the prompt. */
  prompt: listSearch,
  status: z.enum(STATUSES).optional(),
  kind: z.enum(TASK_KINDS).optional(),
  modelId: z.uuid().optional(),
  channelId: z.uuid().optional(),
  sort: z.enum(TASK_SORTS).default('submitted'),
  order: z.enum(['asc', 'desc']).default('desc'),
  cursor: listCursor.optional(),
  limit: listLimit,
  ids: listIds,
});
export type AdminTasksInput = z.infer<typeof adminTasksInput>;

export type TaskChoices = {
  models: { id: string; name: string }[];
  channels: { id: string; name: string }[];
};

const reason = z
  .string('Say why.')
  .trim()
  .min(5, 'Say why, in at least 5 characters.')
  .max(300, 'A reason has at most 300 characters.')
  .regex(/^[^\0\p{Cc}\p{Surrogate}]*$/u, 'A reason has no control characters.');

/**
 * `cancel`: a request in the operator's name. `wake`: due now, a hint that breaks nothing. `fail`: confirms that an
 * uncertain task has failed. `retry_refund`: gives a refund that waits for people back to its lane.
 */
export const TASK_DEEDS = ['cancel', 'wake', 'fail', 'retry_refund'] as const;
export type TaskDeed = (typeof TASK_DEEDS)[number];

export const bulkTasksInput = z.object({ deed: z.enum(TASK_DEEDS), taskIds: bulkIds, reason });
export type BulkTasksInput = z.infer<typeof bulkTasksInput>;

export const explainInput = z.object({ taskId });

/** One predicate of the claim, or a moment at which something ends by itself. */
export type TaskCheck =
  | { code: 'due'; holds: boolean; at: Date }
  | { code: 'unleased'; holds: boolean; until: Date | null; worker: string | null }
  | { code: 'channel_enabled'; holds: boolean; channel: string }
  | { code: 'channel_open'; holds: boolean; channel: string; until: Date | null }
  | { code: 'channel_takes'; holds: boolean; channel: string; from: Date | null }
  | { code: 'channel_room'; holds: boolean; channel: string; count: number; most: number }
  | { code: 'user_room'; holds: boolean; count: number; most: number };

export type TaskExplanation = {
  /** Whether a claim would take it now, as far as a slot is free. */
  claimable: boolean;
  checks: TaskCheck[];
  /** When it ends by itself, and by what. */
  ends: { by: 'give_up' | 'deadline' | 'uncertain' | 'waiting' | 'archive'; at: Date } | null;
  /** Hints that it was given. */
  wakeSeq: number;
};
