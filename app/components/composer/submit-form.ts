import { parse, type SubmissionResult } from '@conform-to/react';
import type { TFunction } from 'i18next';
import { newRequestKey } from '#app/lib/request-key.ts';
import { readTrpcError } from '#app/lib/trpc-errors.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { ModelView, SubmitInput } from '#server/generation/schemas.ts';
import type { ComposerReply } from './composer-reply.ts';
import { readOrder } from './submission.ts';

type SubmitFormInput = {
  form: FormData;
  models: readonly ModelView[];
  submit: (input: SubmitInput) => Promise<{ taskId: string }>;
  t?: TFunction<'workbench'>;
};

export type SubmitFormResult =
  | { ok: true; taskId: string; model: ModelView }
  | { ok: false; status: number; answer: ComposerReply; unexpected?: unknown };

/**
 * Runs the composer's form. Whatever goes wrong comes back as a sentence in the form, with everything that was typed;
 * nothing here makes a second task out of one form.
 */
export async function submitForm({
  form,
  models,
  submit,
  t = workbenchTexts.in('en'),
}: SubmitFormInput): Promise<SubmitFormResult> {
  const model = models.find((each) => each.slug === form.get('model') && each.kind === form.get('kind'));
  if (!model) {
    const submission = parse<null, string[]>(form, { resolve: () => ({ value: null }) });
    const reply = submission.reply({
      formErrors: [t('model.gone')],
    });
    return { ok: false, status: 422, answer: { reply: reply as SubmissionResult<string[]> } };
  }

  const submission = readOrder(form, model, t);
  if (submission.status !== 'success') {
    return { ok: false, status: 400, answer: { reply: submission.reply() as SubmissionResult<string[]> } };
  }
  try {
    const { taskId } = await submit(submission.value);
    return { ok: true, taskId, model };
  } catch (error) {
    const failure = describeFailure(error, model, t);
    const { formErrors, fieldErrors } = failure;
    const reply = submission.reply({ formErrors, fieldErrors, resetForm: false }) as SubmissionResult<
      string[]
    >;
    return {
      ok: false,
      status: failure.status,
      answer: { reply, ...failure.extra },
      unexpected: failure.unexpected,
    };
  }
}

type Failure = {
  status: number;
  formErrors: string[];
  fieldErrors: Record<string, string[]>;
  extra: Pick<ComposerReply, 'lost' | 'newRequestKey'>;
  unexpected?: unknown;
};

function describeFailure(error: unknown, model: ModelView, t: TFunction<'workbench'>): Failure {
  const view = readTrpcError(error);
  // Not expected: the task may have been accepted before it went wrong, so the key stays.
  if (!view) {
    const formErrors = [t('errors.ourFault')];
    return { status: 500, formErrors, fieldErrors: {}, extra: { lost: true }, unexpected: error };
  }
  if (view.status === 401)
    return { status: 401, formErrors: [t('errors.signedOut')], fieldErrors: {}, extra: {} };

  const failure: Failure = { status: view.status, formErrors: [], fieldErrors: {}, extra: {} };
  const add = (name: string | undefined, message: string) => {
    const field = formField(name, model);
    if (field) failure.fieldErrors[field] = [...(failure.fieldErrors[field] ?? []), message];
    else failure.formErrors.push(message);
  };
  if (view.fieldErrors) {
    for (const [name, messages] of Object.entries(view.fieldErrors))
      for (const message of messages) add(name, message);
  } else add(view.field, view.message);
  // The key belongs to another task; the next press is a new one.
  if (view.code === 'conflict') failure.extra.newRequestKey = newRequestKey();
  return failure;
}

/** The field of this form that an error of the API belongs to: `prompt`, `references.0`, `params.size` or `size`. */
function formField(name: string | undefined, model: ModelView): string | undefined {
  if (name === undefined) return undefined;
  const [head = '', second] = name.split('.');
  if (head === 'prompt' || head === 'references') return head;
  if (head === 'params' && second !== undefined && second in model.parameters) return `params.${second}`;
  return head in model.parameters ? `params.${head}` : undefined;
}
