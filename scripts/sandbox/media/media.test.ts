import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { path as ffprobePath } from '@ffprobe-installer/ffprobe';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMediaCache, type MediaFile } from './media-cache.ts';
import { countTokens, writeProse } from './prose.ts';

const run = promisify(execFile);

type Probe = {
  format: { duration: string; format_name: string };
  streams: {
    codec_name: string;
    codec_type: string;
    pix_fmt?: string;
    width?: number;
    height?: number;
    nb_read_frames?: string;
  }[];
};

async function probe(file: MediaFile): Promise<Probe> {
  const binary = process.env.FFPROBE_PATH ?? ffprobePath;
  const { stdout } = await run(binary, [
    '-v',
    'error',
    '-show_format',
    '-show_streams',
    '-of',
    'json',
    file.path,
  ]);
  return JSON.parse(stdout) as Probe;
}

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'sandbox-media-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const cacheAt = (name: string) => createMediaCache(path.join(root, name));
const bytesOf = (file: MediaFile) => readFile(file.path);

describe('images', () => {
  test.each([
    { format: 'png', width: 320, height: 200 },
    { format: 'jpeg', width: 200, height: 320 },
    { format: 'webp', width: 256, height: 256 },
  ] as const)('$format has the size that was asked for', async ({ format, width, height }) => {
    const file = await cacheAt('images').image({
      prompt: 'a city at night',
      ordinal: 0,
      width,
      height,
      format,
    });
    expect(await sharp(file.path).metadata()).toMatchObject({ format, width, height });
    const { channels } = await sharp(file.path).stats();
    expect(Math.max(...channels.map((channel) => channel.stdev)), 'is no flat colour').toBeGreaterThan(5);
  });

  test('depend on prompt and ordinal, and on nothing else', async () => {
    const input = { prompt: 'quiet hills', ordinal: 0, width: 160, height: 120, format: 'png' } as const;
    const [first, again, second, other] = await Promise.all([
      cacheAt('one').image(input).then(bytesOf),
      cacheAt('two').image(input).then(bytesOf),
      cacheAt('one')
        .image({ ...input, ordinal: 1 })
        .then(bytesOf),
      cacheAt('one')
        .image({ ...input, prompt: 'loud hills' })
        .then(bytesOf),
    ]);
    expect(first.equals(again)).toBe(true);
    expect(first.equals(second)).toBe(false);
    expect(first.equals(other)).toBe(false);
  });
});

describe('movies', () => {
  test.each([
    { width: 1280, height: 720, seconds: 4 },
    { width: 720, height: 1280, seconds: 2 },
    { width: 128, height: 96, seconds: 1 },
  ])('$width×$height, $seconds s: H.264 and AAC, as long and as large as ordered', async (size) => {
    const file = await cacheAt('movies').movie({ prompt: 'a lighthouse at dawn', ...size });
    const { format, streams } = await probe(file);
    expect(format.format_name).toContain('mp4');
    expect(Math.abs(Number(format.duration) - size.seconds)).toBeLessThan(0.2);
    expect(streams.find((stream) => stream.codec_type === 'video')).toMatchObject({
      codec_name: 'h264',
      pix_fmt: 'yuv420p',
      width: size.width,
      height: size.height,
    });
    expect(streams.find((stream) => stream.codec_type === 'audio')).toMatchObject({ codec_name: 'aac' });
    const bytes = await bytesOf(file);
    expect(bytes.indexOf('moov'), 'faststart: the index comes first').toBeLessThan(bytes.indexOf('mdat'));
  });

  test('move, and are the same for the same prompt', async () => {
    const input = { prompt: 'a fox', width: 128, height: 96, seconds: 1 };
    const [one, two] = await Promise.all([cacheAt('one').movie(input), cacheAt('two').movie(input)]);
    expect((await bytesOf(one)).equals(await bytesOf(two))).toBe(true);
    const { locateFfmpeg } = await import('./ffmpeg.ts');
    const { stdout } = await run(await locateFfmpeg(), [
      '-v',
      'error',
      '-i',
      one.path,
      '-map',
      '0:v',
      '-f',
      'framemd5',
      '-',
    ]);
    const frames = stdout
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => line.split(',').at(-1));
    expect(new Set(frames).size).toBeGreaterThan(15);
  });
});

