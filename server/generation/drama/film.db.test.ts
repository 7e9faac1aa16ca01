import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fromBuffer } from 'yauzl';
import { mediaTools } from '#server/storage/media-tools.ts';
import { listOutputs } from '../output-queries.ts';
import type { DramaView } from './schemas.ts';
import { createDramaRig, type DramaRig, PRICES } from './testing/drama-rig.ts';
import { zipDrama } from './zip-drama.ts';

/** Real films, of a size that is made quickly. */
vi.mock('./schemas.ts', async (original) => ({
  ...(await original<typeof import('./schemas.ts')>()),
  DRAMA_SIZES: { '16:9': [128, 72], '9:16': [72, 128], '1:1': [96, 96] },
}));

let rig: DramaRig;
beforeAll(async () => {
  rig = await createDramaRig({ characters: true });
});
afterAll(() => rig.close());

type Probe = {
  streams: { codec_type: string; codec_name: string; width?: number; height?: number }[];
  format: { duration: string };
};

/** What ffprobe says about an output of a drama's own. */
async function probe(taskId: string, ordinal: number): Promise<Probe> {
  const output = (await listOutputs(rig.db, taskId)).find((each) => each.ordinal === ordinal);
  if (!output) throw new Error(`There is no output ${ordinal}`);
  return rig.deps.storage.withLocalFile(output.storageKey, async (path) => {
    const args = ['-show_streams', '-show_format', '-of', 'json', path];
    const result = await mediaTools().run('ffprobe', args, { timeoutMs: 60_000, maxOutputBytes: 1_000_000 });
    if (result.type !== 'exited' || result.code !== 0) throw new Error(JSON.stringify(result));
    return JSON.parse(result.stdout.toString());
  });
}

async function text(taskId: string, ordinal: number): Promise<string> {
  const output = (await listOutputs(rig.db, taskId)).find((each) => each.ordinal === ordinal);
  const { stream } = await rig.deps.storage.open(output?.storageKey ?? '');
  return Buffer.concat(await stream.toArray()).toString();
}

const shotsOf = ({ shots }: DramaView) =>
  shots.map(({ picture, clip, voice }) => [picture?.status, clip?.status, voice?.status]);

