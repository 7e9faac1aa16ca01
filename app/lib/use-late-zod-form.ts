import { type DefaultValue, parse, type Submission, useForm } from '@conform-to/react';
import { useActionData } from '@remix-run/react';
import { useState } from 'react';
import { replyFor } from './form-reply.ts';

type Check = (form: FormData) => Submission<unknown, string[]>;

type LateZodFormOptions<Shape extends Record<string, unknown>> = {
  /** Of the loader (`constraintOf`): what the browser checks by itself, and which fields are required. */
  constraint: Parameters<typeof useForm<Shape>>[0]['constraint'];
  /** Brings what reads the form by its schema. */
  loadCheck: () => Promise<Check>;
  defaultValue?: DefaultValue<Shape>;
};

/** Nothing is wrong as far as is known: the action has the last word in any case. */
const acceptAll: Check = (form) => parse<unknown, string[]>(form, { resolve: (value) => ({ value }) });

/**
 * {@link useZodForm} for the pages at the door: the schema, and zod with it, comes when somebody begins to fill the form
 * in, by which time the page has long been there. `onFocus` belongs to the form.
 */
export function useLateZodForm<Shape extends Record<string, unknown>>(
  name: string,
  { constraint, loadCheck, defaultValue }: LateZodFormOptions<Shape>,
) {
  const reply = useActionData();
  const [check, setCheck] = useState<Check | null>(null);
  const [form, fields] = useForm<Shape>({
    id: name,
    lastResult: replyFor(reply, name),
    constraint,
    defaultValue,
    shouldValidate: 'onBlur',
    shouldRevalidate: 'onInput',
    onValidate: ({ formData }) => (check ?? acceptAll)(formData) as never,
  });
  const onFocus = () => {
    if (check) return;
    // Without it the action says what is wrong, a moment later.
    loadCheck().then(
      (loaded) => setCheck(() => loaded),
      () => {},
    );
  };
  return { form, fields, onFocus };
}
