import type { SubmissionResult } from '@conform-to/react';
import type { ComposerReply } from '#app/components/composer/composer-reply.ts';
import { parseForm } from '#app/lib/parse-form.ts';
import { newRequestKey } from '#app/lib/request-key.ts';
import { type ErrorView, readTrpcError } from '#app/lib/trpc-errors.ts';
import type { AgentInput } from '#server/generation/agent/schemas.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import { agentForm, allowedOf, toAgentInput } from './agent-form.ts';

type SubmitAgentInput = {
  form: FormData;
  models: readonly ModelView[];
  submit: (input: AgentInput) => Promise<{ taskId: string }>;
};

type Refused = { ok: false; status: number; answer: ComposerReply; unexpected?: unknown };
type SubmitAgentResult = { ok: true; taskId: string } | Refused;

const BROKEN =
  'Something went wrong on our side. Press Start again: it is the same request, so there will be one agent and one budget.';
const SIGNED_OUT =
  'Your session has ended. Sign in again in another tab, then press Start: nothing typed here is lost.';
const GONE = 'One of these models is not offered any more. Choose again.';

/**
 * Runs the agent composer's form. Whatever goes wrong comes back as a sentence in the form, with everything that was
 * typed; nothing here makes a second agent out of one form.
 */
export async function submitAgent({ form, models, submit }: SubmitAgentInput): Promise<SubmitAgentResult> {
  const submission = parseForm(form, agentForm);
  const refuse = (status: number, errors: FormErrors, extra: Extra = {}): Refused => ({
    ok: false,
    status,
    answer: {
      reply: submission.reply({ ...errors, resetForm: false }) as SubmissionResult<string[]>,
      ...extra,
    },
  });
  if (submission.status !== 'success') return refuse(400, {});
  const allowed = allowedOf(submission.value.allowed, models);
  if (!allowed) return refuse(422, { fieldErrors: { allowed: [GONE] } });
  try {
    return { ok: true, taskId: (await submit(toAgentInput(submission.value, allowed))).taskId };
  } catch (error) {
    const view = readTrpcError(error);
    // Not expected: it may have been accepted before it went wrong, so the key stays.
    if (!view) return { ...refuse(500, { formErrors: [BROKEN] }, { lost: true }), unexpected: error };
    if (view.status === 401) return refuse(401, { formErrors: [SIGNED_OUT] });
    // The key belongs to another order; the next press is a new one.
    return refuse(
      view.status,
      placeErrors(view),
      view.code === 'conflict' ? { newRequestKey: newRequestKey() } : {},
    );
  }
}

type Extra = Pick<ComposerReply, 'lost' | 'newRequestKey'>;
type FormErrors = { formErrors?: string[]; fieldErrors?: Record<string, string[]> };

/** Errors of the API at the fields that they name; all others above the button. */
function placeErrors(view: ErrorView): FormErrors {
  const formErrors: string[] = [];
  const fieldErrors: Record<string, string[]> = {};
  const add = (path: string | undefined, message: string) => {
    const field = path?.split('.')[0];
    if (field === undefined || field === 'requestKey' || !(field in agentForm.shape))
      formErrors.push(message);
    else fieldErrors[field] = [...(fieldErrors[field] ?? []), message];
  };
  if (view.fieldErrors) {
    for (const [path, messages] of Object.entries(view.fieldErrors))
      for (const message of messages) add(path, message);
  } else add(view.field, view.message);
  return { formErrors, fieldErrors };
}
