import type { Deps } from '#server/deps.ts';
import { listPrompts } from './prompt-queries.ts';
import { type HistoryInput, type HistoryItem, improveHeading } from './schemas.ts';

/** A person's latest distinct prompts of a kind, newest first; what was asked for by "improve" is not among them. */
export function readHistory(
  deps: Pick<Deps, 'db'>,
  input: HistoryInput & { userId: string },
): Promise<HistoryItem[]> {
  // The heading without the kind: every one of them begins like this.
  const [without = ''] = improveHeading(input.kind).split(' for ');
  return listPrompts(deps.db, { ...input, without: `${without} for ` });
}
