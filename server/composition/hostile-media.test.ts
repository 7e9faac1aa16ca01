import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mediaTools } from '#server/storage/media-tools.ts';
import { FILM_LIMITS } from './check-order.ts';
import { composeFilm } from './compose-film.ts';
import { forcedInput, openEncoder } from './encoder.ts';
import type { FilmOrder, MediaFile } from './film.ts';
import { clipShot, makeClip, makePicture, makeVoice, optionsFor, orderOf } from './testing/film-fixtures.ts';

let dir: string;
let workDir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidelane-film-'));
  workDir = join(dir, 'work');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const compose = (order: FilmOrder) => composeFilm(order, optionsFor(workDir));

describe('a file that is not what it says', () => {
  const playlists = (origin: string) => ({
    hls: `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${origin}/a.ts\n#EXT-X-ENDLIST\n`,
    concat: `ffconcat version 1.0\nfile ${origin}/a.mp4\nfile /etc/passwd\n`,
    passwd: 'ffconcat version 1.0\nfile /etc/passwd\n',
    /** Another film on the same disk, by a name that ffmpeg would follow. */
    beside: 'ffconcat version 1.0\nfile clip.mp4\n',
    sdp: `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=video ${new URL(origin).port} RTP/AVP 96\n`,
    svg: `<svg xmlns="http://www.w3.org/2000/svg"><image href="${origin}/a.png"/></svg>`,
  });
  let server: Server;
  let origin: string;
  let requests: string[];

  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const places = {
    clip: (file: MediaFile) => clipShot({ visual: { type: 'clip', ...file } }),
    picture: (file: MediaFile) => clipShot({ visual: { type: 'picture', ...file } }),
    voice: (file: MediaFile) => clipShot({ voice: file }),
  };

  it.each([
    ['hls', 'clip', 'video/mp4'],
    ['concat', 'clip', 'video/mp4'],
    ['passwd', 'clip', 'video/webm'],
    ['sdp', 'voice', 'audio/mpeg'],
    ['passwd', 'voice', 'audio/aac'],
    ['svg', 'picture', 'image/png'],
  ] as const)('%s as the %s (%s) is refused and nothing is fetched', async (kind, place, mime) => {
    const path = join(dir, 'hostile');
    await writeFile(path, playlists(origin)[kind]);
    const result = await compose(orderOf([await places[place]({ path, mime })]));
    expect(result).toMatchObject({ type: 'failed', message: expect.stringContaining('shot 1') });
    expect(JSON.stringify(result)).not.toMatch(/passwd|root:|\/tmp|127\.0\.0\.1/);
    expect(requests).toEqual([]);
  });

  it.each([
    ['mov', 'hls'],
    ['mov', 'concat'],
    ['mov', 'beside'],
    ['mp3', 'hls'],
    ['hls', 'hls'],
    ['concat', 'concat'],
  ] as const)('ffmpeg, told that it is %s, follows no %s playlist', async (demuxer, kind) => {
    await mkdir(workDir);
    const path = join(dir, 'hostile');
    await writeFile(path, playlists(origin)[kind]);
    await copyFile((await makeClip()).path, join(dir, 'clip.mp4'));
    const encoder = await openEncoder(mediaTools(), {
      workDir,
      signal: new AbortController().signal,
      limits: FILM_LIMITS,
    });
    const unsafe = demuxer === 'concat' ? ['-safe', '0'] : [];
    const job = { output: 'x.mp4', format: 'mp4', maxBytes: 1_000_000, subject: 'Shot 1' };
    const run = encoder.run({ ...job, args: forcedInput(demuxer, `file:${path}`, unsafe) });
    await expect(run).rejects.toMatchObject({ type: 'failed' });
    expect(requests).toEqual([]);
    expect(await readdir(workDir)).toEqual([]);
  });

  it('is found out when it is another medium, cut or missing', async () => {
    const cut = join(dir, 'cut.mp4');
    await writeFile(cut, (await readFile((await makeClip()).path)).subarray(0, 200));
    const picture = await makePicture('png');
    const cases: [keyof typeof places, MediaFile, string][] = [
      ['clip', { path: picture.path, mime: 'video/mp4' }, 'The clip of shot 1 is not the video/mp4'],
      ['clip', picture, 'has the type image/png'],
      ['clip', { ...(await makeClip()), mime: 'video/webm' }, 'is not the video/webm'],
      ['clip', { ...(await makeClip()), mime: 'video/x-flv' }, 'has the type video/x-flv'],
      ['clip', { path: cut, mime: 'video/mp4' }, 'Shot 1 could not be made'],
      ['clip', { path: join(dir, 'gone'), mime: 'video/mp4' }, 'cannot be read from storage'],
      ['picture', { ...picture, mime: 'image/jpeg' }, 'is not the image/jpeg'],
      ['picture', { ...picture, mime: 'image/svg+xml' }, 'is not the image/svg+xml'],
      [
        'voice',
        { ...(await makeVoice()), mime: 'audio/wav' },
        'The narration of shot 1 is not the audio/wav',
      ],
      ['voice', picture, 'has the type image/png'],
    ];
    for (const [place, file, message] of cases) {
      const result = await compose(orderOf([await places[place](file)]));
      expect(result).toMatchObject({ type: 'failed', message: expect.stringContaining(message) });
      expect(JSON.stringify(result)).not.toContain(dir);
    }
  });
});
