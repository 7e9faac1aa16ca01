import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ArtworkInput, composeArtwork, type ImageFormat, renderSvg } from './artwork.ts';
import { type MovieInput, renderMovie } from './movie.ts';
import { hashText } from './seeded-random.ts';
import { renderSound, SOUND_TYPES, type SoundInput } from './sound.ts';

/** A file that is complete and will not change. */
export type MediaFile = { path: string; mime: string; bytes: number };

export type MediaMaker = {
  image(input: ArtworkInput & { format: ImageFormat }): Promise<MediaFile>;
  movie(input: MovieInput): Promise<MediaFile>;
  sound(input: SoundInput): Promise<MediaFile>;
};

/** Grows when the look or sound of media changes, so old files are not served for new code. */
const RECIPE_VERSION = 1;
const STALE_TEMPORARY_MS = 3_600_000;

async function removeStaleTemporaries(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((item) => item.includes('.tmp'))) {
    const file = path.join(directory, name);
    const info = await stat(file).catch(() => undefined);
    if (info && Date.now() - info.mtimeMs > STALE_TEMPORARY_MS) await rm(file, { force: true });
  }
}

/**
 * Makes media once per content and keeps them in `directory`. A file is written beside its final name and renamed,
 * so several processes can share the directory and nobody reads half a file.
 */
export function createMediaCache(directory: string): MediaMaker {
  const underWay = new Map<string, Promise<MediaFile>>();
  let ready: Promise<void> | undefined;

  async function prepare(): Promise<void> {
    await mkdir(directory, { recursive: true });
    await removeStaleTemporaries(directory);
  }

  async function make(
    name: string,
    mime: string,
    produce: (target: string) => Promise<void>,
  ): Promise<MediaFile> {
    ready ??= prepare();
    await ready;
    const file = path.join(directory, name);
    const found = await stat(file).catch(() => undefined);
    if (found) return { path: file, mime, bytes: found.size };
    const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
    try {
      await produce(temporary);
      await rename(temporary, file);
    } finally {
      await rm(temporary, { force: true });
    }
    return { path: file, mime, bytes: (await stat(file)).size };
  }

  function once(
    key: { recipe: string; input: unknown; extension: string; mime: string },
    produce: (target: string) => Promise<void>,
  ): Promise<MediaFile> {
    const name = `${key.recipe}-${hashText(JSON.stringify([RECIPE_VERSION, key.recipe, key.input])).slice(0, 40)}.${key.extension}`;
    const current = underWay.get(name);
    if (current) return current;
    const making = make(name, key.mime, produce).finally(() => underWay.delete(name));
    underWay.set(name, making);
    return making;
  }

  return {
    image: (input) =>
      once(
        { recipe: 'image', input, extension: input.format, mime: `image/${input.format}` },
        async (target) => writeFile(target, await renderSvg(composeArtwork(input), input.format)),
      ),
    movie: (input) =>
      once({ recipe: 'movie', input, extension: 'mp4', mime: 'video/mp4' }, (target) =>
        renderMovie(input, target),
      ),
    sound: (input) =>
      once({ recipe: 'sound', input, extension: input.format, mime: SOUND_TYPES[input.format] }, (target) =>
        renderSound(input, target),
      ),
  };
}
