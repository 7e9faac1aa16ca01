import { describe, expect, it } from 'vitest';
import { makeAdminPack } from '#app/testing/admin-money-fixtures.ts';
import { fromPack, packForm, toPack } from './pack-form-schema.ts';

const typed = (price: string, currency = 'EUR') =>
  packForm.safeParse({ title: 'Small pack', credits: 100, price, currency, enabled: true, position: 0 });

const problemOf = (price: string, currency?: string) => {
  const { error } = typed(price, currency);
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(' ');
};

describe('the price of a pack', () => {
  it.each([
    ['9.90', 'EUR', 990],
    ['9,90', 'EUR', 990],
    ['9.9', 'EUR', 990],
    ['10', 'EUR', 1_000],
    ['0.29', 'EUR', 29],
    // Neither is exact as a binary fraction times 100.
    ['1.15', 'USD', 115],
    ['999999999.99', 'EUR', 99_999_999_999],
    ['500', 'jpy', 500],
    ['1.5', 'KWD', 1_500],
  ])('%s %s is %d minor units', (price, currency, amountMinor) => {
    expect(toPack(packForm.parse({ ...typed(price, currency).data }))).toMatchObject({ amountMinor });
  });

  it.each([
    ['', undefined, /^price: Enter the price in figures/],
    ['nine', undefined, /^price: Enter the price in figures/],
    ['-1', undefined, /^price: Enter the price in figures/],
    ['1e3', undefined, /^price: Enter the price in figures/],
    ['1,000.00', undefined, /^price: Enter the price in figures/],
    ['0', undefined, /^price: The price is more than 0/],
    ['9.905', undefined, /^price: EUR has 2 digits/],
    ['500.5', 'JPY', /^price: JPY has no digits/],
  ])('%j %s is refused beside its field', (price, currency, problem) => {
    expect(problemOf(price, currency)).toMatch(problem);
  });
});

it.each([
  [5, 'EUR', '0.05'],
  [990, 'EUR', '9.90'],
  [500, 'JPY', '500'],
  [1_500, 'KWD', '1.500'],
])('a pack of %d %s comes back as it was', (amountMinor, currency, price) => {
  const pack = makeAdminPack({ amountMinor, currency, validDays: 30 });
  const shown = fromPack(pack);
  expect(shown.price).toBe(price);
  const { id, createdAt: _createdAt, ...values } = pack;
  expect(toPack(packForm.parse(shown))).toEqual({ ...values, packId: id });
});

it('a pack without a validity lasts for ever', () => {
  expect(toPack(packForm.parse(fromPack(makeAdminPack({ validDays: null }))))).toMatchObject({
    validDays: null,
  });
});
