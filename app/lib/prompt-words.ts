/** A task's prompt for a heading or a link; one of a closed account is erased, and a link needs words all the same. */
export function promptWords(prompt: string, most = Number.POSITIVE_INFINITY): string {
  if (prompt === '') return 'Erased with its account';
  return prompt.length > most ? `${prompt.slice(0, most)}…` : prompt;
}