describe('from an idea', () => {
  let taskId: string;
  let drama: DramaView;

  it('makes storyboard, shots and film by itself when that was allowed', { timeout: 600_000 }, async () => {
    const before = (await rig.balance()).balanceCredits;
    taskId = await rig.order({ startBelowCredits: 100, titleCard: true });
    drama = await rig.ended(taskId);
    expect(drama.task).toMatchObject({ status: 'succeeded', failure: null, progress: 100 });
    expect(drama.phase).toBe('done');
    expect(shotsOf(drama)).toEqual(Array(3).fill(['done', 'done', 'done']));

    const parts = 3 * (PRICES.picture + PRICES.clipSecond + PRICES.voice) + 2 * PRICES.picture;
    expect(drama.budget).toMatchObject({ estimateCredits: parts, heldCredits: parts, spentCredits: parts });
    expect(drama.task.money).toMatchObject({ state: 'charged', chargedCredits: parts });
    expect(drama.quote?.totalCredits).toBe(parts);
    expect((await rig.balance()).balanceCredits).toBe(before - parts - PRICES.storyboard);
    expect(await rig.audit()).toEqual([]);
  });

  it('gives a film that plays: picture, sound, and as long as it was planned', async () => {
    const film = await probe(taskId, 0);
    expect(film.streams).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ codec_type: 'video', codec_name: 'h264', width: 128, height: 72 }),
        expect.objectContaining({ codec_type: 'audio', codec_name: 'aac' }),
      ]),
    );
    // The narrations may be longer than the shots; then the film is, and the captions say so too.
    const last = (await text(taskId, 3)).match(/--> ([\d:.]+)/g)?.at(-1) ?? '';
    const [, minutes, seconds] = /(\d+):([\d.]+)$/.exec(last) ?? [];
    const captionsEnd = Number(minutes) * 60 + Number(seconds);
    const duration = Number(film.format.duration);
    expect(duration).toBeGreaterThanOrEqual(Math.max(5, captionsEnd) - 0.2);
    expect(drama.film?.seconds).toBeCloseTo(duration, 0);
    expect(drama.film).toMatchObject({
      posterUrl: expect.stringContaining('/files/outputs/'),
      captions: { srtUrl: expect.any(String), vttUrl: expect.any(String) },
    });
    expect(await text(taskId, 2)).toContain('00:00:02');
    expect(await text(taskId, 3)).toMatch(/^WEBVTT/);
  });

  it('draws its characters first and shows them to every picture, and begins each clip with its picture', async () => {
    const rows = await rig.t.sql<{ kind: string; references: number; prompt: string }[]>`
      select t.kind, cardinality(d.reference_ids) as references, d.prompt from generation_tasks t
      join generation_task_details d on d.task_id = t.id where t.parent_id = ${taskId} order by t.id`;
    const images = rows.filter(({ kind }) => kind === 'image');
    expect(images.map(({ references }) => references)).toEqual([0, 0, 1, 1, 1]);
    expect(images[0]?.prompt).toContain('Reference picture of one character');
    expect(rows.filter(({ kind }) => kind === 'video').map(({ references }) => references)).toEqual([
      1, 1, 1,
    ]);
    expect(Object.keys(drama.characters).sort()).toEqual(['c1', 'c2']);
  });

  it('leaves no work directory behind', async () => {
    const left = await readdir(join(tmpdir(), 'sidelane-films'));
    expect(left.filter((name) => name.startsWith(taskId))).toEqual([]);
  });

  it('offers everything as an archive whose manifest tells each file, and nothing of storage or upstream', async () => {
    const { fileName, stream } = await zipDrama(rig.deps, { userId: rig.user.id, taskId });
    expect(fileName).toMatch(/^sidelane-film-[\w-]+-shots\.zip$/);
    const files = await unzip(Buffer.concat(await stream.toArray()));
    expect([...files.keys()].sort()).toEqual([
      'captions.srt',
      'captions.vtt',
      'characters/c1.png',
      'characters/c2.png',
      'film.mp4',
      'manifest.json',
      'poster.webp',
      'shots/01-clip.mp4',
      'shots/01-picture.png',
      expect.stringMatching(/^shots\/01-voice\.(mp3|wav)$/),
      'shots/02-clip.mp4',
      'shots/02-picture.png',
      expect.stringMatching(/^shots\/02-voice\./),
      'shots/03-clip.mp4',
      'shots/03-picture.png',
      expect.stringMatching(/^shots\/03-voice\./),
    ]);
    const source = files.get('manifest.json')?.toString() ?? '';
    const manifest = JSON.parse(source);
    for (const file of manifest.files) {
      const bytes = files.get(file.name);
      expect(
        createHash('sha256')
          .update(bytes ?? '')
          .digest('hex'),
        file.name,
      ).toBe(file.sha256);
    }
    expect(manifest.plan.shots).toHaveLength(3);
    const upstreamIds = await rig.t.sql<{ id: string }[]>`
      select d.upstream_id as id from dispatches d join generation_tasks t on t.id = d.task_id
      where t.parent_id = ${taskId} and d.upstream_id is not null`;
    expect(upstreamIds.length).toBeGreaterThan(0);
    for (const { id } of upstreamIds) expect(source).not.toContain(id);
    expect(source).not.toContain('outputs/');
  });

  it('gives the archive to nobody else', async () => {
    const input = { userId: '01890000-0000-7000-8000-000000000000', taskId };
    await expect(zipDrama(rig.deps, input)).rejects.toMatchObject({ code: 'not_found' });
  });
});

it("keeps a script's dialogue word for word", async () => {
  const script = 'Mara: Wait for me, please!\nJonas: The ship is gone.';
  const taskId = await rig.order({ source: 'script', text: `${script}\n[[seconds=1]]`, shots: 2 });
  const { plan, storyboard } = await rig.review(taskId);
  expect(storyboard).toMatchObject({ tries: 1, problem: null });
  const said = plan?.shots.map(({ narration }) => narration).join(' ');
  expect(said).toContain('Wait for me, please!');
  expect(said).toContain('The ship is gone.');
});

it('makes a film of still pictures, silent, where no other model was chosen', {
  timeout: 600_000,
}, async () => {
  const { storyboard, picture } = (await rig.drama(await rig.order())).settings.models;
  const taskId = await rig.order({
    models: { storyboard, picture },
    text: 'A quiet film [[shots=1]] [[seconds=1]]',
    startBelowCredits: 100,
    ratio: '1:1',
  });
  const drama = await rig.ended(taskId);
  expect(drama.task.status).toBe('succeeded');
  expect(shotsOf(drama)).toEqual([['done', undefined, undefined]]);
  const { streams, format } = await probe(taskId, 0);
  expect(streams.find(({ codec_type }) => codec_type === 'video')).toMatchObject({ width: 96, height: 96 });
  expect(Math.abs(Number(format.duration) - 1)).toBeLessThan(0.2);
});

function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      const files = new Map<string, Buffer>();
      zip.on('entry', (entry) => {
        zip.openReadStream(entry, (problem, stream) => {
          if (problem) return reject(problem);
          stream.toArray().then((chunks) => {
            files.set(entry.fileName, Buffer.concat(chunks));
            zip.readEntry();
          }, reject);
        });
      });
      zip.on('end', () => resolve(files));
      zip.on('error', reject);
      zip.readEntry();
    });
  });
}
