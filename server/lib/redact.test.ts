import { describe, expect, it } from 'vitest';
import { redactText, redactValue } from './redact.ts';

describe('redactText', () => {
  it.each([
    ['Authorization: Bearer abcdefgh12345678', 'abcdefgh12345678'],
    ['key sk-proj_ABCDEFGH12345678 is wrong', 'ABCDEFGH12345678'],
    ['r8_ABCDEFGH12345678', 'ABCDEFGH12345678'],
    ['token sdl_ABCDEFGH12345678', 'ABCDEFGH12345678'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', 'eyJ'],
    ['https://cdn.example.com/a.png?key=ABCDEF12&x=1', 'ABCDEF12'],
    ['https://cdn.example.com/a.png?x=1&X-Amz-Signature=deadbeef', 'deadbeef'],
  ])('hides the secret of %s', (text, secret) => {
    const out = redactText(text);
    expect(out).not.toContain(secret);
    expect(out).toContain('[redacted]');
  });

  it('keeps the rest of an address and of a sentence', () => {
    expect(redactText('see https://cdn.example.com/a.png?x=1&sig=abc&y=2 for more')).toBe(
      'see https://cdn.example.com/a.png?x=1&sig=[redacted]&y=2 for more',
    );
    expect(redactText('The size must be 1024x1024.')).toBe('The size must be 1024x1024.');
  });
});

describe('redactValue', () => {
  it('blanks values by the names of their keys, at any depth, and leaves the input alone', () => {
    const value = {
      headers: [{ Authorization: 'x', 'x-api-key': 'y', 'Set-Cookie': 'z' }],
      usage: { tokens: 12 },
    };
    const copy = JSON.stringify(value);
    expect(redactValue(value)).toEqual({
      headers: [{ Authorization: '[redacted]', 'x-api-key': '[redacted]', 'Set-Cookie': '[redacted]' }],
      usage: { tokens: 12 },
    });
    expect(JSON.stringify(value)).toBe(copy);
  });

  it('cuts long strings and lists, and stops at a depth', () => {
    expect(redactValue('x'.repeat(50), 10)).toBe(`${'x'.repeat(10)}…[50 characters]`);
    expect(redactValue(Array.from({ length: 500 }, () => 1))).toHaveLength(200);
    let deep: unknown = 'end';
    for (let level = 0; level < 40; level += 1) deep = { deep };
    expect(JSON.stringify(redactValue(deep))).toContain('[deep]');
  });

  it('gives nothing that a jsonb column refuses: no NUL, no half of a character, also not where it cuts', () => {
    for (const text of [`${'x'.repeat(9)}🚢 and more`, 'lone \ud83d half', 'lone \udea2 half', 'a\u0000b']) {
      const out = redactValue(text, 10) as string;
      expect(out).not.toMatch(/\0|\p{Surrogate}/u);
    }
    expect(redactValue('a 🚢', 10)).toBe('a 🚢');
  });

  it('keeps numbers, booleans and null; a bigint becomes text', () => {
    expect(redactValue({ a: 1, b: false, c: null, d: 12345678901234567890n })).toEqual({
      a: 1,
      b: false,
      c: null,
      d: '12345678901234567890',
    });
  });
});
