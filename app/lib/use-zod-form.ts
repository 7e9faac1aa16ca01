import { type DefaultValue, useForm } from '@conform-to/react';
import { getZodConstraint } from '@conform-to/zod/v4';
import { useActionData } from '@remix-run/react';
import type { z } from 'zod';
import { replyFor } from './form-reply.ts';
import { parseForm } from './parse-form.ts';

type FormShape = z.ZodType<Record<string, unknown>, Record<string, unknown>>;

type ZodFormOptions<Schema extends FormShape> = {
  defaultValue?: DefaultValue<z.input<Schema>>;
  /** Answer of a fetcher, for forms that do not go through the page's action. */
  actionData?: unknown;
};

/**
 * A form named `name` that is checked by the procedure's own schema: in the browser while it is filled in, and again
 * by the action, whose errors it shows (see `runForm`).
 */
export function useZodForm<Schema extends FormShape>(
  name: string,
  schema: Schema,
  options: ZodFormOptions<Schema> = {},
) {
  const pageData = useActionData();
  return useForm<z.input<Schema>, z.output<Schema>>({
    id: name,
    lastResult: replyFor(options.actionData ?? pageData, name),
    constraint: getZodConstraint(schema),
    defaultValue: options.defaultValue,
    shouldValidate: 'onBlur',
    shouldRevalidate: 'onInput',
    onValidate: ({ formData }) => parseForm(formData, schema) as never,
  });
}
