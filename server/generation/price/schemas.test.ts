import { describe, expect, it } from 'vitest';
import { priceRule } from './schemas.ts';
import { textBytes, utf8Bytes } from './shared.ts';

const messages = (price: unknown) =>
  priceRule.safeParse(price).error?.issues.map((issue) => issue.message) ?? [];

describe('a price rule', () => {
  it('takes what was written before tiers and tokens', () => {
    for (const unit of ['call', 'output', 'second']) expect(messages({ unit, credits: 3 })).toEqual([]);
  });

  it('takes tiers and blocks', () => {
    const tiers = [{ when: { size: '1024x1024', hd: true, steps: 3 }, credits: 0 }];
    expect(messages({ unit: 'tokens', credits: 3, blockTokens: 1_000, tiers })).toEqual([]);
  });

  it.each([0.1 + 0.2, 950 * 2.11, '10.0', '1e3', Number.NaN, -5, 2_147_483_648, 9e15, 2 ** 63, null, true])(
    'refuses %s as an amount (B50, B51)',
    (credits) => {
      expect(messages({ unit: 'call', credits })).not.toEqual([]);
      expect(messages({ unit: 'call', credits: 1, tiers: [{ when: { size: 'a' }, credits }] })).not.toEqual(
        [],
      );
      expect(messages({ unit: 'tokens', credits: 1, blockTokens: credits })).not.toEqual([]);
    },
  );

  it.each([
    ['tokens without a block size', { unit: 'tokens', credits: 1 }, /how many tokens a block has/],
    ['a block size without tokens', { unit: 'call', credits: 1, blockTokens: 5 }, /Only a price per block/],
    ['another unit', { unit: 'pixel', credits: 1 }, /Choose what the price counts/],
    [
      'a tier for everything',
      { unit: 'call', credits: 1, tiers: [{ when: {}, credits: 1 }] },
      /for which values/,
    ],
    [
      'too many tiers',
      {
        unit: 'call',
        credits: 1,
        tiers: Array.from({ length: 31 }, () => ({ when: { size: 'a' }, credits: 1 })),
      },
      /at most 30 tiers/,
    ],
    [
      'a condition that is a fraction',
      { unit: 'call', credits: 1, tiers: [{ when: { steps: 1.5 }, credits: 1 }] },
      /./,
    ],
  ])('refuses %s', (_name, price, message) => {
    expect(messages(price).join(' ')).toMatch(message);
  });
});

it('counts bytes of text as they are sent, and of text only', () => {
  expect(utf8Bytes('Über 漢字 🙂')).toBe(17);
  const parameters = { style: { type: 'text' }, size: { type: 'choice' }, seed: { type: 'seed' } };
  expect(textBytes(parameters, { style: 'é', size: 'large', seed: 5, other: 'x' })).toBe(2);
});
