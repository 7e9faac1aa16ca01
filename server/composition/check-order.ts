import type { FilmLimits, FilmOrder, FilmPlan } from './film.ts';
import { FilmFault } from './film-fault.ts';

export const FILM_LIMITS: FilmLimits = {
  wallClockMs: 2 * 3_600_000,
  cpuSeconds: 3_600,
  memoryBytes: 3_000_000_000,
  filmBytes: 2_000_000_000,
  filmMs: 3_600_000,
  shots: 300,
};

const SIDE = { least: 64, most: 4_096 };
const MOST_FPS = 60;
const LONGEST_SHOT_SECONDS = 600;
const LONGEST_TITLE_SECONDS = 30;
const LONGEST_FADE_MS = 5_000;

/** @throws FilmFault for an order that no film can be made of */
export function checkOrder(order: FilmOrder, limits: FilmLimits): void {
  const { width, height } = order.size;
  for (const side of [width, height]) {
    if (!Number.isInteger(side) || side % 2 !== 0 || side < SIDE.least || side > SIDE.most) {
      refuse(`The film's sides must be even numbers of pixels from ${SIDE.least} to ${SIDE.most}.`);
    }
  }
  if (!Number.isInteger(order.fps) || order.fps < 1 || order.fps > MOST_FPS) {
    refuse(`The film's frame rate must be a whole number from 1 to ${MOST_FPS}.`);
  }
  if (!isBetween(order.titleCardSeconds, 0, LONGEST_TITLE_SECONDS)) {
    refuse(`The title card can be shown for at most ${LONGEST_TITLE_SECONDS} seconds.`);
  }
  if (!isBetween(order.fadeMs, 0, LONGEST_FADE_MS)) {
    refuse(`A fade can last at most ${LONGEST_FADE_MS} milliseconds.`);
  }
  if (order.shots.length === 0) refuse('There is no finished shot to make a film of.');
  if (order.shots.length > limits.shots) refuse(`A film can have at most ${limits.shots} shots.`);
  if (new Set(order.shots.map(({ id }) => id)).size < order.shots.length) refuse('A shot is listed twice.');
  order.shots.forEach(({ seconds }, index) => {
    if (!isBetween(seconds, 0.1, LONGEST_SHOT_SECONDS)) {
      refuse(`Shot ${index + 1} must last between 0.1 and ${LONGEST_SHOT_SECONDS} seconds.`);
    }
  });
}

/** @throws FilmFault when the film would be too long */
export function checkPlan(plan: FilmPlan, limits: FilmLimits): void {
  if (plan.totalMs > limits.filmMs) {
    refuse(
      `The film would last ${Math.ceil(plan.totalMs / 1_000)} seconds; ${Math.floor(limits.filmMs / 1_000)} are the most. Shorten or remove shots.`,
    );
  }
}

const isBetween = (value: number, least: number, most: number) => value >= least && value <= most;

function refuse(message: string): never {
  throw new FilmFault('failed', message);
}
