import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from './http-client.ts';
import { createOutboundGuard, type OutboundGuardOptions } from './outbound-guard.ts';
import type { UpstreamFailure, UpstreamRequest, UpstreamResponse } from './provider.ts';

/** Connections and redirects as a hostile upstream would make them, on real sockets. */

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

type Server = { port: number; host: string; origin: string; seen: IncomingMessage[]; closed(): number };

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const seen: IncomingMessage[] = [];
  let closed = 0;
  const server = createServer((request, response) => {
    seen.push(request);
    response.on('close', () => {
      closed += 1;
    });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}`, seen, closed: () => closed };
}

/** A TCP server that takes connections and says nothing. */
async function silent(): Promise<{ port: number; connections(): number }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, connections: () => sockets.size };
}

const answersWith = (...addresses: string[]) =>
  ((_name: string, options: { all?: boolean }, callback: (...args: unknown[]) => void) => {
    const list = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    queueMicrotask(() =>
      options.all ? callback(null, list) : callback(null, addresses[0], list[0]?.family),
    );
  }) as never;

type CallInput = {
  baseUrl: string;
  guard: OutboundGuardOptions;
  mode?: 'create' | 'read';
  credentials?: Record<string, string>;
  request?: Partial<UpstreamRequest>;
};

async function call(input: CallInput): Promise<UpstreamResponse | UpstreamFailure> {
  const client = createHttpClient({ guard: createOutboundGuard(input.guard) });
  cleanups.push(() => client.close());
  const opened = client.open({
    mode: input.mode ?? 'read',
    baseUrl: input.baseUrl,
    credentials: input.credentials ?? { authorization: 'Bearer key' },
    signal: new AbortController().signal,
    timeoutMs: 90_000,
  });
  const answer = await opened.request({ method: 'GET', url: '/x', ...input.request });
  opened.close();
  return answer;
}

describe('connect time-out', () => {
  it.each(['create', 'read'] as const)('ends a %s whose name is never resolved, unsent', async (mode) => {
    const guard = { lookup: (() => {}) as never, connectTimeoutMs: 200 };
    const request = mode === 'create' ? ({ method: 'POST', json: {} } as const) : undefined;
    expect(await call({ baseUrl: 'http://slow.example', guard, mode, request })).toMatchObject({
      type: 'failure',
      sent: false,
      phase: 'connect',
      errorClass: 'timeout',
    });
  });

  it('ends a TLS handshake that gets no answer, unsent', async () => {
    const server = await silent();
    const guard = { allowHosts: [`127.0.0.1:${server.port}`], connectTimeoutMs: 200 };
    expect(
      await call({
        baseUrl: `https://127.0.0.1:${server.port}`,
        guard,
        mode: 'create',
        request: { method: 'POST', json: {} },
      }),
    ).toMatchObject({ sent: false, phase: 'connect', errorClass: 'timeout' });
    expect(server.connections()).toBe(1);
  });
});

describe('B62: what a name leads to', () => {
  it.each([
    ['http', '127.0.0.1'],
    ['https', '127.0.0.1'],
    ['https', '::1'],
    ['https', '::ffff:127.0.0.1'],
    ['http', '64:ff9b::7f00:1'],
    ['http', 'fe80::1%lo'],
    ['http', '169.254.169.254'],
  ])('%s to %s is refused before a connection is made', async (scheme, address) => {
    const server = await silent();
    const baseUrl = `${scheme}://127.0.0.1.nip.example:${server.port}`;
    expect(await call({ baseUrl, guard: { lookup: answersWith(address) } })).toMatchObject({
      type: 'failure',
      sent: false,
      phase: 'guard',
    });
    expect(server.connections()).toBe(0);
  });

  it('a name without any address is refused', async () => {
    const answer = await call({ baseUrl: 'http://empty.example', guard: { lookup: answersWith() } });
    expect(answer).toMatchObject({ sent: false, phase: 'guard' });
  });

  it('the refusal names the host and never the address that was found', async () => {
    const answer = await call({
      baseUrl: 'http://inner.example',
      guard: { lookup: answersWith('10.1.2.3') },
    });
    expect(answer).toMatchObject({ message: expect.stringContaining('"inner.example"') });
    expect(JSON.stringify(answer)).not.toContain('10.1.2.3');
  });
});

