const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Finds an English text again once its values are filled in: `At most {{most}}.` finds `At most 12.`, with `most` as 12. */
export function sentencePattern(text: string): RegExp {
  const parts = text.split(/\{\{(\w+)\}\}/);
  const source = parts.map((part, index) => (index % 2 === 0 ? literally(part) : `(?<${part}>.+?)`)).join('');
  return new RegExp(`^${source}$`, 's');
}
