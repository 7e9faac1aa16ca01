import type { ComposeOptions } from '#server/composition/compose-film.ts';
import type { FilmOrder, FilmResult } from '#server/composition/film.ts';
import { planFilm } from '#server/composition/plan-film.ts';
import { makeClip, makePicture } from '#server/composition/testing/film-fixtures.ts';

/**
 * Stands in for ffmpeg where a test is about what happens around a composition: every film is the same small one. Films
 * that are really put together are those of `film.db.test.ts`, and of the composition's own tests.
 */
export const composer: {
  /** What was ordered, oldest first. */
  orders: FilmOrder[];
  /** Used in place of the small film while it is set. */
  answer: ((order: FilmOrder, options: ComposeOptions) => Promise<FilmResult>) | undefined;
} = { orders: [], answer: undefined };

export async function composeFilm(order: FilmOrder, options: ComposeOptions): Promise<FilmResult> {
  options.signal.throwIfAborted();
  composer.orders.push(order);
  return composer.answer ? composer.answer(order, options) : smallFilm(order, options);
}

export async function smallFilm(order: FilmOrder, options: ComposeOptions): Promise<FilmResult> {
  options.onProgress(50);
  const [film, poster] = await Promise.all([makeClip(), makePicture('webp')]);
  options.signal.throwIfAborted();
  options.onProgress(100);
  const plan = planFilm(order, new Map());
  return { type: 'made', filmPath: film.path, posterPath: poster.path, plan, measuredMs: plan.totalMs };
}
