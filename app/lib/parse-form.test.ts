import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseForm } from './parse-form.ts';

const schema = z.object({
  name: z.string(),
  own: z.string('Name the token.'),
  count: z.number().int().min(5).max(900),
  note: z.string().max(3).optional(),
});

function errorsOf(values: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  return parseForm(form, schema).reply().error;
}

it('says what to do about empty fields, but leaves a schema’s own sentence', () => {
  expect(errorsOf({ name: '', own: '', count: '' })).toEqual({
    name: ['Fill this in.'],
    own: ['Name the token.'],
    count: ['Fill this in.'],
  });
});

it('says what to do about numbers and lengths', () => {
  expect(errorsOf({ name: 'a', own: 'b', count: 'many', note: 'long' })).toEqual({
    count: ['Enter a number.'],
    note: ['Enter at most 3 characters.'],
  });
  expect(errorsOf({ name: 'a', own: 'b', count: '4' })).toEqual({ count: ['Enter at least 5.'] });
  expect(errorsOf({ name: 'a', own: 'b', count: '901' })).toEqual({ count: ['Enter at most 900.'] });
  expect(errorsOf({ name: 'a', own: 'b', count: '5.5' })).toEqual({ count: ['Enter a whole number.'] });
});
