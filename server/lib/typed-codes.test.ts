import { describe, expect, it } from 'vitest';
import { randomCode, readTypedCode } from './typed-codes.ts';

describe('typed codes', () => {
  it('are drawn from 32 characters, each as likely as the others, and never repeat', () => {
    const codes = Array.from({ length: 4_000 }, () => randomCode(16));
    expect(new Set(codes).size).toBe(codes.length);
    const seen = new Map<string, number>();
    for (const character of codes.join('')) seen.set(character, (seen.get(character) ?? 0) + 1);
    expect([...seen.keys()].sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    // 2,000 expected of each, ± 6 standard deviations of 44.
    for (const count of seen.values()) expect(Math.abs(count - 2_000)).toBeLessThan(264);
  });

  it.each([
    ['ABCD-EFGH-JKMN-PQ01', 'ABCDEFGHJKMNPQ01'],
    ['  abcd efgh jkmn pq01 ', 'ABCDEFGHJKMNPQ01'],
    ['ABCD–EFGH—JKMN_PQOI', 'ABCDEFGHJKMNPQ01'],
    ['abcdefghjkmnpqol', 'ABCDEFGHJKMNPQ01'],
    ['ＡＢＣＤ－ＥＦＧＨ－ＪＫＭＮ－ＰＱ０１', 'ABCDEFGHJKMNPQ01'],
  ])('read %o as %s, however it is typed', (typed, code) => {
    expect(readTypedCode(typed, 16)).toBe(code);
  });

  it.each([
    '',
    '----',
    'ABCD-EFGH-JKMN-PQ0',
    'ABCD-EFGH-JKMN-PQ012',
    'ABCD-EFGH-JKMN-PQ0U',
    'ABCD-EFGH-JKMN-PQ0ß',
  ])('refuse %o, which cannot be one', (typed) => {
    expect(readTypedCode(typed, 16)).toBeUndefined();
  });

  it('read back what they draw', () => {
    for (let length = 1; length <= 20; length += 1) {
      const code = randomCode(length);
      expect(readTypedCode(code.toLowerCase(), length)).toBe(code);
    }
  });
});
