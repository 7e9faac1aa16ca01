import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Kind } from '#server/generation/status.ts';
import { makeImage, makeMedia } from '#server/storage/testing/media-fixtures.ts';
import { createArtefactBench, endless, pour, send } from './testing/artefact-rig.ts';

const { serve, fetchFrom, filesOnDisk, letGo, pathOf } = createArtefactBench();

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const HTML = '<!DOCTYPE html><html><body><script>alert(1)</script></body></html>';
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

describe('B60: the bytes decide what a file is', () => {
  it.each<[string, string]>([
    ['application/octet-stream', 'under no type'],
    ['text/html', 'called HTML'],
    ['video/mp4', 'called a video'],
    ['', 'without a header'],
  ])('a PNG as %j (%s) is stored as a PNG', async (type) => {
    const png = await makeImage('png');
    const server = await serve(send(type, png));
    expect(await fetchFrom(server, 'image')).toMatchObject({
      type: 'stored',
      output: {
        mime: 'image/png',
        width: 40,
        height: 30,
        sha256: createHash('sha256').update(png).digest('hex'),
      },
    });
    expect((await readFile(pathOf('outputs/t/0-a'))).equals(png)).toBe(true);
    expect(await filesOnDisk()).toEqual(['0-a']);
  });

  it.each<[Kind, string, string | Uint8Array, string]>([
    ['video', 'an error in JSON', '{"error":"expired"}', 'JSON'],
    ['audio', 'an error in JSON', '{"error":{"message":"quota"}}', 'JSON'],
    ['image', 'SVG with a script', SVG, 'SVG'],
    ['image', 'SVG behind an XML head and a comment', `<?xml version="1.0"?><!-- x -->${SVG}`, 'SVG'],
    ['image', 'SVG behind a mark and spaces', `\ufeff${' '.repeat(6_000)}${SVG}`, 'plain text'],
    ['image', 'SVG in UTF-16', utf16(SVG), ''],
    ['image', 'SVG that is compressed', gzipSync(SVG), 'GZ'],
    ['image', 'HTML', HTML, 'HTML'],
    ['video', 'HTML', HTML, 'HTML'],
    ['audio', 'HTML in UTF-16', utf16(HTML), ''],
    ['image', 'a script', 'alert(document.cookie)', 'plain text'],
    ['video', 'an XML error', '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', 'XML'],
    ['image', 'a PDF', '%PDF-1.7\n%\u00e2\u00e3', 'PDF'],
    ['image', 'an archive', Buffer.from('504b0304140000000800', 'hex'), ''],
    ['video', 'a program', Buffer.concat([Buffer.from('7f454c46020101', 'hex'), Buffer.alloc(90)]), ''],
  ])('%s: %s is refused under a good name and leaves no file', async (kind, _name, body, looksLike) => {
    const type = { image: 'image/png', video: 'video/mp4', audio: 'audio/mpeg', text: 'text/plain' }[kind];
    const server = await serve(send(type, body));
    const result = await fetchFrom(server, kind);
    expect(result).toMatchObject({ type: 'invalid', reason: 'wrong_type' });
    if (result.type === 'invalid') expect(result.message).toContain(looksLike);
    expect(await filesOnDisk()).toEqual([]);
  });

  it('a medium of another kind is refused, whatever it is called', async () => {
    const [png, mp4, mp3] = [await makeImage('png'), await makeMedia('mp4'), await makeMedia('mp3')];
    for (const [kind, type, body] of [
      ['video', 'video/mp4', png],
      ['image', 'image/png', mp4],
      ['audio', 'audio/mpeg', mp4],
      ['video', 'video/mp4', mp3],
      ['text', 'text/plain', png],
    ] as const) {
      const server = await serve(send(type, body));
      expect(await fetchFrom(server, kind), `${kind} ${type}`).toMatchObject({
        type: 'invalid',
        reason: 'wrong_type',
      });
    }
    expect(await filesOnDisk()).toEqual([]);
  });

  it('nothing is downloaded beyond the first kilobytes of what is no medium', async () => {
    const page = endless(Buffer.from(HTML));
    const server = await serve((response) => pour(response.writeHead(200), page));
    expect(await fetchFrom(server, 'image')).toMatchObject({
      reason: 'wrong_type',
      message: 'Expected an image, got HTML.',
    });
    await letGo(server);
    // What the buffers of both sockets took.
    expect(page.bytes()).toBeLessThan(20_000_000);
    expect(await filesOnDisk()).toEqual([]);
  });
});
