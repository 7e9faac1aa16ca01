import type { FieldMetadata, SubmissionResult } from '@conform-to/react';
import { z } from 'zod';
import type { FormReply } from '#app/lib/form-reply.ts';
import { parseForm } from '#app/lib/parse-form.ts';
import { newRequestKey } from '#app/lib/request-key.ts';
import { readTrpcError } from '#app/lib/trpc-errors.ts';
import { type DramaInput, dramaInput } from '#server/generation/drama/schemas.ts';

/** The composer's form: the order of a drama, flat, as forms are. Checked in the browser and in the action. */

export const DRAMA_FORM = 'drama';

const order = dramaInput.shape;
const models = order.models.shape;
const NO_TEXT = 'Write an idea, or paste a script.';

export const dramaForm = z.object({
  source: order.source,
  // A form sends an empty field as nothing.
  text: z.string(NO_TEXT).pipe(order.text),
  storyboard: models.storyboard,
  picture: models.picture,
  clip: models.clip,
  voice: models.voice,
  ratio: order.ratio,
  shots: order.shots,
  captions: order.captions,
  titleCard: z.boolean().default(false),
  music: order.music,
  references: order.references,
  startBelowCredits: order.startBelowCredits,
  requestKey: order.requestKey,
});
type DramaForm = z.output<typeof dramaForm>;

/** Its fields, as inputs show them. */
export type DramaFormFields = Record<
  keyof DramaForm,
  Pick<FieldMetadata<unknown>, 'id' | 'errors' | 'initialValue'>
>;

function toOrder({ storyboard, picture, clip, voice, ...rest }: DramaForm): DramaInput {
  return { ...rest, models: { storyboard, picture, clip, voice } };
}

/** What the composer's action answers when nothing was submitted; a success is a redirect to the drama. */
export type DramaFormReply = FormReply & {
  /** Set when the key on the page is spent, by a request with other content. */
  newRequestKey?: string;
};

type Submitted =
  | { ok: true; taskId: string }
  | { ok: false; status: number; answer: DramaFormReply; unexpected?: unknown };

const LOST =
  'Something went wrong on our side. Press Create again: it is the same request, so there will be one drama.';
const SIGNED_OUT =
  'Your session has ended. Sign in again in another tab, then press Create: nothing typed here is lost.';

/**
 * Runs the composer's form. Whatever goes wrong comes back as a sentence where it belongs, with everything that was
 * typed; nothing here makes a second drama out of one form.
 */
export async function submitDramaForm(
  form: FormData,
  submit: (input: DramaInput) => Promise<{ taskId: string }>,
): Promise<Submitted> {
  const submission = parseForm(form, dramaForm);
  if (submission.status !== 'success') {
    return { ok: false, status: 400, answer: answerOf(submission.reply()) };
  }
  try {
    const { taskId } = await submit(toOrder(submission.value));
    return { ok: true, taskId };
  } catch (error) {
    const { status, formErrors, fieldErrors, isSpent } = describeFailure(error);
    const answer = answerOf(submission.reply({ formErrors, fieldErrors, resetForm: false }));
    return {
      ok: false,
      status,
      answer: isSpent ? { ...answer, newRequestKey: newRequestKey() } : answer,
      ...(status === 500 ? { unexpected: error } : {}),
    };
  }
}

/** The same form with one sentence above it: for an answer that never arrived. */
export function lostReply(): DramaFormReply {
  const message =
    'The answer did not arrive; your drama may have been accepted. Press Create again: it is the same request, so there will be one drama.';
  return { form: DRAMA_FORM, reply: { status: 'error', error: { '': [message] } } };
}

function answerOf(reply: unknown): DramaFormReply {
  return { form: DRAMA_FORM, reply: reply as SubmissionResult<string[]> };
}

type Failure = {
  status: number;
  formErrors: string[];
  fieldErrors: Record<string, string[]>;
  /** The request key belongs to another request; the next press is a new one. */
  isSpent: boolean;
};

function describeFailure(error: unknown): Failure {
  const view = readTrpcError(error);
  const failure: Failure = { status: view?.status ?? 500, formErrors: [], fieldErrors: {}, isSpent: false };
  // Not expected: the drama may have been accepted before it went wrong, so the key stays.
  if (!view) return { ...failure, formErrors: [LOST] };
  if (view.status === 401) return { ...failure, formErrors: [SIGNED_OUT] };
  const add = (name: string | undefined, message: string) => {
    const field = formField(name);
    if (field) failure.fieldErrors[field] = [...(failure.fieldErrors[field] ?? []), message];
    else failure.formErrors.push(message);
  };
  if (view.fieldErrors) {
    for (const [name, messages] of Object.entries(view.fieldErrors))
      for (const message of messages) add(name, message);
  } else add(view.field, view.message);
  return { ...failure, isSpent: view.code === 'conflict' };
}

/** Fields that show an error of their own. */
const SHOWN = [
  'source',
  'text',
  'storyboard',
  'picture',
  'clip',
  'voice',
  'ratio',
  'shots',
  'captions',
  'references',
  'music',
  'startBelowCredits',
];

/** The field of this form that an error of the API belongs to: `text`, `models.clip`, `references.0`. */
function formField(name: string | undefined): string | undefined {
  const field = name?.replace(/^models\./, '').split('.')[0];
  return SHOWN.find((each) => each === field);
}
