import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { type ZipEntry, zipFiles } from './zip-files.ts';

async function unpack(bytes: Buffer) {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
  const files = new Map<string, { text: string; method: number; date: Date }>();
  for await (const entry of zip.eachEntry()) {
    const content = await buffer(await zip.openReadStreamPromise(entry));
    files.set(entry.fileName, {
      text: content.toString(),
      method: entry.compressionMethod,
      date: entry.getLastModDate(),
    });
  }
  zip.close();
  return files;
}

const streamed = (name: string, text = name): ZipEntry => ({
  name,
  source: async () => Readable.from([Buffer.from(text)]),
});

describe('zipFiles', () => {
  it('gives a readable archive: media as they are, text compressed', async () => {
    const mtime = new Date('2026-02-03T04:05:06Z');
    const files = await unpack(
      await buffer(
        zipFiles([
          { name: 'manifest.json', source: { text: '{"title":"灯塔"}' }, mtime },
          { ...streamed('shots/01-灯塔.mp4', 'film'), mtime },
          { name: 'captions.srt', source: () => ({ text: 'words' }), mtime },
        ]),
      ),
    );
    expect([...files].map(([name, { text, method }]) => [name, text, method])).toEqual([
      ['manifest.json', '{"title":"灯塔"}', 8],
      ['shots/01-灯塔.mp4', 'film', 0],
      ['captions.srt', 'words', 0],
    ]);
    for (const { date } of files.values())
      expect(Math.abs(date.getTime() - mtime.getTime())).toBeLessThan(2_000);
  });

  it('gives every file a safe name of its own', async () => {
    const names = [
      'a.txt',
      'A.txt',
      'a.txt',
      '../../etc/passwd',
      '/root/x',
      'C:\\con\\y:z.txt',
      '',
      '..',
      'b/../b',
      '\u202ecod.mp4',
    ];
    const files = await unpack(await buffer(zipFiles(names.map((name) => streamed(name)))));
    expect([...files.keys()]).toEqual([
      'a.txt',
      'A (2).txt',
      'a (3).txt',
      'etc/passwd',
      'root/x',
      'C/con/yz.txt',
      'file.bin',
      'file (2).bin',
      'b/b',
      'cod.mp4',
    ]);
  });

  it('opens one source after the other', async () => {
    let open = 0;
    let most = 0;
    const entry = (name: string): ZipEntry => ({
      name,
      source: async () => {
        open += 1;
        most = Math.max(most, open);
        return Readable.from([Buffer.alloc(1_000)]).once('end', () => {
          open -= 1;
        });
      },
    });
    await buffer(zipFiles(['a', 'b', 'c', 'd'].map(entry)));
    expect(most).toBe(1);
  });

  it('takes no more of its sources than is read', async () => {
    let given = 0;
    const chunk = Buffer.alloc(64_000, 1);
    const endless = new Readable({
      read() {
        given += chunk.byteLength;
        this.push(chunk);
      },
    });
    const zip = zipFiles([{ name: 'big', source: async () => endless }]);
    let taken = 0;
    for await (const part of zip) {
      taken += (part as Buffer).byteLength;
      expect(given - taken).toBeLessThan(2_000_000);
      if (taken > 20_000_000) break;
    }
    // Leaving the loop destroys the archive, and that its source.
    if (!endless.destroyed) await once(endless, 'close');
    expect(given).toBeLessThan(25_000_000);
  });

  it('fails as a whole when a source fails, at its start or in its middle', async () => {
    async function* broken() {
      yield Buffer.alloc(10);
      throw new Error('The disk is gone');
    }
    const sources: ZipEntry['source'][] = [
      () => Promise.reject(new Error('The disk is gone')),
      async () => Readable.from(broken()),
    ];
    for (const source of sources) {
      const zip = zipFiles([streamed('a'), { name: 'b', source }, streamed('c')]);
      await expect(buffer(zip)).rejects.toThrow('The disk is gone');
    }
  });

  it('destroys the open source when its reader goes away', async () => {
    const endless = new Readable({ read: () => {} });
    const opened = new Promise<void>((resolve) => {
      const zip = zipFiles([
        {
          name: 'a',
          source: async () => {
            queueMicrotask(() => {
              zip.destroy();
              resolve();
            });
            return endless;
          },
        },
      ]);
      zip.resume();
    });
    await opened;
    if (!endless.destroyed) await once(endless, 'close');
    expect(endless.destroyed).toBe(true);
  });

  it('keeps the bytes of a large file', async () => {
    const bytes = Buffer.alloc(3_000_000, 'sidelane');
    const zip = await buffer(zipFiles([{ name: 'x.bin', source: async () => Readable.from([bytes]) }]));
    const files = await unpack(zip);
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(hash(files.get('x.bin')?.text ?? '')).toBe(hash(bytes.toString()));
  });
});
