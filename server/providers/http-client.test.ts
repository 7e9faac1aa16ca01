import { createServer as createHttpServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from './http-client.ts';
import { createOutboundGuard } from './outbound-guard.ts';
import type { UpstreamFailure, UpstreamRequest, UpstreamResponse } from './provider.ts';

/** What msw cannot play: sockets that break, hang or never open. Every server counts what reached it. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

type RawServer = { port: number; requests(): number; connections(): number };

/** A TCP server; `onRequest` runs once per complete request head. */
async function rawServer(
  onRequest: (socket: net.Socket, head: string) => void,
  onConnect?: (socket: net.Socket) => void,
): Promise<RawServer> {
  let requests = 0;
  let connections = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    onConnect?.(socket);
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      const head = text;
      text = '';
      if (/^(GET|POST) /.test(head)) requests += 1;
      onRequest(socket, head);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    connections: () => connections,
  };
}

type CallInput = {
  url: string;
  mode?: 'create' | 'read';
  timeoutMs?: number;
  signal?: AbortSignal;
  request?: Partial<UpstreamRequest>;
};

async function call(input: CallInput): Promise<UpstreamResponse | UpstreamFailure> {
  const { host } = new URL(input.url);
  const client = createHttpClient({ guard: createOutboundGuard({ allowHosts: [host] }) });
  cleanups.push(() => client.close());
  const mode = input.mode ?? 'create';
  const opened = client.open({
    mode,
    baseUrl: input.url,
    credentials: {},
    signal: input.signal ?? new AbortController().signal,
    timeoutMs: input.timeoutMs ?? 60_000,
  });
  const body =
    mode === 'create' ? ({ method: 'POST', json: { prompt: 'x' } } as const) : ({ method: 'GET' } as const);
  const answer = await opened.request({ url: '/jobs', ...body, ...input.request });
  opened.close();
  return answer;
}

const at = (server: RawServer, scheme = 'http') => `${scheme}://127.0.0.1:${server.port}`;

async function closedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('errors proven to be before sending', () => {
  it('a refused port', async () => {
    const answer = await call({ url: `http://127.0.0.1:${await closedPort()}` });
    expect(answer).toMatchObject({ type: 'failure', sent: false, phase: 'connect' });
  });

  it('a name that does not exist', async () => {
    const lookup = ((_name: string, _options: object, callback: (error: Error) => void) =>
      queueMicrotask(() =>
        callback(
          Object.assign(new Error('getaddrinfo ENOTFOUND x.example'), {
            code: 'ENOTFOUND',
            syscall: 'getaddrinfo',
          }),
        ),
      )) as never;
    const client = createHttpClient({ guard: createOutboundGuard({ lookup }) });
    const opened = client.open({
      mode: 'create',
      baseUrl: 'https://x.example',
      credentials: {},
      signal: new AbortController().signal,
      timeoutMs: 60_000,
    });
    expect(await opened.request({ method: 'POST', url: '/jobs', json: {} })).toMatchObject({
      sent: false,
      phase: 'dns',
    });
    opened.close();
    await client.close();
  });

  it('a server that does not speak TLS', async () => {
    const server = await rawServer(
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (socket) => socket.end('not tls at all\r\n'),
    );
    expect(await call({ url: at(server, 'https') })).toMatchObject({
      type: 'failure',
      sent: false,
      phase: 'tls',
    });
    expect(server.requests()).toBe(0);
  });

  it('a connection that is reset during the TLS handshake', async () => {
    const server = await rawServer(
      () => {},
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
    );
    expect(await call({ url: at(server, 'https') })).toMatchObject({
      type: 'failure',
      sent: false,
      phase: 'tls',
    });
  });

  it('our own stop while the connection is still being made', async () => {
    const stop = new AbortController();
    const server = await rawServer(
      () => {},
      () => stop.abort(),
    );
    expect(await call({ url: at(server, 'https'), signal: stop.signal })).toMatchObject({
      sent: false,
      phase: 'connect',
      errorClass: 'aborted',
    });
    expect(server.requests()).toBe(0);
  });

  it('a stop before the call', async () => {
    const server = await rawServer(() => {});
    expect(await call({ url: at(server), signal: AbortSignal.abort() })).toMatchObject({
      sent: false,
      errorClass: 'aborted',
    });
    expect(server.connections()).toBe(0);
  });
});

