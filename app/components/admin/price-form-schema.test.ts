import { expect, it } from 'vitest';
import { z } from 'zod';
import { runForm } from '#app/lib/form.ts';
import { parseForm } from '#app/lib/parse-form.ts';
import { priceRule } from '#server/generation/price/schemas.ts';
import { priceForm, toPriceFields } from './price-form-schema.ts';

/** What the form makes of these fields: the price, or its errors by field. */
function read(typed: Record<string, string>): unknown {
  const form = new FormData();
  for (const [name, value] of Object.entries({ unit: 'call', credits: '5', ...typed })) form.set(name, value);
  const submission = parseForm(form, priceForm);
  return submission.status === 'success' ? submission.value : submission.error;
}

it('reads a price, and nothing of a block size that another unit does not have', () => {
  expect(read({})).toEqual({ unit: 'call', credits: 5 });
  expect(read({ blockTokens: '1000' })).toEqual({ unit: 'call', credits: 5 });
  expect(read({ unit: 'tokens', blockTokens: '1000' })).toEqual({
    unit: 'tokens',
    credits: 5,
    blockTokens: 1_000,
  });
});

it('reads rows as tiers and leaves out the empty ones, wherever they are', () => {
  const price = read({
    'tiers[0].when': ' size = 1024x1024, quality=high ',
    'tiers[0].credits': '9',
    'tiers[1].when': '',
    'tiers[1].credits': '',
    'tiers[2].when': 'style=oil, thick paint,hd=true',
    'tiers[2].credits': '0',
  });
  expect(price).toEqual({
    unit: 'call',
    credits: 5,
    tiers: [
      { when: { size: '1024x1024', quality: 'high' }, credits: 9 },
      { when: { style: 'oil, thick paint', hd: 'true' }, credits: 0 },
    ],
  });
  expect(priceRule.safeParse(price).success).toBe(true);
});

it('shows what it has read, with empty rows for more', () => {
  const price = {
    unit: 'output' as const,
    credits: 4,
    tiers: [{ when: { size: 'large', hd: true, steps: 50 }, credits: 9 }],
  };
  const { tiers } = toPriceFields(price);
  expect(tiers).toHaveLength(2);
  expect(read({ 'tiers[0].when': tiers[0]?.when ?? '', 'tiers[0].credits': '9' })).toMatchObject({
    tiers: [{ when: { size: 'large', hd: 'true', steps: '50' }, credits: 9 }],
  });
  const tiersOf = (count: number) =>
    Array.from({ length: count }, () => ({ when: { size: 'a' }, credits: 1 }));
  const many = tiersOf(29);
  expect(toPriceFields({ ...price, tiers: many }).tiers).toHaveLength(30);
  expect(toPriceFields({ ...price, tiers: [...many, ...tiersOf(1)] }).tiers).toHaveLength(30);
});

it.each([
  [
    'no condition',
    { 'tiers[0].credits': '9' },
    { 'tiers[0].when': [expect.stringMatching(/Write name=value/)] },
  ],
  [
    'no value',
    { 'tiers[0].when': 'size=', 'tiers[0].credits': '9' },
    { 'tiers[0].when': [expect.any(String)] },
  ],
  [
    'no name',
    { 'tiers[0].when': 'large', 'tiers[0].credits': '9' },
    { 'tiers[0].when': [expect.any(String)] },
  ],
  [
    'a name twice',
    { 'tiers[0].when': 'size=a, size=b', 'tiers[0].credits': '9' },
    { 'tiers[0].when': [expect.stringMatching(/each name once/)] },
  ],
  ['no credits', { 'tiers[1].when': 'size=a' }, { 'tiers[1].credits': ['Enter a number.'] }],
  [
    'a fraction',
    { 'tiers[0].when': 'size=a', 'tiers[0].credits': '1.5' },
    { 'tiers[0].credits': ['Enter a whole number of credits.'] },
  ],
  ['a block without a size', { unit: 'tokens' }, { blockTokens: ['Enter how many tokens a block has.'] }],
  ['a price below 0', { credits: '-5' }, { credits: ['Enter at least 0.'] }],
  ['a price past the most', { credits: '2147483648' }, { credits: ['Enter at most 1000000.'] }],
  ['no unit', { unit: 'pixel' }, { unit: ['Choose what the price counts.'] }],
])('says beside the field what is wrong: %s', (_name, typed, errors) => {
  expect(read(typed)).toEqual(errors);
});

it('a row that was asked for without scripts comes back in the form, which is not saved', async () => {
  const form = new FormData();
  form.set('price.unit', 'call');
  form.set('price.credits', '5');
  form.set('price.tiers[0].when', 'size=a');
  form.set('__intent__', JSON.stringify({ type: 'insert', payload: { name: 'price.tiers' } }));
  const answer = await runForm(new Request('http://localhost/', { method: 'POST' }), form, {
    name: 'new-model',
    schema: z.object({ price: priceForm }),
    run: async () => {
      throw new Error('It was saved');
    },
  });
  expect(answer).toMatchObject({
    data: { reply: { initialValue: { price: { tiers: [{ when: 'size=a' }, undefined] } } } },
  });
});