describe('B62: redirects', () => {
  it.each<[string, (port: number) => string]>([
    ['an address', (port) => `http://127.0.0.1:${port}/admin`],
    ['no scheme', (port) => `//127.0.0.1:${port}/admin`],
    ['backslashes', (port) => `\\\\127.0.0.1:${port}\\admin`],
    ['a path that is none', (port) => `/\\127.0.0.1:${port}/admin`],
    ['one number', (port) => `http://2130706433:${port}/`],
    ['hexadecimal', (port) => `http://0x7f.1:${port}/`],
    ['octal', (port) => `http://0177.0.0.1:${port}/`],
    ['a mapped address', (port) => `http://[::ffff:127.0.0.1]:${port}/`],
    ['a local name', (port) => `http://localhost.:${port}/`],
    ['full-width digits', (port) => `http://１２７.０.０.１:${port}/`],
    ['a user name', (port) => `http://api.example@127.0.0.1:${port}/`],
    ['a file', () => 'file:///etc/passwd'],
    ['data', () => 'data:application/json,{}'],
    ['a mail server', () => 'http://smtp.example:25/'],
  ])('to a private target as %s is refused and not called', async (_name, location) => {
    const inner = await listen((_request, response) => response.end('{"secret":true}'));
    // As bytes: Node refuses headers beyond Latin-1, hostile servers do not.
    const header = Buffer.from(location(inner.port)).toString('latin1');
    const outer = await listen((_request, response) => response.writeHead(302, { location: header }).end());
    const answer = await call({ baseUrl: outer.origin, guard: { allowHosts: [outer.host] } });
    expect(answer).toMatchObject({ type: 'failure', phase: 'guard' });
    expect(inner.seen).toEqual([]);
  });

  it('every hop is checked, not only the first', async () => {
    const inner = await listen((_request, response) => response.end('{}'));
    const outer = await listen((request, response) => {
      const step = Number(request.url?.slice(2) || 0);
      response.writeHead(307, { location: step < 4 ? `/x${step + 1}` : `${inner.origin}/x` }).end();
    });
    const answer = await call({ baseUrl: outer.origin, guard: { allowHosts: [outer.host] } });
    expect(answer).toMatchObject({ type: 'failure', phase: 'guard' });
    expect(outer.seen.map((request) => request.url)).toEqual(['/x', '/x1', '/x2', '/x3', '/x4']);
    expect(inner.seen).toEqual([]);
  });

  it('a target that is no address fails the call alone', async () => {
    const outer = await listen((_request, response) =>
      response.writeHead(302, { location: 'http://[' }).end(),
    );
    expect(await call({ baseUrl: outer.origin, guard: { allowHosts: [outer.host] } })).toMatchObject({
      type: 'failure',
    });
  });

  it('credentials under any name stay with the channel’s own host, also after a way back', async () => {
    const home: Server = await listen((request, response) => {
      if (request.url === '/x') response.writeHead(302, { location: `${other.origin}/there` }).end();
      else response.end('{}');
    });
    const other: Server = await listen((_request, response) =>
      response.writeHead(302, { location: `${home.origin}/back` }).end(),
    );
    await call({
      baseUrl: home.origin,
      guard: { allowHosts: [home.host, other.host] },
      credentials: { authorization: 'Bearer s3cr3t', 'mj-api-secret': 's3cr3t', 'x-my-account': 's3cr3t' },
      request: {
        headers: { api_key: 's3cr3t', cookie: 's3cr3t', 'x-signature': 's3cr3t', accept: 'application/json' },
      },
    });
    expect(JSON.stringify(home.seen[0]?.headers).match(/s3cr3t/g)).toHaveLength(6);
    for (const request of [other.seen[0], home.seen[1]]) {
      expect(request?.headers.accept).toBe('application/json');
      expect(JSON.stringify(request?.rawHeaders)).not.toContain('s3cr3t');
    }
  });

  it('another scheme or port is another host for credentials', async () => {
    const other = await listen((_request, response) => response.end('{}'));
    const guard = { allowHosts: [other.host] };
    for (const baseUrl of [`https://${other.host}`, 'http://127.0.0.1:9999']) {
      await call({ baseUrl, guard, request: { url: `${other.origin}/x` } });
    }
    expect(other.seen.map((request) => request.headers.authorization)).toEqual([undefined, undefined]);
  });

  it.each([301, 302, 303, 307, 308])('a create never follows %s', async (status) => {
    const other = await listen((_request, response) => response.end('{}'));
    const home = await listen((_request, response) =>
      response.writeHead(status, { location: `${other.origin}/x` }).end(),
    );
    const answer = await call({
      baseUrl: home.origin,
      guard: { allowHosts: [home.host, other.host] },
      mode: 'create',
      request: { method: 'POST', json: { prompt: 'x' } },
    });
    expect(answer).toMatchObject({ type: 'response', status });
    expect([home.seen.length, other.seen.length]).toEqual([1, 0]);
  });
});

describe('size of an answer', () => {
  it('that announces too much is refused before it is read', async () => {
    const server = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': 5_000_000_000 }).write('{');
    });
    const answer = await call({ baseUrl: server.origin, guard: { allowHosts: [server.host] } });
    expect(answer).toMatchObject({ errorClass: 'bad_body', message: 'The answer is larger than 2 MB.' });
    await expect.poll(() => server.closed(), { timeout: 60_000 }).toBe(1);
  });
});