describe('B01: everything after sending is unknown, and is sent once', () => {
  it.each<[string, (socket: net.Socket) => void]>([
    ['a reset after the request', (socket) => socket.resetAndDestroy()],
    ['a close without a reply', (socket) => socket.destroy()],
    ['an end without a reply', (socket) => socket.end()],
    ['half a status line', (socket) => socket.end('HTTP/1.1 20')],
    ['headers and no body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n')],
    [
      'half a JSON body',
      (socket) =>
        socket.end(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{"id":"vid',
        ),
    ],
    [
      'a broken chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"id"'),
    ],
    ['something that is not HTTP', (socket) => socket.end('SSH-2.0-x\r\n\r\n')],
  ])('%s', async (_name, behave) => {
    const server = await rawServer(behave);
    const answer = await call({ url: at(server) });
    expect(answer).toMatchObject({ type: 'failure', sent: true, phase: 'after_send' });
    expect(server.requests()).toBe(1);
  });

  it('an upstream that accepts and never answers, cut by our limit', async () => {
    const server = await rawServer(() => {});
    expect(await call({ url: at(server), timeoutMs: 400 })).toMatchObject({
      type: 'failure',
      sent: true,
      errorClass: 'timeout',
    });
    expect(server.requests()).toBe(1);
  });

  it('a stop after the request was written', async () => {
    const stop = new AbortController();
    const server = await rawServer(() => stop.abort());
    expect(await call({ url: at(server), signal: stop.signal })).toMatchObject({
      sent: true,
      errorClass: 'aborted',
    });
  });

  it('a 421, which fetch would repeat on its own', async () => {
    const server = await rawServer((socket) =>
      socket.end('HTTP/1.1 421 Misdirected Request\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'),
    );
    const answer = await call({ url: at(server) });
    expect(server.requests()).toBe(1);
    expect(answer).toMatchObject({ type: 'response', status: 421 });
  });

  it.each([408, 409, 425, 429, 500, 502, 503, 504])(
    'a %s is answered to the caller after one request',
    async (status) => {
      const server = await rawServer((socket) =>
        socket.end(`HTTP/1.1 ${status} X\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n`),
      );
      expect(await call({ url: at(server) })).toMatchObject({ type: 'response', status });
      expect(server.requests()).toBe(1);
    },
  );

  it.each([301, 302, 303, 307, 308])('a create never follows a %s', async (status) => {
    const server = await rawServer((socket) =>
      socket.end(`HTTP/1.1 ${status} X\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n`),
    );
    expect(await call({ url: at(server) })).toMatchObject({ type: 'response', status });
    expect(server.requests()).toBe(1);
  });

  it('a create never rides on a kept-alive connection', async () => {
    const server = await rawServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
    );
    const client = createHttpClient({
      guard: createOutboundGuard({ allowHosts: [`127.0.0.1:${server.port}`] }),
    });
    const open = (mode: 'create' | 'read') =>
      client.open({
        mode,
        baseUrl: at(server),
        credentials: {},
        signal: new AbortController().signal,
        timeoutMs: 60_000,
      });
    const send = async (mode: 'create' | 'read') => {
      const opened = open(mode);
      const answer = await opened.request(
        mode === 'read' ? { method: 'GET', url: '/x' } : { method: 'POST', url: '/x', json: {} },
      );
      expect(answer).toMatchObject({ type: 'response', status: 200 });
      opened.close();
    };
    for (let turn = 0; turn < 5; turn += 1) await send('read');
    const before = server.connections();
    expect(before).toBeLessThan(5);
    await send('create');
    await send('create');
    expect(server.connections()).toBe(before + 2);
    await client.close();
  });

  it('refuses a second create in one call', async () => {
    const server = await rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    const client = createHttpClient({
      guard: createOutboundGuard({ allowHosts: [`127.0.0.1:${server.port}`] }),
    });
    const opened = client.open({
      mode: 'create',
      baseUrl: at(server),
      credentials: {},
      signal: new AbortController().signal,
      timeoutMs: 60_000,
    });
    await opened.request({ method: 'POST', url: '/x', json: {} });
    await expect(opened.request({ method: 'POST', url: '/x', json: {} })).rejects.toThrow(/one request/);
    expect(server.requests()).toBe(1);
    opened.close();
    await client.close();
  });
});

