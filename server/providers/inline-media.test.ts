import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '#server/testing/msw/memory-store.ts';
import { collectingLogger } from '#server/testing/msw/upstream.ts';
import { decodeBase64, decodeDataUri } from './inline-media.ts';
import { keepBytes } from './keep-bytes.ts';

/** Larger than one piece, so that pieces have to join. */
const LARGE = randomBytes(2_500_001);

const join = (pieces: Iterable<Uint8Array> | undefined) => pieces && Buffer.concat([...pieces]);

describe('decodeBase64', () => {
  it.each<[string, (text: string) => string]>([
    ['as it is', (text) => text],
    ['without padding', (text) => text.replace(/=+$/, '')],
    ['in the URL alphabet', (text) => text.replaceAll('+', '-').replaceAll('/', '_')],
    ['in lines of 76 characters', (text) => text.replaceAll(/.{76}/g, '$&\r\n')],
    ['in lines of 61 characters', (text) => text.replaceAll(/.{61}/g, '$&\n')],
    ['in a data address', (text) => `data:image/png;base64,${text}`],
    ['in a data address in capitals', (text) => `data:IMAGE/PNG;x=1;BASE64,${text}`],
  ])('gives back every length of bytes, %s', (_name, spell) => {
    for (const length of [1, 2, 3, 4, 100, 1_048_575, 1_048_576, 786_432, 786_433, LARGE.byteLength]) {
      const bytes = LARGE.subarray(0, length);
      expect(join(decodeBase64(spell(bytes.toString('base64'))))?.equals(bytes), String(length)).toBe(true);
    }
  });

  it('can be read again, and holds one piece at a time', () => {
    const pieces = decodeBase64(LARGE.toString('base64'));
    expect(join(pieces)?.equals(LARGE)).toBe(true);
    expect(join(pieces)?.equals(LARGE)).toBe(true);
    for (const piece of pieces ?? []) expect(piece.byteLength).toBeLessThan(800_000);
  });

  it.each([
    undefined,
    '',
    '====',
    '!!',
    ' \n',
    'data:image/png;base64,',
    'data:image/png,AAAA',
    'data:nothing',
  ])('%j holds no bytes', (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });

  it('reads data addresses only where one is expected', () => {
    expect(join(decodeDataUri('data:text/plain;base64,aGk='))?.toString()).toBe('hi');
    expect(decodeDataUri('https://x.example/aGk=')).toBeUndefined();
    expect(decodeDataUri('aGk=')).toBeUndefined();
  });
});

describe('B63: keepBytes', () => {
  it.each<[string, Uint8Array | Iterable<Uint8Array> | undefined]>([
    ['bytes', LARGE],
    ['base64', decodeBase64(LARGE.toString('base64'))],
  ])('stores all of %s after storage failed twice', async (_name, bytes) => {
    const storage = createMemoryStore();
    storage.failPuts(2);
    const lines: string[] = [];
    const input = { storage, logger: collectingLogger(lines), maxBytes: 10_000_000 };
    const kept = await keepBytes(input, 'd-1', 3, bytes ?? []);
    expect(kept).toEqual({ type: 'stored', storageKey: 'incoming/d-1/3' });
    expect(Buffer.from(storage.files.get('incoming/d-1/3') ?? []).equals(LARGE)).toBe(true);
    expect(lines).toHaveLength(2);
  });

  it('B61: stops at the cap at once', async () => {
    const storage = createMemoryStore();
    const input = { storage, logger: collectingLogger([]), maxBytes: 1_000_000 };
    const pieces = decodeBase64(LARGE.toString('base64')) ?? [];
    await expect(keepBytes(input, 'd-1', 0, pieces)).rejects.toMatchObject({ reason: 'too_large' });
    expect(storage.files.size).toBe(0);
  });
});
