import type { FilmOrder, FilmShot, MediaFile } from '#server/composition/film.ts';
import type { OutputRow } from '../composite/queries.ts';
import type { UsableShot } from './composite-state.ts';
import { TITLE_CARD_SECONDS } from './quote-plan.ts';
import { DRAMA_SIZES, type DramaPlan, type DramaSettings } from './schemas.ts';

const FPS = 24;
const FADE_MS = 300;

/** The order of a film from what is there. `fileOf`: where a stored file lies on the local disk. Pure. */
export function filmOrder(
  film: { plan: DramaPlan; settings: DramaSettings; shots: readonly UsableShot[] },
  fileOf: (output: Pick<OutputRow, 'storageKey' | 'mime'>) => MediaFile,
  music: MediaFile | null,
): FilmOrder {
  const { plan, settings } = film;
  const [width, height] = DRAMA_SIZES[settings.ratio];
  return {
    title: plan.title,
    size: { width, height },
    fps: FPS,
    titleCardSeconds: settings.titleCard ? TITLE_CARD_SECONDS : 0,
    fadeMs: FADE_MS,
    captions: settings.captions,
    shots: film.shots.flatMap(({ id, visual, voice }): FilmShot[] => {
      const shot = plan.shots.find((each) => each.id === id);
      if (!shot) return [];
      const { seconds, narration } = shot;
      return [
        {
          id,
          visual: { type: visual.type, ...fileOf(visual.output) },
          voice: voice && fileOf(voice),
          seconds,
          caption: narration,
        },
      ];
    }),
    music,
  };
}
