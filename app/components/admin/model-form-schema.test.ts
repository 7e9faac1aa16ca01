import { expect, it } from 'vitest';
import { parseForm } from '#app/lib/parse-form.ts';
import { editModelForm } from './model-form-schema.ts';

const GOOD = {
  modelId: '0190a0b0-0000-4000-8000-0000000000c2',
  title: 'Canvas',
  upstreamModel: 'canvas-1',
  parameters: '{"n":{"type":"integer","label":"Images","minimum":1,"maximum":4,"default":1}}',
  'price.unit': 'output',
  'price.credits': '2',
  maxPromptCharacters: '4000',
  maxReferences: '0',
  createTimeoutSeconds: '300',
  deadlineSeconds: '600',
};

/** Errors by field, after the form was filled in like this. */
function errorsOf(typed: Partial<typeof GOOD>): Record<string, string[] | null> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...GOOD, ...typed })) form.set(name, value);
  const submission = parseForm(form, editModelForm);
  return submission.status === 'success' ? {} : (submission.error ?? {});
}

it('takes a model as it is described', () => {
  expect(errorsOf({})).toEqual({});
  expect(errorsOf({ parameters: '' })).toEqual({});
});

it.each([
  ['an unknown type', '{"n":{"type":"number"}}', /type of "n" must be integer, choice/],
  ['a name that cannot be', '{"N!":{"type":"boolean","label":"x","default":true}}', /"N!" is no name/],
  ['a value instead of a description', '{"n":3}', /Describe "n" by an object/],
  ['a limit of another type', '{"n":{"type":"integer","label":"x","minimum":"1"}}', /no usable "minimum"/],
  ['a list', '[]', /object of parameters by name/],
  ['no JSON', '{ n: 2 }', /no valid JSON.*double quotes/],
])('says at the field what is wrong with its JSON: %s', (_, parameters, message) => {
  expect(errorsOf({ parameters })).toEqual({ parameters: [expect.stringMatching(message)] });
});

it.each([
  ['maxPromptCharacters', '99999999999', 'Enter at most 32000.'],
  ['maxReferences', '1.5', 'Enter a whole number.'],
  ['createTimeoutSeconds', '1', 'Enter at least 5.'],
  ['deadlineSeconds', 'soon', 'Enter a number.'],
])('says what %s may be', (field, typed, message) => {
  expect(errorsOf({ [field]: typed })).toEqual({ [field]: [message] });
});
