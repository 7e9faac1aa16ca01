import { findBehaviour } from './attachments.ts';
import type { Job } from './state.ts';

const TRUE_STATUSES = ['queued', 'in_progress', 'completed', 'failed', 'cancelled', 'incomplete'] as const;
type TrueStatus = (typeof TRUE_STATUSES)[number];
const isTrueStatus = (text: string): text is TrueStatus => TRUE_STATUSES.some((status) => status === text);

export type JobTruth = {
  status: TrueStatus;
  progress: number;
  error: { code: string; message: string } | null;
};

const QUEUED_SHARE = 0.06;
const MODERATION_MESSAGE = 'Your request was rejected by the safety system.';

export const MODERATION_ERROR = { code: 'moderation_blocked', message: MODERATION_MESSAGE } as const;

/** Whether the work is over, well or badly. */
export const isFinal = ({ status }: JobTruth): boolean => status !== 'queued' && status !== 'in_progress';

/** A failure that tells nothing about its reason. */
export const failedTruth = (): JobTruth => ({
  status: 'failed',
  progress: 99,
  error: { code: 'server_error', message: 'The generation failed.' },
});

/** How a vendor spells each status. */
export type StatusWords = Readonly<Record<TrueStatus, string>>;

/** A status in a vendor's words; what a behaviour put in its place stays as it is. */
export function spell(words: StatusWords, status: unknown): unknown {
  return typeof status === 'string' && isTrueStatus(status) ? words[status] : status;
}

/** Asks the work to end; a behaviour may let it go on all the same. */
export function cancelJob(job: Job): 'requested' | 'already-over' {
  const now = Date.now();
  if (isFinal(truthOf(job, now))) return 'already-over';
  if (!findBehaviour(job.behaviours, 'ignore_cancel')) job.cancelledAt = now;
  return 'requested';
}

function verdictOf(job: Job): JobTruth {
  const { behaviours } = job;
  const fail = findBehaviour(behaviours, 'fail');
  if (job.mediaError)
    return { status: 'failed', progress: 99, error: { code: 'server_error', message: job.mediaError } };
  if (fail)
    return {
      status: 'failed',
      progress: 99,
      error: fail.bare ? null : { code: fail.code, message: fail.message },
    };
  if (findBehaviour(behaviours, 'moderate'))
    return { status: 'failed', progress: 99, error: MODERATION_ERROR };
  if (findBehaviour(behaviours, 'cancelled')) return { status: 'cancelled', progress: 99, error: null };
  if (findBehaviour(behaviours, 'incomplete')) return { status: 'incomplete', progress: 100, error: null };
  return { status: 'completed', progress: 100, error: null };
}

/** Where a job stands at `now`, by the clock, its behaviours and what the control API did to it. */
export function truthOf(job: Job, now: number): JobTruth {
  if (job.cancelledAt !== null) return { status: 'cancelled', progress: 0, error: null };
  const elapsed = now - job.createdAt;
  const share = job.released || job.durationMs === 0 ? 1 : Math.min(1, elapsed / job.durationMs);
  const stuck = job.released ? undefined : findBehaviour(job.behaviours, 'stuck');
  if (stuck)
    return {
      status: 'in_progress',
      progress: Math.min(stuck.progress, Math.floor(share * 100)),
      error: null,
    };
  if (share < QUEUED_SHARE) return { status: 'queued', progress: 0, error: null };
  if (share < 1)
    return { status: 'in_progress', progress: Math.min(99, Math.floor(share * 100)), error: null };
  const late = job.released ? undefined : findBehaviour(job.behaviours, 'late_success');
  if (late && (late.afterMs === undefined || elapsed < job.durationMs + late.afterMs)) {
    if (late.shown === 'in_progress') return { status: 'in_progress', progress: 99, error: null };
    return failedTruth();
  }
  const verdict = verdictOf(job);
  if (verdict.status === 'completed' && !job.mediaReady)
    return { status: 'in_progress', progress: 99, error: null };
  return verdict;
}

/** What one poll says: the truth, or what a behaviour makes of it. Uses up `times`. */
export function shownByPoll(job: Job, truth: JobTruth): { status: unknown; truth: JobTruth } {
  const contradict = findBehaviour(job.behaviours, 'contradict');
  if (contradict) {
    const index = Math.min(job.polls, contradict.statuses.length) - 1;
    const status = contradict.statuses[Math.max(0, index)] ?? 'in_progress';
    const error = status === 'failed' ? failedTruth().error : null;
    return { status, truth: { ...truth, error, status: isTrueStatus(status) ? status : truth.status } };
  }
  const odd = job.behaviours.find((item) => item.behaviour.type === 'unknown_status' && item.left > 0);
  if (odd?.behaviour.type === 'unknown_status') {
    odd.left -= 1;
    return { status: odd.behaviour.status, truth: { ...truth, status: 'in_progress', error: null } };
  }
  const word = findBehaviour(job.behaviours, 'status_word');
  return { status: word && isFinal(truth) ? word.status : truth.status, truth };
}
