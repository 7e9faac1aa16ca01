/** Between two reports; the person who looks at the bar sees no more. */
const PAUSE_MS = 200;

/**
 * Turns the progress of the parts of a composition into one number from 0 to 100 that never falls. Parts are weighed by
 * how long they usually take.
 */
export function createFilmProgress(onProgress: (percent: number) => void) {
  let total = 0;
  let done = 0;
  let shown = -1;
  let shownAt = Number.NEGATIVE_INFINITY;

  function show(percent: number): void {
    const now = performance.now();
    if (percent <= shown || (percent < 100 && now - shownAt < PAUSE_MS)) return;
    shown = percent;
    shownAt = now;
    onProgress(percent);
  }

  return {
    /** Called before the first part begins. */
    expect(weight: number): void {
      total += weight;
      show(0);
    },
    /** One part. `share` counts from 0 to 1. */
    part(weight: number): { at(share: number): void; end(): void } {
      return {
        at: (share) => show(percentOf(done + weight * Math.min(1, Math.max(0, share)))),
        end: () => {
          done += weight;
          show(percentOf(done));
        },
      };
    },
    finish: () => show(100),
  };

  /** 100 is left for the end, when the film has been checked. */
  function percentOf(weight: number): number {
    return total > 0 ? Math.min(99, Math.floor((weight / total) * 100)) : 0;
  }
}

export type FilmProgress = ReturnType<typeof createFilmProgress>;
