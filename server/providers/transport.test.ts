import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exchange, type WireResponse } from './transport.ts';

/** A server that promises more than it sends, and hangs up. */
let server: Server;
let url: string;
const closed: (() => void)[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const gzip = request.url === '/gzip';
    const body = gzip ? gzipSync(Buffer.alloc(50_000, 'x')).subarray(0, 40) : Buffer.alloc(1_000, 'x');
    response.writeHead(200, { 'content-length': 5_000, ...(gzip ? { 'content-encoding': 'gzip' } : {}) });
    response.write(body, () => response.destroy());
    response.on('close', () => closed.shift()?.());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function readAll(body: WireResponse['body']): Promise<number> {
  let bytes = 0;
  for await (const piece of body ?? []) bytes += piece.byteLength;
  return bytes;
}

it.each(['/plain', '/gzip'])(
  '%s: a body that breaks before it is read tells its reader and nobody else',
  async (path) => {
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => void uncaught.push(error);
    process.on('uncaughtException', onUncaught);
    try {
      const hungUp = new Promise<void>((resolve) => closed.push(resolve));
      const { body } = await exchange(`${url}${path}`, {});
      await hungUp;
      // The socket's end is read, and the body destroyed, some turns of the event loop later.
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await expect(readAll(body)).rejects.toThrow();
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(uncaught).toEqual([]);
    } finally {
      process.off('uncaughtException', onUncaught);
    }
  },
);
