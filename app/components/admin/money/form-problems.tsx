import type { FormMetadata } from '@conform-to/react';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';

export type FormProblemsProps = {
  // biome-ignore lint/suspicious/noExplicitAny: FormMetadata is invariant in its schema
  form: FormMetadata<any, string[]>;
  /** Names of the fields that show their own errors. */
  fields: readonly string[];
};

/** Errors of the whole form and of what it sends without showing it, such as its key. */
export function FormProblems({ form, fields }: FormProblemsProps) {
  const messages = Object.entries(form.allErrors)
    .filter(([name]) => !fields.includes(name))
    .flatMap(([, errors]) => errors ?? []);
  if (messages.length === 0) return null;
  return <ErrorMessage id={form.errorId} message={messages.join(' ')} />;
}
