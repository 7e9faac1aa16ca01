import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMediaTools, mediaTools } from '#server/storage/media-tools.ts';
import { runCommand } from '#server/storage/run-command.ts';
import { composeFilm } from './compose-film.ts';
import type { FilmLimits, FilmOrder } from './film.ts';
import {
  clipShot,
  makeClip,
  makePicture,
  makeVoice,
  optionsFor,
  orderOf,
  processesNaming,
} from './testing/film-fixtures.ts';

let dir: string;
let workDir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidelane-film-'));
  workDir = join(dir, 'work');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const compose = (order: FilmOrder, limits?: Partial<FilmLimits>) =>
  composeFilm(order, optionsFor(workDir, { limits }));

const FOREVER = new URL('./testing/compose-forever.ts', import.meta.url);
const IDLE = new URL('./testing/idle-loop.ts', import.meta.url);

/** A shot that keeps ffmpeg busy for minutes, from a clip that only this test has. */
async function longShot() {
  const path = join(dir, 'clip.mp4');
  await copyFile((await makeClip()).path, path);
  const order = orderOf(
    [await clipShot({ visual: { type: 'clip', path, mime: 'video/mp4' }, seconds: 600 })],
    {
      fps: 60,
      size: { width: 1_920, height: 1_080 },
    },
  );
  return { path, order };
}

describe('without a usable ffmpeg', () => {
  it.each([
    ['ffmpeg', { ffmpegPath: '/nowhere/ffmpeg' }],
    ['ffprobe', { ffprobePath: '/nowhere/ffprobe' }],
  ])('says that %s is missing and how to get it', async (name, paths) => {
    const result = await composeFilm(
      orderOf([await clipShot()]),
      optionsFor(workDir),
      createMediaTools(paths),
    );
    expect(result.type).toBe('unavailable');
    const message = result.type === 'unavailable' ? result.message : '';
    for (const word of [
      name,
      'PATH',
      'ffmpeg 5',
      'FFMPEG_PATH',
      '@ffmpeg-installer/ffmpeg',
      'shots are kept',
    ])
      expect(message).toContain(word);
    expect(message).not.toContain('/nowhere');
  });

  it('says what an ffmpeg lacks that cannot make films', async () => {
    const ffmpegPath = join(dir, 'ffmpeg');
    await writeFile(ffmpegPath, '#!/bin/sh\necho libx264 ass tpad\n', { mode: 0o755 });
    const tools = createMediaTools({ ffmpegPath });
    const result = await composeFilm(orderOf([await clipShot()]), optionsFor(workDir), tools);
    expect(result).toMatchObject({
      type: 'unavailable',
      message: expect.stringContaining('lacks aac, mov_text, png, zoompan'),
    });
  });
});

describe('limits', () => {
  it('stops a film that would be too large', async () => {
    const result = await compose(orderOf([await clipShot({ seconds: 2 })]), { filmBytes: 3_000 });
    expect(result).toMatchObject({ type: 'failed', message: expect.stringContaining('larger than 3 kB') });
    expect((await readdir(workDir)).filter((name) => name.includes('mp4'))).toEqual([]);
  });

  it('stops after the time that a film may take', async () => {
    const { order } = await longShot();
    const result = await compose(order, { wallClockMs: 1_500 });
    expect(result).toMatchObject({ type: 'failed', message: expect.stringContaining('took longer than') });
  });

  it.each([
    ['computing', { cpuSeconds: 1 }, { size: { width: 1_280, height: 720 }, fps: 30 }],
    ['of memory', { memoryBytes: 500_000_000 }, { size: { width: 4_096, height: 4_096 }, fps: 1 }],
  ])('stops at too much %s, where the system can do that', async (word, limits, look) => {
    const order = orderOf([await clipShot({ seconds: 20 })], look);
    const tool = await runCommand(['prlimit', '--core=0', '--', process.execPath, '--version'], {
      timeoutMs: 60_000,
      maxOutputBytes: 10_000,
    });
    const result = await compose(order, limits);
    if (tool.type !== 'exited' || tool.code !== 0) expect(result.type).toBe('made');
    else expect(result).toMatchObject({ type: 'failed', message: expect.stringContaining(word) });
  });

  it.each([
    ['no shots', { shots: [] }, 'no finished shot'],
    ['odd sides', { size: { width: 321, height: 180 } }, 'even numbers'],
    ['a wild frame rate', { fps: 1_000 }, 'frame rate'],
    ['a part of a frame', { fps: 23.976 }, 'frame rate'],
    ['an endless title', { title: 'x', titleCardSeconds: 1e9 }, 'title card'],
    ['an endless fade', { fadeMs: 1e9 }, 'fade'],
  ])('refuses %s', async (_name, changes, message) => {
    expect(await compose(orderOf([await clipShot()], changes))).toMatchObject({
      type: 'failed',
      message: expect.stringContaining(message),
    });
  });

  it('refuses a film that would be too long, shots that are listed twice and lengths that are no numbers', async () => {
    const shot = await clipShot({ seconds: 100 });
    const cases: [FilmOrder, string][] = [
      [orderOf([shot, { ...shot, id: 'two' }]), '200 seconds; 150 are the most'],
      [orderOf([shot, shot]), 'listed twice'],
      [orderOf([{ ...shot, seconds: Number.NaN }]), 'Shot 1 must last'],
      [orderOf([{ ...shot, seconds: -1 }]), 'Shot 1 must last'],
    ];
    for (const [order, message] of cases) {
      expect(await compose(order, { filmMs: 150_000 })).toMatchObject({
        type: 'failed',
        message: expect.stringContaining(message),
      });
    }
  });
});

