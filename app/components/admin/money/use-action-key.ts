import { useActionData } from '@remix-run/react';
import { useState } from 'react';
import { readDeed } from '#app/lib/deed.ts';
import type { FormReply } from '#app/lib/form-reply.ts';

/**
 * The key of a form that moves money. It stays through reloaded data, failures and lost answers, so that the same form
 * sent again acts once; after a success the next one from the server takes its place.
 */
export function useActionKey(fromServer: string): string {
  const answer: unknown = useActionData();
  const spent = readDeed(answer)?.key;
  // Without scripts the page comes back whole: then the key of a try that failed is in the answer only.
  const [key, setKey] = useState(() => readTriedKey(answer) ?? fromServer);
  if (key === spent && key !== fromServer) setKey(fromServer);
  return key;
}

function readTriedKey(actionData: unknown): string | undefined {
  if (typeof actionData !== 'object' || actionData === null || !('reply' in actionData)) return undefined;
  const key = (actionData as FormReply).reply.initialValue?.key;
  return typeof key === 'string' ? key : undefined;
}
