import { createServer, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isPublicAddress } from './address-rules.ts';
import { createHttpClient } from './http-client.ts';
import { createOutboundGuard, OutboundRefusedError } from './outbound-guard.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Handler = Parameters<typeof createServer>[1];

async function listen(
  handler: NonNullable<Handler>,
): Promise<{ port: number; requests: { url: string; auth?: string }[] }> {
  const requests: { url: string; auth?: string }[] = [];
  const server = createServer((req, res) => {
    requests.push({ url: req.url ?? '', auth: req.headers.authorization });
    void handler(req, res);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, requests };
}

/** A resolver that answers each question with the next list of addresses; the last one repeats. */
function fakeLookup(...answers: string[][]) {
  let asked = 0;
  const lookup = ((_name: string, options: { all?: boolean }, callback: (...args: unknown[]) => void) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    const list = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    queueMicrotask(() =>
      options.all ? callback(null, list) : callback(null, list[0]?.address, list[0]?.family),
    );
  }) as never;
  return { lookup, asked: () => asked };
}

const guard = createOutboundGuard();

describe('B62: addresses that are refused', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://0/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://198.18.0.1/',
    'http://192.0.2.1/',
    'http://203.0.113.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:0a00:0001]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://[100::1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://api.localhost/',
    'http://metadata.google.internal/',
    'http://metadata/',
    'http://printer.local/',
    'http://①②⑦.⓪.⓪.①/',
  ])('refuses %s', (url) => {
    expect(() => guard.checkUrl(url)).toThrow(OutboundRefusedError);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'data:text/plain,x',
    'javascript:alert(1)',
    '//host/x',
    '/x',
    'x',
    '',
    'http://',
    'http://exa mple.com/',
  ])('refuses the form %j', (url) => {
    expect(() => guard.checkUrl(url)).toThrow(OutboundRefusedError);
  });

  it('refuses credentials in an address', () => {
    expect(() => guard.checkUrl('https://user:secret@example.com/')).toThrow(/user name or password/);
    expect(() => guard.checkUrl('https://user@example.com/')).toThrow(OutboundRefusedError);
  });

  it.each(['https://api.openai.com/v1', 'http://8.8.8.8/', 'https://[2606:4700::1111]/x?y=1'])(
    'lets %s through',
    (url) => {
      expect(guard.checkUrl(url).href).toContain(new URL(url).hostname);
    },
  );

  it('takes nothing for public that is not an address', () => {
    for (const text of ['', 'example.com', '1.2.3', '127.0.0.1%eth0', '0x08080808', 'fe80::1%1']) {
      expect(isPublicAddress(text)).toBe(false);
    }
  });

  it('lets only the listed port of a listed host through', () => {
    const open = createOutboundGuard({ allowHosts: [' 127.0.0.1:4010 ', '[::1]:4010', 'Gateway.LAN:80'] });
    expect(() => open.checkUrl('http://127.0.0.1:4010/v1')).not.toThrow();
    expect(() => open.checkUrl('http://[::1]:4010/v1')).not.toThrow();
    expect(() => open.checkUrl('http://gateway.lan/v1')).not.toThrow();
    expect(() => open.checkUrl('http://127.0.0.1:4011/')).toThrow(OutboundRefusedError);
    expect(() => open.checkUrl('http://127.0.0.1/')).toThrow(OutboundRefusedError);
    expect(() => open.checkUrl('https://gateway.lan/v1')).toThrow(OutboundRefusedError);
  });
});

