import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { composeFilm } from './compose-film.ts';
import type { CaptionMode, FilmOrder } from './film.ts';
import {
  boxesOf,
  clipShot,
  grabGrey,
  grabSound,
  loudnessOf,
  makeClip,
  makePicture,
  makeTone,
  makeVoice,
  optionsFor,
  orderOf,
  runFfmpeg,
  SIZE,
  streamsOf,
} from './testing/film-fixtures.ts';

let dir: string;
let workDir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidelane-film-'));
  workDir = join(dir, 'work');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function make(order: FilmOrder, where = workDir) {
  const result = await composeFilm(order, optionsFor(where));
  if (result.type !== 'made') throw new Error(result.message);
  return result;
}

/** How much two frames differ between two heights, which are shares of the frame. */
function differenceOf(one: Buffer, two: Buffer, [from, to]: [number, number]): number {
  let sum = 0;
  const [first, last] = [Math.round(from * SIZE.height), Math.round(to * SIZE.height)];
  for (let at = first * SIZE.width; at < last * SIZE.width; at += 1) {
    sum += Math.abs((one[at] ?? 0) - (two[at] ?? 0)) > 60 ? 1 : 0;
  }
  return sum;
}

describe('a film of three shots with narration, music, a title and burnt captions', () => {
  it('is an MP4 that plays while it loads, as long as its plan, with picture, sound and poster', async () => {
    const shots = [
      await clipShot({
        id: 'a',
        voice: await makeVoice(),
        caption: '在灯塔守护者的故事里，海浪拍打着岩石。',
      }),
      {
        id: 'b',
        visual: { type: 'picture' as const, ...(await makePicture('webp')) },
        voice: await makeVoice('opus'),
        seconds: 1,
        caption: '山上的狐狸',
      },
      await clipShot({ id: 'c', visual: { type: 'clip', ...(await makeClip('a city at night', 3)) } }),
    ];
    const percents: number[] = [];
    const order = orderOf(shots, {
      title: '灯塔守护者',
      titleCardSeconds: 0.5,
      fadeMs: 300,
      captions: 'burnt',
      music: await makeVoice('wav'),
    });
    const film = await composeFilm(
      order,
      optionsFor(workDir, { onProgress: (percent) => percents.push(percent) }),
    );
    if (film.type !== 'made') throw new Error(film.message);

    expect(film.plan.shots.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(film.plan.shots[0]?.startMs).toBe(500);
    // The voices last longer than the second that was ordered.
    expect(film.plan.shots[0]?.lengthMs).toBeGreaterThan(1_400);
    expect(film.plan.shots[2]?.lengthMs).toBe(1_000);
    expect(Math.abs(film.measuredMs - film.plan.totalMs)).toBeLessThanOrEqual(200);
    expect(await streamsOf(film.filmPath)).toEqual(['video h264', 'audio aac']);
    const boxes = await boxesOf(film.filmPath);
    expect(boxes.indexOf('moov')).toBeLessThan(boxes.indexOf('mdat'));
    expect(await sharp(film.posterPath).metadata()).toMatchObject({ format: 'webp', ...SIZE });
    expect((await sharp(film.posterPath).stats()).channels[0]?.max).toBeGreaterThan(100);
    expect(percents).toEqual(percents.toSorted((one, two) => one - two));
    expect(new Set(percents).size).toBe(percents.length);
    expect(percents[0]).toBe(0);
    expect(percents.at(-1)).toBe(100);
    expect(await readdir(dir)).toEqual(['work']);
    expect((await readdir(workDir)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('pictures', () => {
  it('holds the last frame of a clip that is too short, and cuts one that is too long', async () => {
    const short = await clipShot({ seconds: 3 });
    const long = await clipShot({ id: 'two', visual: { type: 'clip', ...(await makeClip('the sea', 3)) } });
    const film = await make(orderOf([short, long]));
    expect(film.plan.totalMs).toBe(4_000);
    const [held, later] = [await grabGrey(film.filmPath, 1.2), await grabGrey(film.filmPath, 2.7)];
    expect(differenceOf(held, later, [0, 1])).toBe(0);
    expect(differenceOf(await grabGrey(film.filmPath, 0.9), held, [0, 1])).toBe(0);
    expect(differenceOf(later, await grabGrey(film.filmPath, 3.5), [0, 1])).toBeGreaterThan(500);
  });

  it('moves slowly over a still picture', async () => {
    const visual = { type: 'picture' as const, ...(await makePicture()) };
    const film = await make(orderOf([await clipShot({ visual, seconds: 3 })]));
    const [start, end] = [await grabGrey(film.filmPath, 0), await grabGrey(film.filmPath, 2.9)];
    expect(differenceOf(start, end, [0, 1])).toBeGreaterThan(50);
  });

  it('fades in at the start, out at the end, and dips between shots without taking time', async () => {
    const shots = [await clipShot(), await clipShot({ id: 'two' })];
    const film = await make(orderOf(shots, { fadeMs: 400 }));
    expect(film.plan.totalMs).toBe(2_000);
    const brightness = async (seconds: number) => {
      const frame = await grabGrey(film.filmPath, seconds);
      return frame.reduce((sum, value) => sum + value, 0) / frame.length;
    };
    const middle = await brightness(0.5);
    for (const dark of [0, 1, 1.9]) expect(await brightness(dark)).toBeLessThan(middle * 0.5);
    expect(await brightness(1.5)).toBeGreaterThan(middle * 0.8);
  });

  it('fits a clip of another shape between bars', async () => {
    const path = join(dir, 'upright.mp4');
    await runFfmpeg(['-f', 'lavfi', '-i', 'color=c=white:s=90x160:r=10:d=1', '-pix_fmt', 'yuv420p', path]);
    const film = await make(orderOf([await clipShot({ visual: { type: 'clip', path, mime: 'video/mp4' } })]));
    const frame = await grabGrey(film.filmPath, 0.5);
    const at = (x: number) => frame[90 * SIZE.width + x] ?? 0;
    expect([at(20), at(300)].every((value) => value < 30)).toBe(true);
    expect(at(160)).toBeGreaterThan(200);
  });
});

describe('sound', () => {
  it('has a silent track when nobody speaks and no music plays', async () => {
    const film = await make(orderOf([await clipShot()]));
    expect(await streamsOf(film.filmPath)).toEqual(['video h264', 'audio aac']);
    const sound = await grabSound(film.filmPath);
    expect(sound.length).toBeGreaterThan(40_000);
    expect(sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeLessThan(4);
  });

  it('places each voice where its shot begins', async () => {
    const voice = await makeTone(dir, { hertz: 1_500, seconds: 1 });
    const shots = [await clipShot(), await clipShot({ id: 'two', voice, seconds: 2 })];
    const sound = await grabSound((await make(orderOf(shots))).filmPath);
    const loud = loudnessOf(sound, 1_500, [1.1, 1.9]);
    expect(loudnessOf(sound, 1_500, [0, 0.9])).toBeLessThan(loud / 50);
    expect(loudnessOf(sound, 1_500, [2.2, 2.9])).toBeLessThan(loud / 50);
  });

  it('repeats short music to the end and takes it back while somebody speaks', async () => {
    const voice = await makeTone(dir, { hertz: 1_500, seconds: 2 });
    const music = await makeTone(dir, { hertz: 300, seconds: 1 });
    const shots = [await clipShot({ voice, seconds: 3 }), await clipShot({ id: 'two', seconds: 3 })];
    const sound = await grabSound((await make(orderOf(shots, { music }))).filmPath);
    expect(Math.abs(sound.length / 48_000 - 6)).toBeLessThan(0.1);
    const alone = loudnessOf(sound, 300, [4.1, 4.9]);
    expect(alone).toBeGreaterThan(100);
    expect(loudnessOf(sound, 300, [5.1, 5.7])).toBeGreaterThan(alone * 0.8);
    expect(loudnessOf(sound, 300, [0.5, 1.5])).toBeLessThan(alone * 0.6);
  });
});

describe('captions', () => {
  const still = async (caption: string) =>
    clipShot({ visual: { type: 'picture', ...(await makePicture()) }, caption });

  const frameWith = async (caption: string, captions: CaptionMode) => {
    const film = await make(orderOf([await still(caption)], { captions }), join(dir, 'one'));
    return grabGrey(film.filmPath, 0.5);
  };

  it('draws Chinese characters where captions are, each its own', async () => {
    const plain = await frameWith('海浪拍打岩石', 'none');
    const burnt = await frameWith('海浪拍打岩石', 'burnt');
    const other = await frameWith('灯塔守护夜晚', 'burnt');
    expect(differenceOf(plain, burnt, [0.75, 1])).toBeGreaterThan(150);
    expect(differenceOf(plain, burnt, [0, 0.7])).toBe(0);
    // A font without these characters would draw the same empty boxes for both.
    expect(differenceOf(burnt, other, [0.75, 1])).toBeGreaterThan(100);
  });

  it('draws what looks like an override, a filter or a format as text at the same place', async () => {
    const caption = "{\\an8}{\\b1}{\\p1}m 0 0 l 320 0 320 180 \\N %{pts}'; drawtext=text=x,[in]\\h🦊\nend";
    const [plain, burnt] = [await frameWith('', 'burnt'), await frameWith(caption, 'burnt')];
    expect(differenceOf(plain, burnt, [0.6, 1])).toBeGreaterThan(150);
    expect(differenceOf(plain, burnt, [0, 0.4])).toBe(0);
  });

  it('puts soft captions into a track of their own, with the words as they were written', async () => {
    const shots = [await still('海浪 & <b>waves</b> {\\an8}'), await clipShot({ id: 'two', caption: '🦊' })];
    const film = await make(orderOf(shots, { captions: 'soft' }));
    expect(await streamsOf(film.filmPath)).toEqual(['video h264', 'audio aac', 'subtitle mov_text']);
    const text = (await runFfmpeg(['-i', film.filmPath, '-map', '0:s:0', '-f', 'srt', 'pipe:1'])).toString();
    expect(text).toContain('海浪 & <b>waves</b> ｛＼an8｝');
    expect(text).toContain('🦊');
  });

  it('has no track when there are no words', async () => {
    const film = await make(orderOf([await still(' ')], { captions: 'soft' }));
    expect(await streamsOf(film.filmPath)).toEqual(['video h264', 'audio aac']);
  });
});

describe('B69 a second try', () => {
  it('makes only the shots that changed', async () => {
    const shots = [await clipShot(), await clipShot({ id: 'two', caption: 'before' })];
    await make(orderOf(shots, { captions: 'burnt' }));
    const segments = async () => {
      const names = (await readdir(workDir)).filter((name) => name.startsWith('segment-'));
      return new Map(
        await Promise.all(
          names.map(async (name) => [name, (await stat(join(workDir, name))).mtimeMs] as const),
        ),
      );
    };
    const before = await segments();
    const [first, second] = shots;
    if (!first || !second) throw new Error('No shots');
    await make(orderOf([first, { ...second, caption: 'after' }], { captions: 'burnt' }));
    const after = await segments();
    expect(before.size).toBe(2);
    expect(after.size).toBe(3);
    for (const [name, madeAt] of before) expect(after.get(name)).toBe(madeAt);
  });

  it('gives the same film from the same order', async () => {
    const order = orderOf([await clipShot({ voice: await makeVoice() })], {
      title: 'x',
      titleCardSeconds: 1,
    });
    const first = await readFile((await make(order, join(dir, 'one'))).filmPath);
    const again = await readFile((await make(order, join(dir, 'one'))).filmPath);
    expect(again.byteLength).toBe(first.byteLength);
  });
});
