import type { ReactElement } from 'react';
import { useErrorWords } from '#app/lib/use-error-words.ts';

/** What was refused, in the page's language; marked, so that the browser has the texts before it takes the page over. */
export function Refusal({ of }: { of: readonly string[] }) {
  return <span data-refusal>{useErrorWords()(of)}</span>;
}

/** For the `error` of an input: nothing when nothing was refused. */
export function refusalOf(messages: readonly string[] | undefined): ReactElement | undefined {
  return messages?.length ? <Refusal of={messages} /> : undefined;
}
