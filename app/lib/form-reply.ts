import type { SubmissionResult } from '@conform-to/react';

/** What an action answers when a form did not go through. `form` says which form of the page it belongs to. */
export type FormReply = { form: string; reply: SubmissionResult<string[]> };

/** The part of an action's answer that belongs to the form of this name, for `useForm({ lastResult })`. */
export function replyFor(actionData: unknown, name: string): SubmissionResult<string[]> | undefined {
  if (typeof actionData !== 'object' || actionData === null || !('form' in actionData)) return undefined;
  const answer = actionData as FormReply;
  return answer.form === name ? answer.reply : undefined;
}
