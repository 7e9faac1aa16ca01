import { describe, expect, it } from 'vitest';
import { createServiceTokens } from './service-token.ts';

const current = 'current-0123456789abcdef0123456789abcdef';
const previous = 'previous-0123456789abcdef0123456789abcdef';

describe('createServiceTokens', () => {
  it('accepts the current token and, during a rotation, the previous one', () => {
    const tokens = createServiceTokens(current, previous);
    expect(tokens.enabled).toBe(true);
    expect([tokens.verify(current), tokens.verify(previous)]).toEqual([true, true]);
    expect(createServiceTokens(current).verify(previous)).toBe(false);
  });

  it.each([
    '',
    ' ',
    current.slice(0, -1),
    `${current} `,
    current.toUpperCase(),
    `${current}${current}`,
    '\u0000',
  ])('refuses %j', (token) => {
    expect(createServiceTokens(current, previous).verify(token)).toBe(false);
  });

  it('stays closed without a current token of 32 characters, whatever the previous one is', () => {
    const short = 'x'.repeat(31);
    for (const tokens of [
      createServiceTokens(),
      createServiceTokens('', previous),
      createServiceTokens(short, previous),
    ]) {
      expect(tokens.enabled).toBe(false);
      expect([tokens.verify(short), tokens.verify(''), tokens.verify(previous)]).toEqual([
        false,
        false,
        false,
      ]);
    }
    expect(createServiceTokens('y'.repeat(32)).enabled).toBe(true);
  });

  it('does not accept a short previous token', () => {
    expect(createServiceTokens(current, 'short').verify('short')).toBe(false);
  });
});
