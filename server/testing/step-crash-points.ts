import type { CrashPointName } from './crash-points.ts';

/** The points of a task's own way, in order: between any two of them a process may stop. */
export const STEP_CRASH_POINTS = [
  'dispatch.after-intent',
  'dispatch.before-sent',
  'dispatch.after-sent',
  'dispatch.after-create',
  'dispatch.after-evidence',
  'dispatch.after-transition',
  'poll.before',
  'poll.after',
  'poll.after-transition',
  'archive.before',
  'archive.after-store',
  'archive.after-record',
  'settle.before-commit',
  'settle.after-commit',
  'fail.before-commit',
  'fail.after-commit',
  'refund.after-claim',
  'refund.before-commit',
  'refund.after-commit',
] as const satisfies readonly CrashPointName[];
