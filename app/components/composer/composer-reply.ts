import type { SubmissionResult } from '@conform-to/react';

/** What the action of a composer answers when nothing was submitted; a success is a redirect. */
export type ComposerReply = {
  reply: SubmissionResult<string[]>;
  /** Set when the key on the page is spent, by a task with another prompt. */
  newRequestKey?: string;
  /** The answer was lost on its way: there may be a task, and the same key finds it. */
  lost?: boolean;
};
