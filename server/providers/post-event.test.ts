import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutboundGuard } from './outbound-guard.ts';
import { postEvent } from './post-event.ts';

/** Somebody's own server, which may answer anything. */
let server: Server;
let origin: string;
let answer: (response: ServerResponse, path: string) => void;
const asked: string[] = [];
/** Resolves when the connection of the latest request is closed. */
let closed: Promise<void>;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    closed = new Promise((resolve) => request.socket.once('close', () => resolve()));
    request.resume();
    answer(response, request.url ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  asked.length = 0;
});

const FOREVER = 600_000;
const post = (options: { timeoutMs?: number; url?: string; signal?: AbortSignal } = {}) => {
  const allowHosts = [new URL(origin).host];
  return postEvent(createOutboundGuard({ allowHosts, allowedBy: 'WEBHOOK_ALLOW_HOSTS' }), {
    url: options.url ?? `${origin}/hook`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    timeoutMs: options.timeoutMs ?? FOREVER,
    signal: options.signal ?? new AbortController().signal,
  });
};

describe('an answer', () => {
  it('without an end is read up to its first kilobyte, and the connection is closed', async () => {
    answer = (response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write('x'.repeat(64_000)));
        response.once('drain', more);
      };
      more();
    };
    expect(await post()).toEqual({
      type: 'answered',
      status: 200,
      excerpt: 'x'.repeat(1_000),
      retryAfterMs: undefined,
    });
    await closed;
  });

  it('that drips and stops is what came by the end of the time', async () => {
    answer = (response) => {
      response.writeHead(503, { 'retry-after': '7' });
      response.write('a');
    };
    expect(await post({ timeoutMs: 4_000 })).toEqual({
      type: 'answered',
      status: 503,
      excerpt: 'a',
      retryAfterMs: 7_000,
    });
    await closed;
  });

  it('that is compressed to nearly nothing fills no memory', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'y'));
    answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    expect(await post()).toMatchObject({ status: 200, excerpt: 'y'.repeat(1_000) });
    answer = (response) => response.writeHead(204, { 'content-encoding': 'gzip' }).end();
    expect(await post()).toMatchObject({ status: 204, excerpt: '' });
    answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all');
    expect(await post()).toMatchObject({ status: 200, excerpt: '' });
  });

  it('that leads elsewhere is not followed, wherever it leads', async () => {
    for (const location of [`${origin}/elsewhere`, 'http://169.254.169.254/latest', 'file:///etc/passwd']) {
      answer = (response) => response.writeHead(307, { location }).end();
      expect(await post()).toMatchObject({ type: 'answered', status: 307 });
    }
    expect(asked).toEqual(['/hook', '/hook', '/hook']);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    [
      'with headers without an end',
      (response) => {
        for (let n = 0; n < 400; n += 1) response.setHeader(`x-${n}`, 'v'.repeat(200));
        response.end();
      },
    ],
    [
      'that is no HTTP',
      (response) => {
        response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n');
      },
    ],
    [
      'that breaks off before its status',
      (response) => {
        response.socket?.destroy();
      },
    ],
  ])('%s is a failure in words without addresses', async (_name, how) => {
    answer = how;
    const result = await post();
    expect(result).toMatchObject({ type: 'failed' });
    expect(JSON.stringify(result)).not.toContain('127.0.0.1');
  });

  it('is not waited for once the process goes down', async () => {
    const stop = new AbortController();
    answer = () => stop.abort();
    expect(await post({ signal: stop.signal })).toEqual({ type: 'stopped' });
    await closed;
  });
});

it.each([
  'http://2130706433/hook',
  'http://0x7f.1/hook',
  'http://017700000001/hook',
  'http://[::ffff:127.0.0.1]/hook',
  'http://[::1]/hook',
  'http://[fd00::1]/hook',
  'http://[64:ff9b::7f00:1]/hook',
  'http://127.0.0.1./hook',
  'http://localhost./hook',
  'http://example.com:25/hook',
  'http://example.com:6379@127.0.0.1/hook',
  'gopher://example.com/hook',
  '//example.com/hook',
])('nothing is sent to %s', async (url) => {
  expect(await post({ url })).toMatchObject({ type: 'failed' });
  expect(asked).toEqual([]);
});
