import type { z } from 'zod';
import { type DeedAnswer, deedName } from './deed.ts';
import { runForm } from './form.ts';

type Deed<Schema extends z.ZodType, Result> = {
  intent: string;
  schema: Schema;
  /** Field that names the row, where a page has the form once per row. */
  idField?: string;
  run(value: z.output<Schema>): Promise<Result>;
  /** What the page then says, by the name of its sentence; the intent unless told. */
  done?: string | ((result: Result) => string);
};

/** Runs one form of a back-office page; see `runForm` for what goes wrong. */
export function runDeed<Schema extends z.ZodType, Result>(
  { request, form }: { request: Request; form: FormData },
  { intent, schema, idField, run, done = intent }: Deed<Schema, Result>,
) {
  const name = idField === undefined ? intent : deedName(intent, textOf(form, idField) ?? '');
  return runForm(request, form, {
    name,
    schema,
    run: async (value): Promise<DeedAnswer> => {
      const result = await run(value);
      return {
        done: typeof done === 'string' ? done : done(result),
        deed: name,
        key: textOf(form, 'key'),
      };
    },
  });
}

function textOf(form: FormData, field: string): string | null {
  const value = form.get(field);
  return typeof value === 'string' ? value : null;
}

/** For a form that the page does not have. */
export function unknownForm(): Response {
  return new Response('This form is not known. Reload the page and try again.', { status: 400 });
}