describe('B62: resolve and pin', () => {
  const open = (client: ReturnType<typeof createHttpClient>, baseUrl: string) =>
    client.open({
      mode: 'read',
      baseUrl,
      credentials: { authorization: 'Bearer key' },
      signal: new AbortController().signal,
      timeoutMs: 20_000,
    });

  it('refuses a public name that leads to a private address, without connecting', async () => {
    const upstream = await listen((_req, res) => res.end('{}'));
    const { lookup } = fakeLookup(['127.0.0.1']);
    const client = createHttpClient({ guard: createOutboundGuard({ lookup }) });
    const answer = await open(client, `http://rebind.example:${upstream.port}`).request({
      method: 'GET',
      url: '/x',
    });
    expect(answer).toMatchObject({ type: 'failure', sent: false, phase: 'guard' });
    expect(upstream.requests).toEqual([]);
    await client.close();
  });

  it('refuses a name as soon as one of its addresses is private', async () => {
    const upstream = await listen((_req, res) => res.end('{}'));
    const { lookup } = fakeLookup(['93.184.215.14', '127.0.0.1']);
    const client = createHttpClient({ guard: createOutboundGuard({ lookup }) });
    const answer = await open(client, `http://mixed.example:${upstream.port}`).request({
      method: 'GET',
      url: '/x',
    });
    expect(answer).toMatchObject({ type: 'failure', phase: 'guard' });
    expect(upstream.requests).toEqual([]);
    await client.close();
  });

  it('connects to the address it checked: a name is resolved once per connection (DNS rebinding)', async () => {
    // First public, private ever after: whoever resolved a second time would reach the private server.
    const names = fakeLookup(['93.184.215.14'], ['127.0.0.1']);
    const dialled: unknown[] = [];
    const connect = vi.spyOn(net, 'connect').mockImplementation(((options: net.TcpNetConnectOpts) => {
      const socket = new net.Socket();
      options.lookup?.(options.host ?? '', { all: true }, (error, addresses) => {
        if (!error) dialled.push(addresses);
        socket.destroy(
          error ?? Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }),
        );
      });
      return socket;
    }) as never);
    const client = createHttpClient({ guard: createOutboundGuard({ lookup: names.lookup }) });
    const first = await open(client, 'http://rebind.example').request({ method: 'GET', url: '/x' });
    expect(first).toMatchObject({ type: 'failure', phase: 'connect' });
    expect(names.asked()).toBe(1);
    expect(dialled).toEqual([[{ address: '93.184.215.14', family: 4 }]]);
    const second = await open(client, 'http://rebind.example').request({ method: 'GET', url: '/x' });
    expect(second).toMatchObject({ type: 'failure', phase: 'guard' });
    expect(dialled).toHaveLength(1);
    connect.mockRestore();
    await client.close();
  });

  it('checks every redirect hop', async () => {
    const inner = await listen((_req, res) => res.end('{"secret":true}'));
    const outer = await listen((_req, res) =>
      res.writeHead(302, { location: `http://127.0.0.1:${inner.port}/admin` }).end(),
    );
    const client = createHttpClient({
      guard: createOutboundGuard({ allowHosts: [`127.0.0.1:${outer.port}`] }),
    });
    const answer = await open(client, `http://127.0.0.1:${outer.port}`).request({ method: 'GET', url: '/x' });
    expect(answer).toMatchObject({ type: 'failure', phase: 'guard' });
    expect(inner.requests).toEqual([]);
    await client.close();
  });

  it.each(['file:///etc/passwd', 'ftp://x.example/', 'http://user:pw@x.example/'])(
    'a redirect to %s is refused by the guard',
    async (location) => {
      const outer = await listen((_req, res) => res.writeHead(302, { location }).end());
      const client = createHttpClient({
        guard: createOutboundGuard({ allowHosts: [`127.0.0.1:${outer.port}`] }),
      });
      const answer = await open(client, `http://127.0.0.1:${outer.port}`).request({
        method: 'GET',
        url: '/x',
      });
      expect(answer).toMatchObject({ type: 'failure', phase: 'guard' });
      await client.close();
    },
  );

  it('follows an allowed redirect, without the credentials when the host changes', async () => {
    const second = await listen((_req, res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":1}'),
    );
    const first = await listen((req, res) =>
      req.url === '/v1/x'
        ? res.writeHead(307, { location: '/v1/y' }).end()
        : res.writeHead(302, { location: `http://127.0.0.1:${second.port}/z` }).end(),
    );
    const allowHosts = [`127.0.0.1:${first.port}`, `127.0.0.1:${second.port}`];
    const client = createHttpClient({ guard: createOutboundGuard({ allowHosts }) });
    const answer = await open(client, `http://127.0.0.1:${first.port}/v1`).request({
      method: 'GET',
      url: '/x',
    });
    expect(answer).toMatchObject({ type: 'response', status: 200 });
    expect(first.requests.map((request) => request.auth)).toEqual(['Bearer key', 'Bearer key']);
    expect(second.requests).toEqual([{ url: '/z', auth: undefined }]);
    await client.close();
  });

  it('stops after five redirects', async () => {
    const upstream = await listen((_req, res) => res.writeHead(302, { location: '/again' }).end());
    const client = createHttpClient({
      guard: createOutboundGuard({ allowHosts: [`127.0.0.1:${upstream.port}`] }),
    });
    const answer = await open(client, `http://127.0.0.1:${upstream.port}`).request({
      method: 'GET',
      url: '/x',
    });
    expect(answer).toMatchObject({ type: 'response', status: 302 });
    expect(upstream.requests).toHaveLength(6);
    await client.close();
  });

  it('never sends credentials to another host than the channel’s own', async () => {
    const other = await listen((_req, res) => res.end('{}'));
    const allowHosts = [`127.0.0.1:${other.port}`];
    const client = createHttpClient({ guard: createOutboundGuard({ allowHosts }) });
    await open(client, 'https://api.example/v1').request({
      method: 'GET',
      url: `http://127.0.0.1:${other.port}/job`,
      headers: { authorization: 'Bearer key', 'x-api-key': 'key', accept: 'application/json' },
    });
    expect(other.requests).toEqual([{ url: '/job', auth: undefined }]);
    await client.close();
  });
});
