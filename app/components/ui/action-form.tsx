import { Form, useActionData } from '@remix-run/react';
import type { ReactNode } from 'react';
import { replyFor } from '#app/lib/form-reply.ts';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { ErrorMessage } from './error-message.tsx';

type ActionFormProps = {
  /** Which of the page's forms this is; the action reads it as `intent`. */
  intent: string;
  /** Values that the user does not type. */
  values?: Record<string, string>;
  children: ReactNode;
};

/** A form that is only a button: hidden values and the intent, posted to the page's own action. */
export function ActionForm({ intent, values = {}, children }: ActionFormProps) {
  return (
    <Form method="post" preventScrollReset>
      <input type="hidden" name="intent" value={intent} />
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
    </Form>
  );
}

/** What went wrong with such forms; they have no field that could show it. */
export function ActionErrors({ intents }: { intents: readonly string[] }) {
  const actionData = useActionData();
  const messages = intents.flatMap((intent) =>
    Object.values(replyFor(actionData, intent)?.error ?? {}).flat(),
  );
  const words = useErrorWords();
  if (messages.length === 0) return null;
  return <ErrorMessage message={words(messages.filter((each) => each !== null))} />;
}
