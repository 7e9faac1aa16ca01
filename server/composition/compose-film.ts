import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createLimiter } from '#server/storage/limiter.ts';
import { type MediaTools, mediaTools } from '#server/storage/media-tools.ts';
import { checkOrder, checkPlan, FILM_LIMITS } from './check-order.ts';
import { type Encoder, openEncoder } from './encoder.ts';
import type { FilmLimits, FilmOrder, FilmPlan, FilmResult } from './film.ts';
import { FilmFault } from './film-fault.ts';
import { createFilmProgress, type FilmProgress } from './film-progress.ts';
import { drawTitleGround } from './fit-picture.ts';
import { provideFonts } from './fonts.ts';
import { makePoster } from './make-poster.ts';
import { checkFilm, FILM_FILE, hasWords, mixFilm } from './mix-film.ts';
import { type OpenedMedia, openMedia } from './open-media.ts';
import { framesBetween, planFilm, titleCardMs } from './plan-film.ts';
import { renderSegment, type Segment, type SegmentOptions } from './render-segment.ts';
import { decodeSound, placeVoices, type Sound } from './render-sound.ts';
import { layOutCues } from './wrap-caption.ts';
import { captionColumns, withoutOverrides, writeCaptionScript, writeTitleScript } from './write-ass.ts';
import { writeCaptions } from './write-captions.ts';

export type ComposeOptions = {
  /**
   * A directory for this film alone; nothing is written elsewhere. A retry in it goes on where the last one ended, and a
   * changed film makes only what changed. Whoever made it removes it, when the film has been stored.
   */
  workDir: string;
  signal: AbortSignal;
  /** 0 to 100, never falling; 100 when the film is made and checked. */
  onProgress(percent: number): void;
  limits?: Partial<FilmLimits>;
};

/** Films of one process are made one after the other: each uses every core that is free. */
const oneAtATime = createLimiter(1);

/** Weights of the parts beside the seconds of film that are encoded. */
const WEIGHT = { sound: 0.3, mixPerSecond: 0.1, poster: 0.3 };

/**
 * Makes the film of an order: MP4 (H.264, AAC, index in front) and a poster. Each shot becomes a file of its own first,
 * so memory does not grow with the film, and a retry makes only what is missing. All decoding and encoding happens in
 * child processes under limits.
 *
 * @throws only the reason of `signal`, when it is aborted, and faults of the disk under `workDir`
 */
export function composeFilm(
  order: FilmOrder,
  options: ComposeOptions,
  tools: MediaTools = mediaTools(),
): Promise<FilmResult> {
  return oneAtATime(async () => {
    options.signal.throwIfAborted();
    try {
      return await compose(order, { ...options, workDir: resolve(options.workDir) }, tools);
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof FilmFault) return { type: error.type, message: error.message };
      throw error;
    }
  });
}

type Work = {
  order: FilmOrder;
  workDir: string;
  signal: AbortSignal;
  limits: FilmLimits;
  encoder: Encoder;
  progress: FilmProgress;
};

async function compose(order: FilmOrder, options: ComposeOptions, tools: MediaTools): Promise<FilmResult> {
  const { workDir, signal } = options;
  const limits = { ...FILM_LIMITS, ...options.limits };
  checkOrder(order, limits);
  await mkdir(workDir, { recursive: true });
  const encoder = await openEncoder(tools, { workDir, signal, limits });
  await provideFonts(workDir);
  const progress = createFilmProgress(options.onProgress);
  const work: Work = { order, workDir, signal, limits, encoder, progress };

  const opened = await openAll(work);
  progress.expect(expectedWeight(order));
  const voices = await decodeVoices(opened.voices, work);
  const plan = planFilm(order, new Map([...voices].map(([id, sound]) => [id, { voiceMs: sound.lengthMs }])));
  checkPlan(plan, limits);
  const music = await decodeMusic(opened.music, plan, work);
  const segments = await renderSegments(opened.visuals, plan, work);
  const narration = await placeVoices(placesOf(plan, voices), { workDir, totalMs: plan.totalMs, signal });
  const mixing = progress.part((plan.totalMs / 1_000) * WEIGHT.mixPerSecond);
  await mixFilm(
    {
      segments,
      narration,
      music,
      softCaptions: order.captions === 'soft' && hasWords(order) ? softCaptions(plan, order) : null,
    },
    { workDir, encoder, plan, fadeMs: order.fadeMs, maxBytes: limits.filmBytes, onShare: mixing.at },
  );
  mixing.end();
  const [first] = opened.visuals;
  if (!first) throw new FilmFault('failed', 'There is no finished shot to make a film of.');
  const posterPath = await makePoster(first, { workDir, encoder, size: order.size });
  const filmPath = join(workDir, FILM_FILE);
  const measuredMs = await checkFilm(tools, { path: filmPath, plan, order, signal });
  progress.finish();
  return { type: 'made', filmPath, posterPath, plan, measuredMs };
}

/** ffmpeg reads every text format as if it were ASS. */
function softCaptions(plan: FilmPlan, order: FilmOrder): string {
  const shots = order.shots.map(({ id, caption }) => ({ id, caption: withoutOverrides(caption) }));
  return writeCaptions(plan, shots, 'vtt');
}

