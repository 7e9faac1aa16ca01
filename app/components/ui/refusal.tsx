import type { ReactElement } from 'react';
import { useErrorWords } from '#app/lib/use-error-words.ts';

/**
 * A refusal, or what else the server says in a sentence of its own, in the page's language; marked, so that the browser has
 * the texts before it takes the page over: its first render has to say the same words.
 */
export function Refusal({ of }: { of: readonly string[] }) {
  return <span data-refusal>{useErrorWords()(of)}</span>;
}

/** For the `error` of an input: nothing when nothing was refused. */
export function refusalOf(messages: readonly string[] | undefined): ReactElement | undefined {
  return messages?.length ? <Refusal of={messages} /> : undefined;
}
