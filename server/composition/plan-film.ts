import type { FilmOrder, FilmPlan } from './film.ts';

/** Silence after a narration before the next shot begins. */
const BREATH_MS = 400;

/**
 * When each shot begins. A shot lasts as long as it was ordered, or as its narration and a breath when that is longer.
 * A voice that was not measured (not in `measured`, or null) does not lengthen its shot.
 */
export function planFilm(
  order: Pick<FilmOrder, 'title' | 'titleCardSeconds' | 'shots'>,
  measured: ReadonlyMap<string, { voiceMs: number | null }>,
): FilmPlan {
  let startMs = titleCardMs(order);
  const shots = order.shots.map(({ id, seconds }) => {
    const voiceMs = measured.get(id)?.voiceMs ?? null;
    const spoken = voiceMs === null ? 0 : Math.ceil(voiceMs) + BREATH_MS;
    const shot = { id, startMs, lengthMs: Math.max(Math.round(seconds * 1_000), spoken) };
    startMs += shot.lengthMs;
    return shot;
  });
  return { totalMs: startMs, shots };
}

/** How long the title is shown; 0 without a title. */
export function titleCardMs(order: Pick<FilmOrder, 'title' | 'titleCardSeconds'>): number {
  return order.title.trim() === '' ? 0 : Math.round(order.titleCardSeconds * 1_000);
}

/** Frames between two moments. Counted from the film's start, so that rounding never adds up. At least one. */
export function framesBetween(startMs: number, endMs: number, fps: number): number {
  const at = (ms: number) => Math.round((ms * fps) / 1_000);
  return Math.max(1, at(endMs) - at(startMs));
}
