import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AssetStore, StorageError } from './asset-store.ts';
import { createAssetStore } from './create-asset-store.ts';
import { makePreview } from './make-preview.ts';
import { createMediaTools } from './media-tools.ts';
import { makeImage, makeMedia } from './testing/media-fixtures.ts';

let dir: string;
let store: AssetStore;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidelane-preview-'));
  store = createAssetStore({ driver: 'fs', dir });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function keep(key: string, bytes: Uint8Array): Promise<void> {
  async function* source() {
    yield bytes;
  }
  await store.put(key, source(), { maxBytes: 10_000_000 });
}

describe('makePreview', () => {
  it('makes a WebP of at most 512 pixels from an image, keeping its shape', async () => {
    await keep('o/1', await makeImage('png', 2_000, 1_000));
    expect(await makePreview(store, { storageKey: 'o/1', kind: 'image', mime: 'image/png' })).toEqual({
      storageKey: 'o/1.preview.webp',
    });
    expect(await sharp(join(dir, 'o/1.preview.webp')).metadata()).toMatchObject({
      format: 'webp',
      width: 512,
      height: 256,
    });
  });

  it('does not enlarge a small image, and can be repeated', async () => {
    await keep('o/1', await makeImage('jpeg'));
    const input = { storageKey: 'o/1', kind: 'image', mime: 'image/jpeg' } as const;
    expect(await makePreview(store, input)).toEqual(await makePreview(store, input));
    expect(await sharp(join(dir, 'o/1.preview.webp')).metadata()).toMatchObject({ width: 40, height: 30 });
  });

  it.each(['mp4', 'webm'] as const)('makes a poster from a frame of %s', async (format) => {
    await keep('o/1', await makeMedia(format));
    expect(await makePreview(store, { storageKey: 'o/1', kind: 'video', mime: `video/${format}` })).toEqual({
      storageKey: 'o/1.preview.webp',
    });
    const poster = sharp(join(dir, 'o/1.preview.webp'));
    expect(await poster.metadata()).toMatchObject({ format: 'webp', width: 64, height: 48 });
    // The test picture has bright bars: a black poster would mean that no frame was decoded.
    expect((await poster.stats()).channels[0]?.max).toBeGreaterThan(150);
  });

  it('has none for audio and text, or for media that cannot be decoded', async () => {
    await keep('o/1', Buffer.from('no picture at all'));
    for (const [kind, mime] of [
      ['audio', 'audio/mpeg'],
      ['text', 'text/plain'],
      ['image', 'image/png'],
      ['video', 'video/mp4'],
      ['video', 'video/unknown'],
    ] as const) {
      expect(await makePreview(store, { storageKey: 'o/1', kind, mime })).toBeUndefined();
    }
    expect(await readdir(join(dir, 'o'))).toEqual(['1']);
  });

  it('has none for a video where there is no ffmpeg', async () => {
    await keep('o/1', await makeMedia('mp4'));
    const tools = createMediaTools({ ffmpegPath: '/nowhere/ffmpeg' });
    expect(
      await makePreview(store, { storageKey: 'o/1', kind: 'video', mime: 'video/mp4' }, tools),
    ).toBeUndefined();
  });

  it('tells when the file is not in storage', async () => {
    const preview = makePreview(store, { storageKey: 'none', kind: 'image', mime: 'image/png' });
    await expect(preview).rejects.toBeInstanceOf(StorageError);
  });
});
