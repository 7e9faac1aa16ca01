import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCredits,
  formatDuration,
  formatInteger,
  formatPrice,
  formatRelative,
  formatUtc,
} from './format.ts';

describe('format', () => {
  it('writes integers and credits', () => {
    expect(formatInteger(-1234567)).toBe('−1,234,567');
    expect(formatCredits(1)).toBe('1 credit');
    expect(formatCredits(-1)).toBe('−1 credit');
    expect(formatCredits(0)).toBe('0 credits');
    expect(formatPrice({ unit: 'second', credits: 10 })).toBe('10 credits per second');
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
