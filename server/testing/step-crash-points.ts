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
  'settle.after-status',
  'capture.after-close',
  'capture.after-entry',
  'settle.before-commit',
  'settle.after-commit',
  'fail.after-status',
  'refund.after-hold',
  'fail.before-commit',
  'fail.after-commit',
  'refund.after-claim',
  'refund.after-settle',
  'refund.after-close',
  'refund.after-entry',
  'refund.before-commit',
  'refund.after-commit',
] as const satisfies readonly CrashPointName[];

/** The points of a composite's own steps: what its children pass on their way is above. */
export const COMPOSITE_CRASH_POINTS = [
  'child.after-task',
  'child.after-step',
  'draw.after-budget',
  'child.before-commit',
  'child.after-commit',
  'child.after-wake',
  'draw.after-return',
  'composite.before-step',
  'composite.after-record',
  'composite.after-action',
  'composite.after-settle',
  'composite.after-commit',
] as const satisfies readonly CrashPointName[];