describe('sounds', () => {
  const text = 'Once there was a red fox, and it was in no hurry. It looked at the sea.';
  // At about 15 characters a second these are some five seconds.
  const expectedSeconds = text.length / 15;

  test.each([
    { format: 'wav', codec: 'pcm_s16le' },
    { format: 'mp3', codec: 'mp3' },
    { format: 'opus', codec: 'opus' },
    { format: 'flac', codec: 'flac' },
    { format: 'aac', codec: 'aac' },
  ] as const)('$format is $codec of a plausible length', async ({ format, codec }) => {
    const sounds = cacheAt('sounds');
    const file = await sounds.sound({ text, voice: 'alloy', speed: 1, format });
    const wave = await sounds.sound({ text, voice: 'alloy', speed: 1, format: 'wav' });
    const { format: container, streams } = await probe(file);
    expect(streams[0]).toMatchObject({ codec_name: codec, codec_type: 'audio' });
    const waveSeconds = (wave.bytes - 44) / 48_000;
    expect(waveSeconds).toBeGreaterThan(expectedSeconds * 0.6);
    expect(waveSeconds).toBeLessThan(expectedSeconds * 1.6);
    // Raw AAC frames carry no duration; ffprobe guesses it from the bit rate.
    if (format !== 'aac') expect(Math.abs(Number(container.duration) - waveSeconds)).toBeLessThan(0.2);
  });

  test('are audible, and quicker at a higher speed', async () => {
    const sounds = cacheAt('sounds');
    const slow = await sounds.sound({ text, voice: 'alloy', speed: 1, format: 'pcm' });
    const fast = await sounds.sound({ text, voice: 'alloy', speed: 2, format: 'pcm' });
    expect(fast.bytes / slow.bytes).toBeGreaterThan(0.45);
    expect(fast.bytes / slow.bytes).toBeLessThan(0.6);
    const bytes = await bytesOf(slow);
    const peak = Math.max(
      ...Array.from({ length: 4_000 }, (_, index) => Math.abs(bytes.readInt16LE(index * 8))),
    );
    expect(peak).toBeGreaterThan(5_000);
  });

  test('leave the event loop free while a long text is made', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await cacheAt('long').sound({ text: `${text} `.repeat(55), voice: 'alloy', speed: 1, format: 'pcm' });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});

describe('the cache', () => {
  test('makes a file once for many callers, and leaves no temporary files', async () => {
    const directory = path.join(root, 'shared');
    const input = { prompt: 'one', ordinal: 0, width: 96, height: 96, format: 'png' } as const;
    const caches = [createMediaCache(directory), createMediaCache(directory)];
    const files = await Promise.all(
      Array.from({ length: 10 }, (_, index) => caches[index % 2]?.image(input)),
    );
    expect(new Set(files.map((file) => file?.path)).size).toBe(1);
    expect(await readdir(directory)).toEqual([path.basename(files[0]?.path ?? '')]);
  });

  test('leaves nothing behind when a recipe fails, and can try again', async () => {
    const directory = path.join(root, 'failing');
    const cache = createMediaCache(directory);
    // H.264 in yuv420p has no odd sizes; ffmpeg finds out after it has created its file.
    const odd = { prompt: 'odd', width: 127, height: 95, seconds: 1 };
    await expect(cache.movie(odd)).rejects.toThrow();
    await expect(cache.movie(odd)).rejects.toThrow();
    expect(await readdir(directory)).toEqual([]);
  });
});

test('prose is about the prompt, has paragraphs, and is always the same', () => {
  const text = writeProse('Write about a lighthouse keeper');
  expect(text).toBe(writeProse('Write about a lighthouse keeper'));
  expect(text).not.toBe(writeProse('Write about a baker'));
  expect(text).toContain('lighthouse');
  expect(text.split('\n\n').length).toBeGreaterThanOrEqual(5);
  expect(countTokens(text)).toBeGreaterThan(100);
  expect(writeProse('关于灯塔的故事')).toContain('关于灯塔的故事');
});
