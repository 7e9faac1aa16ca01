import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bufferedResponse, readBody } from './http-response.ts';

function answer(parts: Uint8Array[], headers: Record<string, string> = {}) {
  let closed = false;
  async function* body() {
    try {
      yield* parts;
    } finally {
      closed = true;
    }
  }
  const lower = new Headers(headers);
  return { response: { status: 200, headers: lower, body: body() }, isClosed: () => closed };
}

const text = (value: string) => Buffer.from(value);

describe('readBody', () => {
  it.each<[string, Record<string, string>]>([
    ['without a length', {}],
    ['with its length', { 'content-length': '6' }],
    ['with a length that is too short', { 'content-length': '3' }],
    ['with a length that is too long', { 'content-length': '90' }],
    ['with a length that is none', { 'content-length': '6, 6' }],
    [
      'compressed, where the length counts other bytes',
      { 'content-length': '3', 'content-encoding': 'GZIP' },
    ],
  ])('joins the parts %s', async (_name, headers) => {
    const { response } = answer([text('ab'), text(''), text('cde'), text('f')], headers);
    expect(Buffer.from(await readBody(response, 100)).toString()).toBe('abcdef');
  });

  it('takes a body of exactly the cap, and closes one that is a byte longer', async () => {
    expect((await readBody(answer([text('abc')]).response, 3)).byteLength).toBe(3);
    for (const length of [undefined, '3']) {
      const headers: Record<string, string> = length ? { 'content-length': length } : {};
      const { response, isClosed } = answer([text('abc'), text('d'), text('e')], headers);
      await expect(readBody(response, 3)).rejects.toThrow('larger than');
      expect(isClosed()).toBe(true);
    }
  });
});

describe('bufferedResponse', () => {
  const respond = (body: Uint8Array) => bufferedResponse(answer([]).response, body, new Date());

  it.each<[string, Buffer]>([
    ['ASCII', text('{"a":1}')],
    ['UTF-8', text('{"a":"Grüße 世界 🌍"}')],
    ['UTF-8 with a mark', text('\ufeff{"a":1}')],
    ['bytes that are no text', Buffer.concat([text('{"a":1}'), Buffer.from([0xff, 0xfe, 0x80])])],
    ['audio', randomBytes(10_000)],
    ['nothing', Buffer.alloc(0)],
  ])('gives the same bytes before and after it was read as text: %s', async (_name, body) => {
    const response = respond(body);
    expect(Buffer.from(await response.bytes()).equals(body)).toBe(true);
    const read = await response.text();
    expect(read).toBe(new TextDecoder().decode(body));
    await response.json();
    expect(Buffer.from(await response.bytes()).equals(body)).toBe(true);
    expect(await response.text()).toBe(read);
  });

  it('reads a part of a larger buffer as that part', async () => {
    const response = respond(text('xx{"a":1}xx').subarray(2, 9));
    expect(await response.json()).toEqual({ a: 1 });
    expect(Buffer.from(await response.bytes()).toString()).toBe('{"a":1}');
  });
});
