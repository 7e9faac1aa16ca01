import { findBehaviour } from './attachments.ts';
import type { Job } from './state.ts';

type TrueStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'incomplete';

type JobTruth = {
  status: TrueStatus;
  progress: number;
  error: { code: string; message: string } | null;
};

const QUEUED_SHARE = 0.06;
const MODERATION_MESSAGE = 'Your request was rejected by the safety system.';

export const MODERATION_ERROR = { code: 'moderation_blocked', message: MODERATION_MESSAGE } as const;

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
    return {
      status: 'failed',
      progress: 99,
      error: { code: 'server_error', message: 'The generation failed.' },
    };
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
    const failed = status === 'failed';
    const error = failed ? { code: 'server_error', message: 'The generation failed.' } : null;
    const known = ['queued', 'in_progress', 'completed', 'failed', 'cancelled', 'incomplete'].includes(
      status,
    );
    return { status, truth: { ...truth, error, status: known ? (status as TrueStatus) : truth.status } };
  }
  const odd = job.behaviours.find((item) => item.behaviour.type === 'unknown_status' && item.left > 0);
  if (odd?.behaviour.type === 'unknown_status') {
    odd.left -= 1;
    return { status: odd.behaviour.status, truth: { ...truth, status: 'in_progress', error: null } };
  }
  const word = findBehaviour(job.behaviours, 'status_word');
  const final = truth.status !== 'queued' && truth.status !== 'in_progress';
  return { status: word && final ? word.status : truth.status, truth };
}
