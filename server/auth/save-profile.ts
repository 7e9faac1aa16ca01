import type { Deps } from '#server/deps.ts';
import { updateProfile } from './queries.ts';
import type { ProfileInput } from './schemas.ts';

/** Keeps a person's name, language and time zone; what is not given stays. */
export async function saveProfile(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; values: Partial<ProfileInput> },
): Promise<{ saved: true }> {
  await updateProfile(deps.db, input.userId, input.values);
  return { saved: true };
}
