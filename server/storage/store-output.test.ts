import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Kind } from '#server/generation/status.ts';
import { type AssetStore, StorageError } from './asset-store.ts';
import { createAssetStore } from './create-asset-store.ts';
import { createMediaTools, type MediaTools } from './media-tools.ts';
import { createStoreOutput, storeOutput } from './store-output.ts';
import { type MediaFormat, makeImage, makeMedia } from './testing/media-fixtures.ts';

let dir: string;
let store: AssetStore;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidelane-output-'));
  store = createAssetStore({ driver: 'fs', dir });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function* inPieces(bytes: Uint8Array, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.byteLength; offset += size) yield bytes.subarray(offset, offset + size);
}

function save(kind: Kind, bytes: Uint8Array | string, pieceSize?: number) {
  const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return storeOutput(store, { key: 'o/1', kind, source: inPieces(content, pieceSize), maxBytes: 10_000_000 });
}

async function* noted(source: AsyncIterable<Uint8Array>, written: string[]): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    written.push(`${chunk.byteLength} bytes`);
    yield chunk;
  }
}

async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

/** As on a machine where no such program is installed. */
const noTools: MediaTools = {
  find: async () => undefined,
  run: async () => ({ type: 'unavailable', reason: 'not found' }),
};

describe('media', () => {
  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    'stores %s with its size and checksum',
    async (format) => {
      const image = await makeImage(format);
      expect(await save('image', image)).toEqual({
        type: 'stored',
        output: {
          storageKey: 'o/1',
          mime: `image/${format}`,
          bytes: image.byteLength,
          sha256: createHash('sha256').update(image).digest('hex'),
          width: 40,
          height: 30,
          durationMs: null,
        },
      });
    },
  );

  it.each<[MediaFormat, string]>([
    ['mp4', 'video/mp4'],
    ['mov', 'video/quicktime'],
    ['webm', 'video/webm'],
  ])('stores %s with its size and length', async (format, mime) => {
    const result = await save('video', await makeMedia(format));
    expect(result).toMatchObject({ type: 'stored', output: { mime, width: 64, height: 48 } });
    if (result.type === 'stored') expect(result.output.durationMs).toBeCloseTo(1_000, -2);
  });

  it.each<[MediaFormat, string]>([
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
    ['ogg', 'audio/ogg'],
    ['opus', 'audio/ogg'],
    ['flac', 'audio/flac'],
    ['aac', 'audio/aac'],
    ['m4a', 'audio/mp4'],
  ])('stores %s with its length', async (format, mime) => {
    const result = await save('audio', await makeMedia(format));
    expect(result).toMatchObject({ type: 'stored', output: { mime, width: null, height: null } });
    // ADTS has no length; ffprobe estimates it from the bit rate.
    if (result.type === 'stored') expect(result.output.durationMs).toBeGreaterThan(800);
    if (result.type === 'stored') expect(result.output.durationMs).toBeLessThan(1_500);
  });
});

