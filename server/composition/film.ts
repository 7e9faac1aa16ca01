/** A file on the local disk. `mime` is what its bytes were when it was stored, not what anybody said. */
export type MediaFile = { path: string; mime: string };

/** `seconds` is the least that the shot lasts: a longer narration makes it longer. `caption` may be empty. */
export type FilmShot = {
  id: string;
  visual: { type: 'clip' | 'picture' } & MediaFile;
  voice: MediaFile | null;
  seconds: number;
  caption: string;
};

/** `burnt`: drawn into the picture. `soft`: a track that players can switch on. */
export type CaptionMode = 'burnt' | 'soft' | 'none';

/**
 * What a film is made of. `size` is in pixels (even numbers), `fps` a whole number. No title card: `titleCardSeconds` 0
 * or an empty title. The sound of the film is narration and music; a clip's own sound is not used.
 */
export type FilmOrder = {
  title: string;
  size: { width: number; height: number };
  fps: number;
  titleCardSeconds: number;
  fadeMs: number;
  captions: CaptionMode;
  shots: readonly FilmShot[];
  music: MediaFile | null;
};

/** When each shot begins and how long it lasts; the title card comes before the first. */
export type FilmPlan = { totalMs: number; shots: { id: string; startMs: number; lengthMs: number }[] };

export type FilmResult =
  | { type: 'made'; filmPath: string; posterPath: string; plan: FilmPlan; measuredMs: number }
  /** There is no ffmpeg that can do it; the message says how to get one. */
  | { type: 'unavailable'; message: string }
  /** The message is for the user and names no path. */
  | { type: 'failed'; message: string };

/** Bounds of one composition. Those of memory and CPU time hold where the system has `prlimit`. */
export type FilmLimits = {
  /** For the whole composition. */
  wallClockMs: number;
  /** For each child process. */
  cpuSeconds: number;
  /** Address space of each child process. */
  memoryBytes: number;
  filmBytes: number;
  filmMs: number;
  shots: number;
};
