import { expect, it } from 'vitest';
import { makeModel } from '#app/testing/task-fixtures.ts';
import { defaultParameters, readParameters } from './parameter-values.ts';

const { parameters } = makeModel();

function makeForm(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(`params.${name}`, value);
  return form;
}

it('starts with the defaults', () => {
  expect(defaultParameters(parameters)).toEqual({
    n: 1,
    size: '1024x1024',
    seed: 7,
    style: '',
    sharpen: true,
  });
});

it('reads values of each type', () => {
  const form = makeForm({ n: '3', size: '1536x1024', seed: '12', style: 'ink', sharpen: 'on' });
  expect(readParameters(form, parameters)).toEqual({
    n: 3,
    size: '1536x1024',
    seed: 12,
    style: 'ink',
    sharpen: true,
  });
});

it.each(['', 'abc', '2.5', '5', '0', '1e400'])(
  'prices with the default while a number is not valid: %j',
  (n) => {
    expect(readParameters(makeForm({ n }), parameters)).toMatchObject({ n: 1, sharpen: false });
  },
);

it('leaves out a seed that is empty or not valid yet', () => {
  const seeded = { seed: { type: 'seed' as const, label: 'Seed', maximum: 99 } };
  expect(defaultParameters(seeded)).toStrictEqual({});
  expect(readParameters(makeForm({ seed: '42' }), seeded)).toStrictEqual({ seed: 42 });
  for (const seed of ['', ' ', '100', '-1', '1.5', 'x']) {
    expect(readParameters(makeForm({ seed }), seeded)).toStrictEqual({});
  }
});