describe('what is no artefact', () => {
  const html = '<!DOCTYPE html><html><body><script>alert(1)</script></body></html>';
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

  it.each<[Kind, string, string, string]>([
    ['image', 'SVG with a script', svg, 'Expected an image, got SVG.'],
    ['image', 'SVG behind an XML head', `<?xml version="1.0"?>\n${svg}`, 'Expected an image, got SVG.'],
    ['image', 'HTML', html, 'Expected an image, got HTML.'],
    ['video', 'a JSON error with status 200', '{"error":"expired"}', 'Expected a video, got JSON.'],
    ['audio', 'a JSON error', ' [{"error":1}]', 'Expected audio, got JSON.'],
    ['audio', 'text', 'Service is busy', 'Expected audio, got plain text.'],
    ['video', 'XML', '<?xml version="1.0"?><Error/>', 'Expected a video, got XML.'],
    ['image', 'a PDF', '%PDF-1.7\n%âãÏÓ', 'Expected an image, got a PDF file.'],
    ['image', 'noise', '\x01\x02\xff\xfe\x00noise', 'Expected an image, got an unknown format.'],
  ])('refuses for %s: %s', async (kind, _name, content, message) => {
    expect(await save(kind, Buffer.from(content, 'latin1'))).toEqual({
      type: 'invalid',
      reason: 'wrong_type',
      message,
    });
    expect(await filesOnDisk()).toEqual([]);
  });

  it.each(['image', 'video', 'audio', 'text'] as const)('refuses an empty %s', async (kind) => {
    expect(await save(kind, '')).toMatchObject({ type: 'invalid', reason: 'empty' });
    expect(await filesOnDisk()).toEqual([]);
  });

  it.each(['image', 'video', 'audio'] as const)('never writes a byte of what is no %s', async (kind) => {
    const written: string[] = [];
    const watched: AssetStore = {
      ...store,
      put: (key, source, options) => store.put(key, noted(source, written), options),
      delete: async () => void written.push('deleted'),
    };
    for (const pieceSize of [1, 1_000, 10_000]) {
      const source = inPieces(Buffer.from(html.repeat(200)), pieceSize);
      expect(await storeOutput(watched, { key: 'o/1', kind, source, maxBytes: 10_000_000 })).toMatchObject({
        type: 'invalid',
        reason: 'wrong_type',
      });
    }
    expect(written).toEqual([]);
  });

  it('refuses a medium of another kind', async () => {
    const png = await makeImage('png');
    expect(await save('video', png)).toMatchObject({ type: 'invalid', reason: 'wrong_type' });
    expect(await save('audio', await makeMedia('mp4'))).toMatchObject({
      type: 'invalid',
      reason: 'wrong_type',
    });
    expect(await save('image', await makeMedia('mp3'))).toMatchObject({
      type: 'invalid',
      reason: 'wrong_type',
    });
    expect(await save('video', await makeMedia('mkv'))).toMatchObject({
      type: 'invalid',
      reason: 'wrong_type',
    });
    expect(await save('video', await makeMedia('silent-picture.mp4'))).toMatchObject({
      type: 'invalid',
      reason: 'wrong_type',
    });
    expect(await filesOnDisk()).toEqual([]);
  });

  it.each(['png', 'jpeg', 'webp'] as const)('refuses a %s that was cut short', async (format) => {
    const image = await makeImage(format, 400, 300);
    expect(await save('image', image.subarray(0, Math.floor(image.byteLength * 0.6)))).toMatchObject({
      type: 'invalid',
      reason: 'wrong_type',
      message: expect.stringContaining('cannot be read'),
    });
    expect(await filesOnDisk()).toEqual([]);
  });

  it('refuses video and audio without a readable stream', async () => {
    const mov = await makeMedia('mov');
    expect(await save('video', mov.subarray(0, mov.byteLength / 2))).toMatchObject({ type: 'invalid' });
    expect(await save('audio', Buffer.concat([Buffer.from('ID3\x03'), Buffer.alloc(500)]))).toMatchObject({
      type: 'invalid',
    });
    expect(await filesOnDisk()).toEqual([]);
  });

  it('refuses what passes the cap', async () => {
    const source = inPieces(await makeImage('png'));
    const result = await storeOutput(store, { key: 'o/1', kind: 'image', source, maxBytes: 50 });
    expect(result).toMatchObject({ type: 'invalid', reason: 'too_large' });
    expect(await filesOnDisk()).toEqual([]);
  });
});

describe('without ffprobe', () => {
  it('stores video unmeasured and still refuses what is none', async () => {
    const store_ = createStoreOutput(noTools);
    const input = { key: 'o/1', kind: 'video', maxBytes: 10_000_000 } as const;
    expect(await store_(store, { ...input, source: inPieces(await makeMedia('mp4')) })).toMatchObject({
      type: 'stored',
      output: { mime: 'video/mp4', width: null, height: null, durationMs: null },
    });
    expect(await store_(store, { ...input, source: inPieces(Buffer.from('{}')) })).toMatchObject({
      type: 'invalid',
    });
  });

  it('treats a program that cannot start as missing', async () => {
    const tools = createMediaTools({ ffprobePath: '/nowhere/ffprobe' });
    const source = inPieces(await makeMedia('mp4'));
    const result = await createStoreOutput(tools)(store, {
      key: 'o/1',
      kind: 'video',
      source,
      maxBytes: 10_000_000,
    });
    expect(result).toMatchObject({ type: 'stored', output: { durationMs: null } });
  });
});

