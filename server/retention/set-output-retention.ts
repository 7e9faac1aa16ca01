import type { Deps } from '#server/deps.ts';
import { saveOutputRetention } from './closing-queries.ts';

/** From the next turn of the retention lane on; what was removed before does not come back. */
export async function setOutputRetention(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; days: number | null },
): Promise<{ days: number | null }> {
  await saveOutputRetention(deps.db, input.userId, input.days);
  return { days: input.days };
}
