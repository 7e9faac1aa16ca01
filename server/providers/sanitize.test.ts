import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSanitizer } from './sanitize.ts';

const KEY = 'plain-looking+key/0123456789';
const clean = createSanitizer(KEY);

describe('createSanitizer', () => {
  it.each([
    ['as it is', KEY],
    ['percent-encoded', encodeURIComponent(KEY)],
    ['in base64', Buffer.from(KEY).toString('base64')],
  ])('hides the channel key %s, in texts, values and names', (_name, form) => {
    expect(clean.message(`Incorrect key ${form} given`)).toBe('Incorrect key [redacted] given');
    const raw = JSON.stringify(clean.raw({ [form]: [{ deep: { text: `x${form}y` } }] }));
    expect(raw).not.toContain(form);
    expect(clean.text(`echo ${form}`)).toBe('echo [redacted]');
  });

  it('leaves no part of the key behind where a long text is cut', () => {
    const text = `${'word '.repeat(798)}${KEY}${' word'.repeat(2_000)}`;
    expect(JSON.stringify(clean.raw({ text }))).not.toContain(KEY.slice(0, 6));
  });

  it('hides either half of a key of two halves, but no short word', () => {
    const halves = createSanitizer('access-0123456789:secret-abcdefghi');
    expect(halves.message('access-0123456789 with secret-abcdefghi')).toBe('[redacted] with [redacted]');
    expect(createSanitizer('model:secret-abcdefghi').message('the model of it')).toBe('the model of it');
  });

  it('hides what looks like a credential of somebody else', () => {
    const raw = JSON.stringify(
      clean.raw({ headers: { authorization: 'Bearer abcdefghijkl' }, text: 'sk-abcdefgh12345' }),
    );
    expect(raw).not.toContain('abcdefgh');
  });

  it('keeps evidence below 256 kB', () => {
    const big = { items: Array.from({ length: 400 }, (_, index) => ({ index, text: 'é'.repeat(3_000) })) };
    expect(Buffer.byteLength(JSON.stringify(clean.raw(big)))).toBeLessThanOrEqual(256_000);
    const wide = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        `k${index}`,
        Array.from({ length: 200 }, () => 'x'.repeat(80)),
      ]),
    );
    expect(Buffer.byteLength(JSON.stringify(clean.raw(wide)))).toBeLessThanOrEqual(256_000);
  });

  it.each<[string, (base64: string) => string]>([
    ['a value of its own', (base64) => base64],
    ['a data address', (base64) => `data:image/png;base64,${base64}`],
    ['lines', (base64) => base64.replaceAll(/.{76}/g, '$&\r\n')],
    [
      'base64url without padding',
      (base64) => base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    ],
    ['half a JSON text', (base64) => `{"data":[{"b64_json":"${base64.slice(0, 1_900)}`],
    ['a text too long to be kept', (base64) => `${'word '.repeat(300)}${base64}${base64}`],
  ])('B61: keeps no base64 of media: %s', (_name, wrap) => {
    const base64 = randomBytes(30_001).toString('base64');
    const raw = JSON.stringify(clean.raw({ items: [{ any_name: wrap(base64), status: 'done' }] }));
    expect(raw).toContain('[base64, ');
    expect(raw).toContain('"status":"done"');
    expect(raw).not.toMatch(/[A-Za-z0-9+/_-]{100}/);
    expect(raw.length).toBeLessThan(2_000);
  });

  it('replaces characters that PostgreSQL refuses', () => {
    expect(clean.raw({ 'a\u0000b': 'c\u0000\ud800' })).toEqual({ 'a\ufffdb': 'c\ufffd\ufffd' });
    expect(clean.message('a\u0000\n\n  b')).toBe('a\ufffd b');
    expect(clean.text('😀\udc00')).toBe('😀\ufffd');
  });

  it('shortens messages', () => {
    expect(clean.message('word '.repeat(1_000)).length).toBeLessThanOrEqual(500);
  });

  it('survives deep and circular-free odd values', () => {
    let deep: unknown = 'x';
    for (let index = 0; index < 100; index += 1) deep = { deep };
    expect(JSON.stringify(clean.raw(deep))).toContain('[deep]');
    expect(clean.raw({ a: undefined, b: () => 1, c: 10n })).toEqual({ c: '10' });
    expect(createSanitizer('').message('nothing to hide')).toBe('nothing to hide');
  });
});
