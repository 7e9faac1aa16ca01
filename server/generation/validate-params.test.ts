import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalHash } from './request-hash.ts';
import type { ParameterSchema } from './schemas.ts';
import { validateParams } from './validate-params.ts';

const schema: ParameterSchema = {
  n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
  size: { type: 'choice', label: 'Size', options: ['s', 'm'], default: 's' },
  style: { type: 'text', label: 'Style', maxLength: 5, default: '' },
  raw: { type: 'boolean', label: 'Raw', default: false },
};

describe('validateParams', () => {
  it('fills in defaults and reads what a form sends', () => {
    expect(validateParams(schema, {})).toEqual({ n: 1, size: 's', style: '', raw: false });
    expect(validateParams(schema, { n: '3', size: 'm', raw: 'true' })).toEqual({
      n: 3,
      size: 'm',
      style: '',
      raw: true,
    });
  });

  it.each([
    [{ n: 5 }, 'Images: choose a whole number from 1 to 4.'],
    [{ n: 1.5 }, 'Images: choose'],
    [{ n: '10.0' }, 'Images: choose'],
    [{ n: '1e3' }, 'Images: choose'],
    [{ n: Number.NaN }, 'Images: choose'],
    [{ n: -5 }, 'Images: choose'],
    [{ n: 1e6 }, 'Images: choose'],
    [{ n: '9223372036854775808' }, 'Images: choose'],
    [{ size: 'xl' }, 'Size: choose one of s, m.'],
    [{ style: 'longer' }, 'Style: write at most 5 characters.'],
    [{ raw: 'maybe' }, 'Raw: choose yes or no.'],
    [{ seed: 1 }, 'This model has no parameter "seed". It has: n, size, style, raw.'],
    [{ __proto__x: 1 }, 'This model has no parameter'],
  ])('refuses %o before any charge (B50, B51)', (params, message) => {
    expect(() => validateParams(schema, params)).toThrow(message);
  });

  it('leaves out a seed that is not given, so that upstream chooses, and refuses one out of range', () => {
    const seeded: ParameterSchema = { seed: { type: 'seed', label: 'Seed', maximum: 99 } };
    for (const empty of [{}, { seed: '' }, { seed: null }, { seed: undefined }]) {
      expect(validateParams(seeded, empty)).toStrictEqual({});
    }
    expect(validateParams(seeded, { seed: '0' })).toStrictEqual({ seed: 0 });
    expect(validateParams(seeded, { seed: 99 })).toStrictEqual({ seed: 99 });
    for (const seed of [-1, 100, 1.5, '7.0', 'x', ' ', true, '9223372036854775808']) {
      expect(() => validateParams(seeded, { seed })).toThrow(
        'Seed: choose a whole number from 0 to 99, or leave it empty.',
      );
    }
  });

  it('never lets a value through that the schema does not allow', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        try {
          const { n } = validateParams(schema, { n: value });
          expect(Number.isInteger(n) && (n as number) >= 1 && (n as number) <= 4).toBe(true);
        } catch (error) {
          expect((error as Error).message).toMatch(/^Images: choose/);
        }
      }),
    );
  });
});

describe('canonicalHash', () => {
  it('does not depend on the order of keys, and tells values apart', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 }), (body) => {
        const reversed = Object.fromEntries(Object.entries(body).reverse());
        expect(canonicalHash(reversed)).toBe(canonicalHash(body));
      }),
    );
    expect(canonicalHash({ a: 1 })).not.toBe(canonicalHash({ a: '1' }));
    expect(canonicalHash({ a: undefined })).toBe(canonicalHash({}));
  });
});
