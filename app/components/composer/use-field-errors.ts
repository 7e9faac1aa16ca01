import type { SubmissionResult } from '@conform-to/react';
import { useMemo } from 'react';
import type { ComposerReply } from './composer-reply.ts';

/**
 * The reply for conform, without the sentence about the whole form: conform moves the focus to the first input whose
 * name has an error, and the nameless file input would be taken for it.
 */
export function useFieldErrors(reply: ComposerReply | undefined): SubmissionResult<string[]> | undefined {
  return useMemo(() => {
    if (!reply?.reply.error) return reply?.reply;
    const { '': _ofTheForm, ...error } = reply.reply.error;
    return { ...reply.reply, error };
  }, [reply]);
}
