import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCredits,
  formatDuration,
  formatInteger,
  formatMoment,
  formatPrice,
  formatRelative,
  formatUtc,
  isFree,
} from './format.ts';

it.each([
  ['UTC', '2026-11-29T14:05:59Z', '29 Nov 2026, 14:05', '2026年11月29日 14:05'],
  ['Asia/Tokyo', '2026-11-29T15:00:00Z', '30 Nov 2026, 00:00', '2026年11月30日 00:00'],
  ['UTC', '2026-12-01T00:03:00Z', '1 Dec 2026, 00:03', '2026年12月1日 00:03'],
  ['America/New_York', '2026-07-01T03:30:00Z', '30 Jun 2026, 23:30', '2026年6月30日 23:30'],
])('says a moment in %s', (timeZone, at, english, chinese) => {
  expect(formatMoment(new Date(at), timeZone)).toBe(english);
  expect(formatMoment(new Date(at), timeZone, 'zh-CN')).toBe(chinese);
});

describe('format', () => {
  it('writes integers and credits', () => {
    expect(formatInteger(-1234567)).toBe('−1,234,567');
    expect(formatCredits(1)).toBe('1 credit');
    expect(formatCredits(-1)).toBe('−1 credit');
    expect(formatCredits(0)).toBe('0 credits');
    expect(formatPrice({ unit: 'second', credits: 10 })).toBe('10 credits per second');
  });

  it('writes prices per block, and the least of several', () => {
    expect(formatPrice({ unit: 'tokens', credits: 1, blockTokens: 1_000 })).toBe('1 credit per 1,000 tokens');
    expect(formatPrice({ unit: 'tokens', credits: 2, blockTokens: 1 })).toBe('2 credits per token');
    const tiers = [{ when: { size: 'large' }, credits: 9 }];
    expect(formatPrice({ unit: 'output', credits: 4, tiers })).toBe('from 4 credits per output');
    expect(formatPrice({ unit: 'output', credits: 10, tiers })).toBe('from 9 credits per output');
    expect(formatPrice({ unit: 'output', credits: 9, tiers })).toBe('9 credits per output');
    expect([isFree({ unit: 'call', credits: 0 }), isFree({ unit: 'call', credits: 0, tiers })]).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1 kB'],
    [1_449_000, '1.4 MB'],
    [999_960, '1 MB'],
    [250_000_000, '250 MB'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [0, '0:00'],
    [7_400, '0:07'],
    [3_599_700, '1:00:00'],
    [3_723_000, '1:02:03'],
  ])('writes %d ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it.each([
    [-2, 'just now'],
    [2, 'just now'],
    [-59, '59 seconds ago'],
    [-60, '1 minute ago'],
    [-119, '1 minute ago'],
    [7_200, 'in 2 hours'],
    [-86_400, 'yesterday'],
  ])('writes %d seconds from now as %s', (seconds, text) => {
    const now = new Date('2026-06-01T12:00:00Z');
    expect(formatRelative(new Date(now.getTime() + seconds * 1000), now)).toBe(text);
  });

  it('writes moments in UTC whatever the zone of the machine', () => {
    expect(formatUtc(new Date('2026-11-29T14:05:59Z'))).toBe('2026-11-29 14:05 UTC');
  });
});