describe('reads', () => {
  it('stops at the size cap instead of filling memory', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n');
      const piece = 'x'.repeat(64 * 1024);
      const pour = () => {
        while (!socket.destroyed && socket.write(piece));
        if (!socket.destroyed) socket.once('drain', pour);
      };
      pour();
    });
    const answer = await call({ url: at(server), mode: 'read' });
    expect(answer).toMatchObject({
      type: 'failure',
      errorClass: 'bad_body',
      message: 'The answer is larger than 2 MB.',
    });
  });

  it('waits longer than undici would when the limit allows, and counts the limit over headers and body', async () => {
    const server = await rawServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nslow'),
    );
    expect(await call({ url: at(server), mode: 'read', timeoutMs: 400 })).toMatchObject({
      errorClass: 'timeout',
    });
  });

  it('B32: a key that cannot be a header fails this call alone, without its text in the message', async () => {
    const server = await rawServer(() => {});
    const client = createHttpClient({
      guard: createOutboundGuard({ allowHosts: [`127.0.0.1:${server.port}`] }),
    });
    const opened = client.open({
      mode: 'create',
      baseUrl: at(server),
      credentials: { authorization: 'Bearer sk-secret\u0000\u4e00' },
      signal: new AbortController().signal,
      timeoutMs: 60_000,
    });
    const answer = await opened.request({ method: 'POST', url: '/x', json: {} });
    expect(answer).toMatchObject({ type: 'failure', sent: false });
    expect(JSON.stringify(answer)).not.toContain('sk-secret');
    expect(opened.started()).toBe(false);
    opened.close();
    await client.close();
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const)(
    'reads an answer that is compressed (%s) although nobody asked for it',
    async (encoding, compress) => {
      const body = compress('{"id":"video_1"}');
      const server = await rawServer((socket) => {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`,
        );
        socket.end(body);
      });
      const answer = await call({ url: at(server) });
      expect(answer.type === 'response' && (await answer.json())).toEqual({ id: 'video_1' });
    },
  );

  it('caps what a compressed answer grows to', async () => {
    const body = gzipSync(Buffer.alloc(50_000_000));
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.end(body);
    });
    expect(await call({ url: at(server), mode: 'read' })).toMatchObject({
      type: 'failure',
      errorClass: 'bad_body',
    });
  });

  it('a broken compressed answer is no answer', async () => {
    const server = await rawServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope'),
    );
    expect(await call({ url: at(server) })).toMatchObject({ type: 'failure', sent: true });
  });

  it('sends JSON and forms that a real server can read', async () => {
    const bodies: { type: string; text: string }[] = [];
    const server = createHttpServer((req, res) => {
      let text = '';
      req.on('data', (data) => {
        text += data;
      });
      req.on('end', () => {
        bodies.push({ type: req.headers['content-type'] ?? '', text });
        res.end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => server.close(() => resolve())));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await call({ url, request: { json: { a: 'ü' } } });
    const form = new FormData();
    form.set('prompt', 'a cat');
    form.append('image', new Blob([new Uint8Array([1, 2, 3])], { type: 'image/png' }), 'cat.png');
    await call({ url, request: { json: undefined, form } });
    expect(bodies[0]).toEqual({ type: 'application/json', text: '{"a":"ü"}' });
    expect(bodies[1]?.type).toMatch(/^multipart\/form-data; boundary=/);
    expect(bodies[1]?.text).toContain('filename="cat.png"');
    expect(bodies[1]?.text).toContain('a cat');
  });
});