describe('a composition that is broken off', () => {
  it('ends its ffmpeg when it is aborted, and leaves nothing half made', async () => {
    const { path, order } = await longShot();
    const controller = new AbortController();
    const film = composeFilm(order, optionsFor(workDir, { signal: controller.signal }));
    const settled = expect(film).rejects.toThrow('lost the lease');
    await expect.poll(() => processesNaming(path), { timeout: 60_000 }).not.toEqual([]);
    const [id = ''] = await processesNaming(path);
    expect(getPriority(Number.parseInt(id, 10))).toBeGreaterThan(getPriority());
    expect(await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '')).not.toContain('VITEST');
    controller.abort(new Error('lost the lease'));
    await settled;
    await expect.poll(() => processesNaming(path), { timeout: 60_000 }).toEqual([]);
    expect(await readdir(dir)).toEqual(['clip.mp4', 'work']);
    expect((await readdir(workDir)).filter((name) => /part|mp4|png/.test(name))).toEqual([]);
  });

  it('does not begin when it was aborted before', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(composeFilm(orderOf([await clipShot()]), optionsFor(workDir, { signal }))).rejects.toThrow(
      'too late',
    );
    expect(await readdir(dir)).toEqual([]);
  });

  it('takes its ffmpeg along when the process is killed, where the system can do that', async () => {
    const { path } = await longShot();
    const owner = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(FOREVER), workDir, path], {
      stdio: 'inherit',
    });
    const others = async () => (await processesNaming(path)).filter((id) => id !== String(owner.pid));
    await expect.poll(others, { timeout: 60_000 }).not.toEqual([]);
    owner.kill('SIGKILL');
    const bound = (await mediaTools().find('ffmpeg'))?.[0] === 'setpriv';
    if (bound) await expect.poll(others, { timeout: 60_000 }).toEqual([]);
    else for (const id of await others()) process.kill(Number.parseInt(id, 10), 'SIGKILL');
  });
});

describe('the web process', () => {
  it('goes on answering while a film is made', async () => {
    const visual = { type: 'picture' as const, ...(await makePicture('png')) };
    const shots = [
      await clipShot({ seconds: 6, voice: await makeVoice(), caption: '海浪' }),
      await clipShot({ id: 'two', visual, seconds: 6, caption: 'Waves' }),
    ];
    const order = orderOf(shots, {
      fps: 30,
      size: { width: 1_280, height: 720 },
      captions: 'burnt',
      music: await makeVoice('wav'),
    });
    const idle = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(IDLE)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const printed = text(idle.stdout);
    await once(idle.stdout, 'data');
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const film = await compose(order);
    delay.disable();
    idle.stdin.end();
    const beside = JSON.parse((await printed).split('\n')[1] ?? '') as { max: number; usual: number };
    expect(film.type).toBe('made');
    // Compared with an idle process at the same time: what a busy machine adds, it adds to both. Work on the event loop
    // would stall it for as long as that takes; each of this film's encodings takes seconds.
    expect((delay.max - beside.max) / 1e6).toBeLessThan(1_000);
    expect((delay.percentile(99) - beside.usual) / 1e6).toBeLessThan(200);
  });
});
