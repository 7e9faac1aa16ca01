import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '#server/testing/msw/memory-store.ts';
import { customSettings } from './custom/schemas.ts';
import { STUDIO } from './custom/testing/descriptions.ts';
import { createProviderRuntime } from './registry.ts';

/** What a gateway, or whoever stands between us and a vendor, may not make us believe or send. */

const logger = { debug() {}, info() {}, warn() {}, error() {} } as never;
const signal = new AbortController().signal;
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A runtime whose every request gets the next of these answers. */
function answering(...answers: Response[]) {
  return createProviderRuntime({
    storage: createMemoryStore(),
    logger,
    fetch: async () => answers.shift() ?? new Response('', { status: 500 }),
  });
}

describe('a key in a header of an innocent name', () => {
  it.each(['Accept', 'User-Agent', 'Accept-Language'])('%s stays at home', async (name) => {
    const settings = customSettings.safeParse({ ...STUDIO, auth: { style: 'header', name } }).data ?? STUDIO;
    const seen: IncomingHttpHeaders[] = [];
    const elsewhere = await serve((request, response) => {
      seen.push(request.headers);
      response.end('{}');
    });
    const home = await serve((_request, response) => {
      response.writeHead(302, { location: `http://${elsewhere}/job` }).end();
    });
    const runtime = createProviderRuntime({
      storage: createMemoryStore(),
      logger,
      guard: { allowHosts: [elsewhere, home] },
    });
    await runtime.poll(
      { protocol: 'custom', baseUrl: `http://${home}`, apiKey: 'key-THE-SECRET', settings },
      { id: 'job-1', endpoint: 'image' },
      { dispatchId: 'dispatch-1', signal },
    );
    expect(seen).toHaveLength(1);
    expect(JSON.stringify(seen)).not.toContain('THE-SECRET');
  });
});

describe('an empty list', () => {
  const EMPTY = {
    replicate: { results: [], next: null },
    luma: { generations: [], has_more: false },
  } as const;
  const lookup = (protocol: keyof typeof EMPTY, baseUrl: string) =>
    answering(Response.json(EMPTY[protocol])).lookup(
      { protocol, baseUrl, apiKey: 'key-1234567890' },
      { clientRef: 'dispatch-1', endpoint: 'image', model: 'a/b', prompt: 'a cat', sentAt: new Date() },
      { signal },
    );

  it('proves absence when the vendor itself gives it', async () => {
    expect(await lookup('replicate', 'https://api.replicate.com/v1')).toEqual({ type: 'absent' });
    expect(await lookup('luma', 'https://api.lumalabs.ai/dream-machine/v1')).toEqual({ type: 'absent' });
  });

  it('proves nothing when a gateway does, which may not know the question', async () => {
    expect(await lookup('replicate', 'https://gateway.example/v1')).toEqual({ type: 'cannot_tell' });
    expect(await lookup('luma', 'https://gateway.example/v1')).toEqual({ type: 'cannot_tell' });
  });
});

describe('fal’s result, read through somebody who wants something first', () => {
  it.each([402, 405, 407, 451])('HTTP %i is about the reading, not about the request', async (status) => {
    const detail = { detail: 'Top up your balance' };
    const runtime = answering(Response.json({ status: 'COMPLETED' }), Response.json(detail, { status }));
    const outcome = await runtime.poll(
      { protocol: 'fal', baseUrl: 'https://gateway.example', apiKey: 'id-12345678:secret-12345678' },
      { id: 'job-1', endpoint: 'image', model: 'fal-ai/flux/dev' },
      { dispatchId: 'dispatch-1', signal },
    );
    expect(outcome.type).toBe('transient');
  });
});
