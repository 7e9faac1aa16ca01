import { describe, expect, it } from 'vitest';
import { validateSettings } from './channels/validate-settings.ts';
import { inputNamesOf } from './hosted-model.ts';

const host = {
  usual: { reference: 'image', n: 'num_outputs' },
  known: [[/^acme\//, { reference: 'photo' }]],
} as const;

describe('the names of inputs', () => {
  it('are those of the settings before those of the table before the usual ones', () => {
    const settings = { inputs: { 'acme/own': { reference: 'face', prompt: 'text' } } };
    expect(inputNamesOf('other/model', settings, host)).toEqual(host.usual);
    expect(inputNamesOf('acme/model', settings, host)).toEqual({ reference: 'photo', n: 'num_outputs' });
    expect(inputNamesOf('acme/own', settings, host)).toEqual({
      reference: 'face',
      prompt: 'text',
      n: 'num_outputs',
    });
  });

  it.each([undefined, null, 7, { inputs: 'none' }, { inputs: { 'acme/model': { reference: 7 } } }])(
    'are the usual ones under settings that cannot be read: %j',
    (settings) => {
      expect(inputNamesOf('acme/model', settings, host)).toEqual({ reference: 'photo', n: 'num_outputs' });
    },
  );

  it.each(['replicate', 'fal'])('are checked when a channel of %s is saved', (protocol) => {
    const settings = { inputs: { 'acme/own': { prompt: 'text', secondsAs: 'suffixed' } } };
    expect(validateSettings(protocol, settings)).toEqual(settings);
    for (const bad of [{ promt: 'text' }, { prompt: 'two words' }, { secondsAs: 'days' }])
      expect(() => validateSettings(protocol, { inputs: { 'acme/own': bad } })).toThrow(/inputs\.acme/);
  });
});
