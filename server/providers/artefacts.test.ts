import { rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { StorageError } from '#server/storage/asset-store.ts';
import { makeImage, makeMedia } from '#server/storage/testing/media-fixtures.ts';
import { createArtefactBench, endless, pour, send } from './testing/artefact-rig.ts';

const MEGABYTE = 1_048_576;

const { serve, fetchFrom, fetchUrl, filesOnDisk, letGo, pathOf, useBucket } = createArtefactBench();

const status = (code: number) => (response: ServerResponse) => {
  response.writeHead(code).end();
};

describe('B61: a body without end', () => {
  it('ends at the cap, on disk without a trace', async () => {
    const png = await makeImage('png');
    const server = await serve((response) => pour(response.writeHead(200), endless(png)));
    expect(await fetchFrom(server, 'image', { maxBytes: 20 * MEGABYTE })).toMatchObject({
      type: 'invalid',
      reason: 'too_large',
    });
    await letGo(server);
    expect(await filesOnDisk()).toEqual([]);
  });

  it('ends at the cap, in a bucket with the upload aborted', async () => {
    const s3 = await useBucket();
    const png = await makeImage('png');
    const server = await serve((response) => pour(response.writeHead(200), endless(png)));
    expect(await fetchFrom(server, 'image', { maxBytes: 20 * MEGABYTE })).toMatchObject({
      reason: 'too_large',
    });
    await letGo(server);
    expect(s3.requests.filter((line) => line.startsWith('DELETE') && line.includes('uploadId'))).toHaveLength(
      1,
    );
    expect(s3.openUploads.size).toBe(0);
    expect(s3.objects.size).toBe(0);
  });

  it('is not read at all when 5 GB are announced', async () => {
    const film = endless(await makeImage('png'));
    const server = await serve((response) => {
      pour(response.writeHead(200, { 'content-length': 5_000_000_000 }), film);
    });
    expect(await fetchFrom(server, 'image')).toMatchObject({ type: 'invalid', reason: 'too_large' });
    await letGo(server);
    // What the buffers of both sockets took.
    expect(film.bytes()).toBeLessThan(20 * MEGABYTE);
    expect(await filesOnDisk()).toEqual([]);
  });

  it('is counted after decompression', async () => {
    const bomb = gzipSync(Buffer.concat([await makeImage('png'), Buffer.alloc(64 * MEGABYTE)]));
    expect(bomb.byteLength).toBeLessThan(MEGABYTE);
    for (const encoding of ['gzip', 'GZip ']) {
      const server = await serve((response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
      );
      expect(await fetchFrom(server, 'image', { maxBytes: 20 * MEGABYTE })).toMatchObject({
        reason: 'too_large',
      });
      await letGo(server);
    }
    expect(await filesOnDisk()).toEqual([]);
  });

  it.each<[string, number, { idleMs: number; totalMs: number }]>([
    ['one byte per second, by the idle limit', 1_000, { idleMs: 500, totalMs: 60_000 }],
    ['a byte now and then, by the total limit', 20, { idleMs: 60_000, totalMs: 600 }],
  ])('a slow drip ends: %s', async (_name, everyMs, limits) => {
    const png = await makeImage('png');
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).flushHeaders();
      let at = 0;
      const timer = setInterval(() => response.write(png.subarray(at, ++at)), everyMs);
      response.on('close', () => clearInterval(timer));
    });
    const end = await fetchFrom(server, 'image', { limits }).catch((error: unknown) => error);
    expect(end).toMatchObject({ errorClass: 'timeout' });
    await letGo(server);
    expect(await filesOnDisk()).toEqual([]);
  });

  it('ends before the headers too, when upstream stays silent', async () => {
    const server = await serve(() => {});
    expect(await fetchFrom(server, 'image', { limits: { idleMs: 250, totalMs: 60_000 } })).toMatchObject({
      type: 'transient',
      errorClass: 'timeout',
    });
    await letGo(server);
  });

  it('that breaks off is never taken for a whole file', async () => {
    const mp4 = await makeMedia('mp4');
    const server = await serve((response) => {
      response.writeHead(200, { 'content-length': mp4.byteLength + 1 }).write(mp4, () => response.destroy());
    });
    await expect(fetchFrom(server, 'video')).rejects.toMatchObject({ name: 'DownloadBrokenError' });
    expect(await filesOnDisk()).toEqual([]);
  });
});

describe('B62: addresses that upstream gave', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/iam/',
    'http://[::ffff:127.0.0.1]/',
    'http://2130706433/',
    'http://metadata.google.internal/',
    'file:///etc/passwd',
    'ftp://x.example/a.png',
    '//x.example/a.png',
    'data:image/png;base64,AAAA',
    'http://api.example@127.0.0.1/',
    'http://x.example:25/',
  ])('%s is refused for good', async (url) => {
    expect(await fetchUrl(url, 'image')).toMatchObject({ type: 'refused' });
    expect(await filesOnDisk()).toEqual([]);
  });
});

describe('B58: an address that expired, or came too early', () => {
  it.each([403, 404, 410])('%s is no fault of ours, and a fresh address works', async (code) => {
    const png = await makeImage('png');
    const server = await serve(status(code), status(code), send('image/png', png));
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await fetchFrom(server, 'image')).toMatchObject({ type: 'gone', status: code });
    }
    expect(await fetchFrom(server, 'image')).toMatchObject({ type: 'stored' });
    expect(server.requests).toEqual(['GET /file', 'GET /file', 'GET /file']);
  });
});

describe('B63: storage fails after upstream has delivered', () => {
  it('a disk that takes nothing is a storage fault, the transfer is let go and can be repeated alone', async () => {
    const png = await makeImage('png');
    const server = await serve(
      (response) => pour(response.writeHead(200), endless(png)),
      send('image/png', png),
    );
    await writeFile(pathOf('.tmp'), 'in the way');
    await expect(fetchFrom(server, 'image')).rejects.toBeInstanceOf(StorageError);
    await letGo(server);
    await rm(pathOf('.tmp'));
    expect(await fetchFrom(server, 'image')).toMatchObject({ type: 'stored' });
    expect(server.requests).toEqual(['GET /file', 'GET /file']);
  });

  it.each<[string, RegExp]>([
    ['the first request', /^POST .*uploads/],
    ['a part', /^PUT .*partNumber=2/],
    ['the last request', /^POST .*uploadId/],
  ])('a bucket that refuses %s is a storage fault and keeps no half upload', async (_name, request) => {
    const s3 = await useBucket();
    const file = Buffer.concat([await makeImage('png'), Buffer.alloc(20 * MEGABYTE)]);
    const server = await serve(send('image/png', file));
    s3.failNext(request, 403, 'AccessDenied');
    const error = await fetchFrom(server, 'image').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({ reason: 'io', message: expect.stringContaining('AccessDenied') });
    expect(s3.openUploads.size).toBe(0);
    expect(s3.objects.size).toBe(0);
    await letGo(server);
    expect(await fetchFrom(server, 'image')).toMatchObject({ type: 'stored' });
    expect(s3.openUploads.size).toBe(0);
    expect(server.requests).toEqual(['GET /file', 'GET /file']);
  });
});
