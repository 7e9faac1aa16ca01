import type { CodedText } from './schemas.ts';

/** What the sentence of a code leaves open, filled from its values: `{{count}}`. */
export function fillSentence(sentence: string, values: CodedText['values']): string {
  return sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));
}
