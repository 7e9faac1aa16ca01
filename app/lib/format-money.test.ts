import { describe, expect, it } from 'vitest';
import { formatMoney, minorDigits } from './format-money.ts';

describe('formatMoney', () => {
  it.each([
    [990, 'EUR', '€9.90'],
    [1, 'EUR', '€0.01'],
    [123_456_789, 'GBP', '£1,234,567.89'],
    [500, 'JPY', 'JP¥500'],
    [1_500, 'KWD', 'KWD 1.500'],
    [5, 'KWD', 'KWD 0.005'],
    [399_000, 'HUF', 'HUF 3,990.00'],
    [500, 'ISK', 'ISK 5.00'],
    [0, 'USD', 'US$0.00'],
    [-990, 'EUR', '−€9.90'],
    [100_000_000_001, 'EUR', '€1,000,000,000.01'],
  ])('writes %d minor units of %s as %s', (minor, currency, text) => {
    expect(formatMoney(minor, currency).replace('\u00a0', ' ')).toBe(text);
  });

  it('knows the digits of a currency', () => {
    expect(['EUR', 'JPY', 'KWD'].map(minorDigits)).toEqual([2, 0, 3]);
  });

  it('counts them as the payment provider does, not as people write them: else a price is charged a hundredfold, or a hundredth of it', () => {
    // As people write them these have none, and browsers differ about it.
    expect(['HUF', 'COP', 'IDR', 'ISK', 'UGX', 'LAK'].map(minorDigits)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(['MGA', 'CLP', 'KRW', 'XOF', 'VND', 'OMR'].map(minorDigits)).toEqual([0, 0, 0, 0, 0, 3]);
  });
});
