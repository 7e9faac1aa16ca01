/** At most `most` UTF-16 units of a text, never half of a character; what is left out is marked by an ellipsis. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  if (most <= 0) return '';
  const cut = text.slice(0, most - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** A text as columns can hold it: no NUL, no half of a character. */
export function storableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '');
}
