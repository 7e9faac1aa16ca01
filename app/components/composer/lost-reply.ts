import type { ComposerReply } from './composer-reply.ts';

/**
 * An answer that never came (a broken connection, a proxy's error page) as a sentence in the form. The form keeps its
 * request key, so pressing again finds the task that was accepted meanwhile.
 */
export const lostReply = (words: string): ComposerReply => ({
  reply: { status: 'error', error: { '': [words] } },
  lost: true,
});
