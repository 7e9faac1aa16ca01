import type { Deps } from '#server/deps.ts';
import { findUpload } from '#server/storage/queries.ts';
import type { CompositeStep } from '../composite/step.ts';
import { planOf, settingsOf, type UsableShot, usableShots } from './composite-state.ts';
import type { DramaPlan, DramaSettings } from './schemas.ts';

type StoredFile = { storageKey: string; mime: string };

/** What a film is put together from: stored files, and the plan that orders them. */
export type Film = {
  plan: DramaPlan;
  settings: DramaSettings;
  shots: UsableShot[];
  music: StoredFile | null;
};

export async function loadFilm(deps: Pick<Deps, 'db'>, drama: CompositeStep): Promise<Film> {
  const plan = planOf(drama.composite);
  if (!plan) throw new Error('A drama is put together without a plan');
  const settings = settingsOf(drama.composite);
  const music = settings.music === undefined ? null : await findUpload(deps.db, settings.music);
  return { plan, settings, shots: usableShots(drama), music: music ?? null };
}

/** Storage keys of everything that a film is made of, each once. */
export function keysOf({ shots, music }: Film): string[] {
  const files = shots.flatMap(({ visual, voice }): (StoredFile | null)[] => [visual.output, voice]);
  return [...new Set([...files, music].flatMap((file) => file?.storageKey ?? []))];
}
