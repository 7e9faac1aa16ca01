import { expect, it } from 'vitest';
import { customSettings } from '#server/providers/custom/schemas.ts';
import { DIRECT, STUDIO } from '#server/providers/custom/testing/descriptions.ts';
import { customForm } from './custom-form-schema.ts';
import { PRESETS } from './custom-presets.ts';
import { formFieldOf, toDescriptionText, toSettings } from './custom-settings-text.ts';

it.each<[string, unknown]>([
  ['a job', STUDIO],
  ['an answer', DIRECT],
  ['a look-up in a list', { ...STUDIO, lookup: { path: '/r?ref={ref}', id: ['a.*.b'], echo: ['a.*.c'] } }],
  ['a key in the address', { ...DIRECT, auth: { style: 'query', name: 'key' } }],
  ['a key after a word', { ...DIRECT, auth: { style: 'header', name: 'Authorization', prefix: 'Key' } }],
  ['a poll by POST', { ...STUDIO, poll: { method: 'POST', path: '/q', template: '{"a":"{{id}}"}' } }],
  ['a word with the sign in it', { ...STUDIO, words: [{ word: 'a=b', meaning: 'running' }] }],
  ...PRESETS.map(({ id, settings }): [string, unknown] => [id, settings]),
])('a stored description survives its form: %s', (_name, description) => {
  const stored = customSettings.parse(description);
  const text = toDescriptionText(JSON.parse(JSON.stringify(stored)));
  expect(text && customSettings.parse(toSettings(text))).toEqual(stored);
});

it('does not show a description that was broken by hand', () => {
  expect(toDescriptionText({ create: 7 })).toBeUndefined();
  expect(toDescriptionText(null)).toBeUndefined();
});

it.each<[(string | number)[], string, string]>([
  [['create', 'path'], 'settings.create.path', 'No.'],
  [['fields', 'id', 0], 'settings.fields.id', 'No.'],
  [['headers', 1, 'name'], 'settings.headers', 'Line 2: No.'],
  [['words', 0, 'meaning'], 'settings.words', 'Line 1: No.'],
  [['cancel'], 'settings.cancel.path', 'No.'],
  [['webhook'], 'settings.webhook.id', 'No.'],
  [['accepted', 'values', 0], 'settings.accepted.values', 'No.'],
  [[], 'settings', 'No.'],
])('an issue at %j is shown at %s', (path, field, message) => {
  const [at, said] = formFieldOf(path, 'No.');
  expect([at.join('.'), said]).toEqual([field, message]);
  // Every such place is a field of the form.
  const shape = customForm.shape.settings.shape as Record<string, unknown>;
  if (at[1] !== undefined) expect(shape).toHaveProperty(String(at[1]));
});
