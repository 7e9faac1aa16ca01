/** What a status word of any upstream means to us. */
export type CanonicalStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

const WORDS: Readonly<Record<CanonicalStatus, readonly string[]>> = {
  queued: [
    'queued',
    'queue',
    'queueing',
    'queuing',
    'pending',
    'submitted',
    'not_start',
    'notstarted',
    'not_started',
    'created',
    'starting',
    'preparing',
    'waiting',
    'in_queue',
    'throttled',
    'scheduled',
    'accepted',
    'task_status_unspecified',
    '1',
  ],
  running: [
    'in_progress',
    'inprogress',
    'processing',
    'running',
    'generating',
    'dreaming',
    'active',
    'rendering',
    'modal',
    'text_success',
    'first_success',
    '2',
  ],
  succeeded: ['completed', 'complete', 'success', 'succeeded', 'succeed', 'finished', 'done', 'ok', '3'],
  failed: [
    'failed',
    'failure',
    'fail',
    'error',
    'nsfw',
    'blocked',
    'rejected',
    'content_filtered',
    'moderated',
    'expired',
    'timeout',
    'timed_out',
    'create_task_failed',
    'generate_audio_failed',
    'callback_exception',
    'sensitive_word_error',
    'incomplete',
    '4',
  ],
  cancelled: ['cancelled', 'canceled', 'cancel', 'aborted', 'user_cancelled'],
};

const MEANINGS = new Map<string, CanonicalStatus>(
  (Object.keys(WORDS) as CanonicalStatus[]).flatMap((status) => WORDS[status].map((word) => [word, status])),
);

/** Failure words that name a content decision rather than a fault. */
const MODERATED = new Set(['nsfw', 'blocked', 'content_filtered', 'moderated', 'sensitive_word_error']);

export type StatusReading = {
  /** The word as upstream spelt it, at most 100 characters. */
  raw: string;
  /** Undefined for a word nobody has documented: never a verdict. */
  meaning: CanonicalStatus | undefined;
  moderated: boolean;
};

/**
 * Reads a status value of any type. Case, surrounding space and `-` against `_` do not matter. A value that is not
 * text or a number (null, an object) has no meaning, and neither has an unknown word: both are non-terminal. `own` are
 * words of one upstream, spelt as they are compared here; they go before the shared ones.
 */
export function readStatusWord(value: unknown, own?: ReadonlyMap<string, CanonicalStatus>): StatusReading {
  const raw = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const word = raw
    .trim()
    .toLowerCase()
    .replaceAll(/[-\s]+/g, '_');
  return {
    raw: raw.trim().slice(0, 100),
    meaning: own?.get(word) ?? MEANINGS.get(word),
    moderated: MODERATED.has(word),
  };
}
