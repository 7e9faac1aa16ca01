import type { SubmissionResult } from '@conform-to/react';
import { getZodConstraint } from '@conform-to/zod/v4';
import { data } from '@remix-run/node';
import type { z } from 'zod';
import type { FormReply } from './form-reply.ts';
import { parseForm } from './parse-form.ts';
import { toFormFailure } from './trpc-errors.ts';

/** What a schema asks of each field, as attributes of inputs: for pages that do not load the schema itself. */
export const constraintOf = (schema: z.ZodType) => getZodConstraint(schema);

type FormOptions<Schema extends z.ZodType, Result> = {
  /** Name of the form, the same as its `useForm({ id })`. */
  name: string;
  schema: Schema;
  /** Fields that are never sent back to the browser, such as passwords. */
  secrets?: string[];
  run(value: z.output<Schema>): Promise<Result>;
};

/**
 * Runs one form: parses it, calls the procedure, and shows every expected error in the form, also without JavaScript.
 *
 * @returns what `run` returned, or a {@link FormReply} with a 4xx status
 */
export async function runForm<Schema extends z.ZodType, Result>(
  request: Request,
  form: FormData,
  options: FormOptions<Schema, Result>,
) {
  const submission = parseForm(form, options.schema);
  if (submission.status !== 'success') {
    const reply = submission.reply({ hideFields: options.secrets ?? [] });
    return data<FormReply>({ form: options.name, reply: reply as SubmissionResult<string[]> }, 400);
  }
  try {
    return await options.run(submission.value as z.output<Schema>);
  } catch (error) {
    if (error instanceof Response) throw error;
    const failure = toFormFailure(error, {
      request,
      submission,
      fields: Object.keys(submission.payload),
      secrets: options.secrets ?? [],
    });
    return data<FormReply>({ form: options.name, reply: failure.reply }, failure.status);
  }
}
