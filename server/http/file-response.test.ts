import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetStore } from '#server/storage/asset-store.ts';
import { createAssetStore } from '#server/storage/create-asset-store.ts';
import { contentDisposition, parseRange, sendFile } from './file-response.ts';

const CONTENT = '0123456789';
const BIG_BYTES = 20_000_000;

let dir: string;
let server: Server;
let origin: string;
/** Every stream that the store opened. */
const opened: Readable[] = [];
/** What `sendFile` rejected with. */
const failures: unknown[] = [];
let mime = 'image/png';
let etag = '"sha"';
/** Holds the opening of `late` until its client is gone. */
let release = () => {};
const released = new Promise<void>((resolve) => {
  release = resolve;
});

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidelane-response-'));
  const disk = createAssetStore({ driver: 'fs', dir });
  const put = (key: string, bytes: Buffer) => disk.put(key, Readable.from([bytes]), { maxBytes: BIG_BYTES });
  await put('small', Buffer.from(CONTENT));
  await put('late', Buffer.from(CONTENT));
  await put('big', Buffer.alloc(BIG_BYTES));
  const store: AssetStore = {
    ...disk,
    open: async (key, range) => {
      if (key === 'late') await released;
      const file = key === 'broken' ? { stream: breakingStream(), bytes: 10 } : await disk.open(key, range);
      opened.push(file.stream);
      return file;
    },
  };
  const app = express();
  app.get('/:key', (req, res) => {
    const { key } = req.params;
    if (key === 'late') res.once('close', release);
    const file = {
      storageKey: key,
      bytes: key === 'big' ? BIG_BYTES : CONTENT.length,
      etag,
      mime,
      fileName: 'a.png',
    };
    sendFile(store, file, { req, res }).catch((error: unknown) => {
      failures.push(error);
      res.destroy();
    });
  });
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(dir, { recursive: true, force: true });
});

function breakingStream(): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from('0123');
      throw new Error('disk failed');
    })(),
  );
}

const ask = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${origin}/small`, { headers, method });

describe('ranges', () => {
  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-30', CONTENT, 'bytes 0-9/10'],
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=9-9', '9', 'bytes 9-9/10'],
    ['bytes=5-500', '56789', 'bytes 5-9/10'],
    ['Bytes= 0-3 ', '0123', 'bytes 0-3/10'],
  ])('answers %s with that part', async (range, body, contentRange) => {
    const answer = await ask({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(body.length));
    expect(await answer.text()).toBe(body);
  });

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=99999999999999999999-'])(
    'refuses %s',
    async (range) => {
      const answer = await ask({ range });
      expect(answer.status).toBe(416);
      expect(answer.headers.get('content-range')).toBe('bytes */10');
      expect(await answer.text()).not.toContain('0123');
    },
  );

  it.each(['bytes=0-1,3-4', 'bytes=4-2', 'bytes=-', 'bytes=a-b', 'items=0-1', 'bytes', ''])(
    'ignores %j and sends the whole file',
    async (range) => {
      const answer = await ask({ range });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe(CONTENT);
    },
  );

  it('keeps a part only while If-Range names this very file', async () => {
    expect((await ask({ range: 'bytes=0-3', 'if-range': '"sha"' })).status).toBe(206);
    for (const condition of ['"other"', 'W/"sha"', 'Wed, 21 Oct 2026 07:28:00 GMT']) {
      const answer = await ask({ range: 'bytes=0-3', 'if-range': condition });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe(CONTENT);
    }
  });

  it('never matches a weak validator for a part', async () => {
    etag = 'W/"sha"';
    expect((await ask({ range: 'bytes=0-3', 'if-range': 'W/"sha"' })).status).toBe(200);
    etag = '"sha"';
  });

  it('are of no meaning for HEAD', async () => {
    const before = opened.length;
    const answer = await ask({ range: 'bytes=0-3' }, 'HEAD');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe('10');
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(opened.length).toBe(before);
  });

  it('of an empty file do not exist', () => {
    expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(parseRange('bytes=-5', 0)).toBe('unsatisfiable');
    expect(parseRange(undefined, 0)).toBe('all');
  });
});

describe('validators', () => {
  it.each(['"sha"', 'W/"sha"', '"a", "sha"', '*'])('answers 304 to If-None-Match %s', async (tag) => {
    const answer = await ask({ 'if-none-match': tag, range: 'bytes=0-3' });
    expect(answer.status).toBe(304);
    expect(answer.headers.get('etag')).toBe('"sha"');
    expect(await answer.text()).toBe('');
  });

  it('sends the file when the client has another one', async () => {
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
  });
});

describe('headers', () => {
  it('let no browser interpret or share the file', async () => {
    const { headers } = await ask();
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toMatch(/^private, max-age=\d+, immutable, no-transform$/);
    expect(headers.get('vary')).toBe('Cookie, Authorization');
    expect(headers.get('content-disposition')).toBe('inline; filename="a.png"');
  });

  it('offer a download on request', async () => {
    const answer = await fetch(`${origin}/small?download=1`);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a.png"');
  });

  it.each(['text/plain', 'text/html', 'text/xml'])('serve %s as plain text', async (stored) => {
    mime = stored;
    expect((await ask()).headers.get('content-type')).toBe('text/plain; charset=utf-8');
    mime = 'image/png';
  });

  it.each([
    ['a "b"\\c.png', 'inline; filename="a _b__c.png"; filename*=UTF-8\'\'a%20%22b%22%5Cc.png'],
    ['Grüße (1).png', 'inline; filename="Gru_e (1).png"; filename*=UTF-8\'\'Gr%C3%BC%C3%9Fe%20%281%29.png'],
    ['世界.png', 'inline; filename="__.png"; filename*=UTF-8\'\'%E4%B8%96%E7%95%8C.png'],
    ["it's 100%.png", "inline; filename=\"it's 100_.png\"; filename*=UTF-8''it%27s%20100%25.png"],
    [
      'a\r\nSet-Cookie: x',
      'inline; filename="a__Set-Cookie: x"; filename*=UTF-8\'\'a%0D%0ASet-Cookie%3A%20x',
    ],
  ])('name %j safely', (name, header) => {
    expect(contentDisposition('inline', name)).toBe(header);
  });
});

describe('what goes wrong midway', () => {
  it('closes the file when the client goes away', async () => {
    const before = opened.length;
    const answer = await new Promise<IncomingMessage>((resolve) => get(`${origin}/big`, resolve));
    await new Promise((resolve) => answer.once('data', resolve));
    answer.destroy();
    await expect.poll(() => opened[before]?.closed, { timeout: 60_000 }).toBe(true);
    await expect.poll(() => failures.length, { timeout: 60_000 }).toBe(1);
    expect(failures.splice(0)).toMatchObject([{ code: 'ERR_STREAM_PREMATURE_CLOSE' }]);
  });

  it('closes the file when the client went away before it was open', async () => {
    const before = opened.length;
    const request = get(`${origin}/late`);
    request.on('error', () => {});
    await new Promise((resolve) => server.once('request', resolve));
    request.destroy();
    await expect.poll(() => opened[before]?.closed, { timeout: 60_000 }).toBe(true);
    await expect.poll(() => failures.length, { timeout: 60_000 }).toBe(1);
    failures.splice(0);
  });

  it('breaks the answer off when the file cannot be read on, so that nobody takes it for whole', async () => {
    const answer = fetch(`${origin}/broken`).then((response) => response.text());
    await expect(answer).rejects.toThrow();
    expect(failures.splice(0)).toMatchObject([{ message: 'disk failed' }]);
    expect(opened.every((stream) => stream.destroyed)).toBe(true);
  });
});
