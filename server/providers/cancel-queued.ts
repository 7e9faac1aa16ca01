import type { CancelOutcome, PollOutcome } from './provider.ts';
import { readStatusWord } from './status-words.ts';

/**
 * Cancels a job at a vendor that cancels only what has not begun. The state is asked for first: the vendor refuses a
 * running job anyway, and its call for a finished one may delete the record, and the only way to the result with it.
 */
export async function cancelWhileQueued(
  state: PollOutcome,
  send: () => Promise<CancelOutcome>,
): Promise<CancelOutcome> {
  switch (state.type) {
    case 'pending':
      return readStatusWord(state.status).meaning === 'queued' ? send() : 'unsupported';
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return 'already_terminal';
    default:
      return 'unknown';
  }
}