type Visual = { type: 'clip' | 'picture'; media: OpenedMedia };

/** Looks at every file before the first of them is decoded, so that a wrong one is known at once. */
async function openAll({ order, signal }: Work) {
  const visuals: Visual[] = [];
  const voices = new Map<string, { media: OpenedMedia; subject: string }>();
  for (const [index, { id, visual, voice }] of order.shots.entries()) {
    const { type } = visual;
    const picture = { wanted: type, subject: `The ${type} of shot ${index + 1}`, signal };
    visuals.push({ type, media: await openMedia(visual, picture) });
    if (!voice) continue;
    const subject = `The narration of shot ${index + 1}`;
    voices.set(id, { media: await openMedia(voice, { wanted: 'sound', subject, signal }), subject });
  }
  const music =
    order.music && (await openMedia(order.music, { wanted: 'sound', subject: 'The music', signal }));
  return { visuals, voices, music };
}

/** What is known before the voices are measured; a little more or less moves the bar only slightly. */
function expectedWeight(order: FilmOrder): number {
  const seconds = planFilm(order, new Map()).totalMs / 1_000;
  const sounds = order.shots.filter(({ voice }) => voice).length + (order.music ? 1 : 0);
  return seconds * (1 + WEIGHT.mixPerSecond) + sounds * WEIGHT.sound + WEIGHT.poster;
}

async function decodeVoices(
  voices: ReadonlyMap<string, { media: OpenedMedia; subject: string }>,
  { workDir, encoder, limits, progress }: Work,
): Promise<Map<string, Sound>> {
  const sounds = new Map<string, Sound>();
  for (const [id, { media, subject }] of voices) {
    const part = progress.part(WEIGHT.sound);
    sounds.set(id, await decodeSound(media, { workDir, encoder, maxMs: limits.filmMs, subject }));
    part.end();
  }
  return sounds;
}

async function decodeMusic(
  media: OpenedMedia | null,
  plan: FilmPlan,
  { workDir, encoder, progress }: Work,
): Promise<string | null> {
  if (!media) return null;
  const part = progress.part(WEIGHT.sound);
  const sound = await decodeSound(media, { workDir, encoder, maxMs: plan.totalMs, subject: 'The music' });
  part.end();
  return sound.file;
}

function placesOf(plan: FilmPlan, voices: ReadonlyMap<string, Sound>) {
  return plan.shots.flatMap(({ id, startMs }) => {
    const voice = voices.get(id);
    return voice ? [{ file: voice.file, startMs }] : [];
  });
}

async function renderSegments(visuals: readonly Visual[], plan: FilmPlan, work: Work): Promise<string[]> {
  const { order, workDir, encoder, limits, progress, signal } = work;
  const { size, fps } = order;
  const options: SegmentOptions = { workDir, encoder, size, fps, maxBytes: limits.filmBytes, signal };
  const names: string[] = [];
  for (const segment of await layOutSegments(visuals, plan, order)) {
    signal.throwIfAborted();
    const part = progress.part(segment.frames / fps);
    names.push(await renderSegment(segment, { ...options, onShare: part.at }));
    part.end();
  }
  return names;
}

async function layOutSegments(
  visuals: readonly Visual[],
  plan: FilmPlan,
  order: FilmOrder,
): Promise<Segment[]> {
  const { size, fps } = order;
  const titleMs = titleCardMs(order);
  const cues = order.captions === 'burnt' ? layOutCues(plan, order.shots, captionColumns(size)) : [];
  const shots = plan.shots.map(({ startMs, lengthMs }, index) => {
    const endMs = startMs + lengthMs;
    const own = cues.filter((cue) => cue.startMs >= startMs && cue.endMs <= endMs);
    const visual = visuals[index];
    if (!visual) throw new Error('A shot without a visual');
    const { type, media } = visual;
    return {
      subject: `Shot ${index + 1}`,
      source: type === 'clip' ? { type, media } : { type, media, move: moveOf(index) },
      frames: framesBetween(startMs, endMs, fps),
      script: own.length > 0 ? writeCaptionScript(own, { size, startMs }) : null,
    };
  });
  const title =
    titleMs > 0
      ? [
          {
            subject: 'The title card',
            source: { type: 'card' as const, png: await drawTitleGround(size) },
            frames: framesBetween(0, titleMs, fps),
            script: writeTitleScript(order.title, { size, lengthMs: titleMs }),
          },
        ]
      : [];
  const all = [...title, ...shots];
  const fadeFrames = Math.round((order.fadeMs * fps) / 1_000);
  return all.map((segment, index) => {
    // Half of a dip is the end of one segment, the other half the start of the next: nothing gets longer.
    const [dip, most] = [Math.round(fadeFrames / 2), Math.floor(segment.frames / 3)];
    return {
      ...segment,
      fadeInFrames: Math.min(index === 0 ? fadeFrames : dip, most),
      fadeOutFrames: Math.min(index === all.length - 1 ? fadeFrames : dip, most),
    };
  });
}

/** Pictures after each other move in turn towards and away. */
const moveOf = (index: number): 'in' | 'out' => (index % 2 === 0 ? 'in' : 'out');
