import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createMediaCache } from '#scripts/sandbox/media/media-cache.ts';
import type { Kind } from '#server/generation/status.ts';

/** Made once and shared by all test files. */
const MEDIA_DIR = path.resolve('.data/sandbox-media');

export type SampleMedia = Readonly<Record<Exclude<Kind, 'text'>, { bytes: Uint8Array; mime: string }>>;

/** One small real file of each kind. */
export async function sampleMedia(): Promise<SampleMedia> {
  const maker = createMediaCache(MEDIA_DIR);
  const [image, video, audio] = await Promise.all([
    maker.image({ prompt: 'conformance', ordinal: 0, width: 64, height: 64, format: 'png' }),
    maker.movie({ prompt: 'conformance', width: 128, height: 72, seconds: 1 }),
    maker.sound({ text: 'conformance', voice: 'alloy', speed: 1, format: 'mp3' }),
  ]);
  const read = async (file: { path: string; mime: string }) => ({
    bytes: await readFile(file.path),
    mime: file.mime,
  });
  return { image: await read(image), video: await read(video), audio: await read(audio) };
}