describe('text', () => {
  it('keeps characters that are cut by chunk boundaries', async () => {
    const text = 'Grüße, 世界 🌍🎬';
    const result = await save('text', text, 1);
    expect(result).toMatchObject({
      type: 'stored',
      output: { mime: 'text/plain', bytes: Buffer.byteLength(text) },
    });
  });

  it('takes HTML and JSON as the text that they are', async () => {
    expect(await save('text', '<script>alert(1)</script>')).toMatchObject({
      type: 'stored',
      output: { mime: 'text/plain' },
    });
    expect(await save('text', '{"a":1}')).toMatchObject({ type: 'stored', output: { mime: 'text/plain' } });
  });

  it.each<[string, Buffer, string]>([
    ['a byte that is never UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'invalid_utf8'],
    ['a cut last character', Buffer.from('世界').subarray(0, 5), 'invalid_utf8'],
    ['an overlong form', Buffer.from([0xc0, 0xaf]), 'invalid_utf8'],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80]), 'invalid_utf8'],
    ['NUL', Buffer.from('a\0b'), 'wrong_type'],
  ])('refuses %s', async (_name, content, reason) => {
    for (const size of [1, 1_000]) {
      expect(await save('text', content, size)).toMatchObject({ type: 'invalid', reason });
    }
    expect(await filesOnDisk()).toEqual([]);
  });
});

describe('faults', () => {
  it('passes errors of the source through', async () => {
    const broken = new Error('the connection broke');
    for (const kind of ['image', 'text'] as const) {
      async function* source() {
        yield Buffer.from('half');
        throw broken;
      }
      await expect(storeOutput(store, { key: 'o/1', kind, source: source(), maxBytes: 100 })).rejects.toBe(
        broken,
      );
    }
    expect(await filesOnDisk()).toEqual([]);
  });

  it('closes a source that was never read', async () => {
    const failing: AssetStore = { ...store, put: () => Promise.reject(new StorageError('io', 'disk full')) };
    const closed: string[] = [];
    const source = (name: string): AsyncIterableIterator<Uint8Array> => ({
      [Symbol.asyncIterator]() {
        return this;
      },
      next: async () => ({ done: true, value: undefined }),
      async return() {
        closed.push(name);
        return { done: true, value: undefined };
      },
    });
    const input = { key: 'o/1', kind: 'image', maxBytes: 100 } as const;
    await expect(storeOutput(failing, { ...input, source: source('fault') })).rejects.toThrow('disk full');
    expect(
      await storeOutput(store, { ...input, source: source('announced'), announcedBytes: 101 }),
    ).toMatchObject({ type: 'invalid', reason: 'too_large' });
    expect(closed).toEqual(['fault', 'announced']);
    const file = Readable.from([Buffer.from('x')]);
    await expect(storeOutput(failing, { ...input, source: file })).rejects.toThrow('disk full');
    expect(file.destroyed).toBe(true);
  });

  it('does not take a storage fault for a bad artefact', async () => {
    const failing: AssetStore = { ...store, put: () => Promise.reject(new StorageError('io', 'disk full')) };
    const source = inPieces(await makeImage('png'));
    await expect(
      storeOutput(failing, { key: 'o/1', kind: 'image', source, maxBytes: 10_000 }),
    ).rejects.toThrow('disk full');
  });

  it('stops measuring when the signal says so', async () => {
    const controller = new AbortController();
    const reason = new Error('lease lost');
    const slow: MediaTools = {
      ...noTools,
      run: (_name, _args, { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          controller.abort(reason);
        }),
    };
    const input = { key: 'o/1', kind: 'video', maxBytes: 10_000_000, signal: controller.signal } as const;
    await expect(
      createStoreOutput(slow)(store, { ...input, source: inPieces(await makeMedia('mp4')) }),
    ).rejects.toBe(reason);
  });
});
