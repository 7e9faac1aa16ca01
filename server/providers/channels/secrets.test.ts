import { describe, expect, it } from 'vitest';
import { createKeyRing, keyHint } from './secrets.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const SECRET = 'sk-0123456789abcdef';

describe('createKeyRing', () => {
  it('opens what it sealed, and seals differently each time', () => {
    const ring = createKeyRing(A);
    const one = ring.seal(SECRET, 'channel-1');
    const two = ring.seal(SECRET, 'channel-1');
    expect(one.sealedWith).toBe(1);
    expect(one.nonce).not.toBe(two.nonce);
    expect(one.ciphertext).not.toBe(two.ciphertext);
    expect(JSON.stringify(one)).not.toContain(SECRET);
    expect(ring.open(one, 'channel-1')).toBe(SECRET);
  });

  it('seals with the highest version and still opens the older one', () => {
    const old = createKeyRing(A).seal(SECRET, 'c');
    for (const value of [`2:${B},1:${A}`, `1:${A},2:${B}`]) {
      const ring = createKeyRing(value);
      expect(ring.open(old, 'c')).toBe(SECRET);
      expect(ring.seal(SECRET, 'c').sealedWith).toBe(2);
    }
    expect(createKeyRing(`10:${B},9:${A}`).seal(SECRET, 'c').sealedWith).toBe(10);
  });

  it('refuses another key, another channel, a missing version and any change', () => {
    const ring = createKeyRing(A);
    const sealed = ring.seal(SECRET, 'c');
    const flip = (text: string, at: number) => {
      const bytes = Buffer.from(text, 'base64');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes.toString('base64');
    };
    const length = Buffer.from(sealed.ciphertext, 'base64').length;
    const attempts: (() => string)[] = [
      () => createKeyRing(B).open(sealed, 'c'),
      () => ring.open(sealed, 'another-channel'),
      () => ring.open({ ...sealed, sealedWith: 2 }, 'c'),
      () => ring.open({ ...sealed, nonce: flip(sealed.nonce, 0) }, 'c'),
      () => ring.open({ ...sealed, ciphertext: flip(sealed.ciphertext, 0) }, 'c'),
      () => ring.open({ ...sealed, ciphertext: flip(sealed.ciphertext, length - 1) }, 'c'),
      () => ring.open({ ...sealed, ciphertext: '' }, 'c'),
      () => ring.open({ ...sealed, ciphertext: sealed.ciphertext.slice(0, 8) }, 'c'),
    ];
    for (const attempt of attempts) {
      expect(attempt).toThrow(/channel key/);
      expect(attempt).not.toThrow(new RegExp(`${SECRET}|${A}|${B}`));
    }
  });

  it.each(['', 'short', `1:${A},1:${B}`, `x:${A}`, `${A},`])(
    'refuses the value %j without showing it',
    (value) => {
      expect(() => createKeyRing(value)).toThrow(/^ENCRYPTION_KEY/);
      expect(() => createKeyRing(value)).not.toThrow(new RegExp(A));
    },
  );
});

describe('keyHint', () => {
  it('shows four characters of a long key and nothing of a short one', () => {
    expect(keyHint(SECRET)).toBe('cdef');
    expect(keyHint('short')).toBe('••••');
  });
});
