import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CALLS, type ReadOptions, readCalls } from './read-calls.ts';
import { type AllowedModel, toolDefinitions } from './tool-definitions.ts';

const model = (slug: string, kind: AllowedModel['kind'], maxReferences = 0): AllowedModel => ({
  slug,
  kind,
  title: slug,
  parameters: {
    n: { type: 'integer', label: 'Number', minimum: 1, maximum: 4, default: 1 },
    size: { type: 'choice', label: 'Size', options: ['small', 'large'], default: 'small' },
  },
  maxPromptCharacters: 4_000,
  maxReferences,
  credits: 3,
});
const MODELS = [model('paint', 'image', 2), model('sound', 'audio')];
const options = (more: Partial<ReadOptions> = {}): ReadOptions => ({
  models: MODELS,
  before: new Set(),
  stepsLeft: 10,
  ...more,
});
const call = (name: string, args: unknown, id = 'c1') => ({
  id,
  name,
  argumentsText: typeof args === 'string' ? args : JSON.stringify(args),
});
const read = (name: string, args: unknown, more: Partial<ReadOptions> = {}) =>
  readCalls([call(name, args)], options(more))[0];

describe('a call that fits', () => {
  it('is read with its parameters and pictures', () => {
    const args = {
      model: 'paint',
      prompt: ' a boat ',
      params: { n: 2 },
      image: 'i1',
      references: ['i2', 'i1'],
    };
    expect(read('generate_image', args)).toMatchObject({
      type: 'make',
      makes: 'image',
      order: { model: 'paint', prompt: 'a boat', params: { n: 2 }, images: ['i1', 'i2'] },
    });
  });

  it.each([
    ['read_output', { id: 'o1' }, { type: 'read', what: 'o1' }],
    ['ask_user', { question: 'Which hat?' }, { type: 'ask', question: 'Which hat?' }],
    ['finish', { summary: 'Done.' }, { type: 'finish', summary: 'Done.' }],
  ])('%s', (name, args, expected) => {
    expect(read(name, args)).toMatchObject(expected);
  });

  it('null is the same as left out', () => {
    expect(read('generate_image', { model: 'paint', prompt: 'a', params: null, image: null })).toMatchObject({
      type: 'make',
      order: { params: {}, images: [] },
    });
  });

  it('loses characters that no column holds', () => {
    expect(read('ask_user', { question: 'a\0b\ud800c' })).toMatchObject({ question: 'abc' });
  });
});

describe('a call that does not fit is refused in words', () => {
  it.each<[string, string, unknown, RegExp]>([
    ['cut JSON', 'generate_image', '{"model":"paint","pro', /not valid JSON/],
    ['no object', 'generate_image', '[1]', /not a JSON object/],
    ['nothing', 'generate_image', '', /model/],
    ['a tool of nobody', 'paint_everything', {}, /no tool named "paint_everything".*generate_image/],
    ['a kind that is not allowed', 'generate_video', { model: 'film', prompt: 'a' }, /no tool named/],
    ['a model that is not allowed', 'generate_image', { model: 'gold', prompt: 'a' }, /may not use.*paint/],
    ['a model of another kind', 'generate_image', { model: 'sound', prompt: 'a' }, /may not use/],
    ['a number for a prompt', 'generate_image', { model: 'paint', prompt: 42 }, /prompt/],
    ['an empty prompt', 'generate_image', { model: 'paint', prompt: ' ' }, /prompt/],
    ['a field too many', 'generate_image', { model: 'paint', prompt: 'a', budget: 9 }, /budget/],
    ['too long arguments', 'finish', { summary: 'x'.repeat(20_001) }, /20000 characters/],
    ['a name of every object', 'constructor', {}, /no tool named/],
  ])('%s', (_what, name, args, problem) => {
    const reading = read(name, args);
    expect(reading).toMatchObject({ type: 'refused', reason: 'malformed' });
    expect(reading?.type === 'refused' && reading.problem).toMatch(problem);
  });

  it('never throws, whatever is called', () => {
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.string(), fc.json()), (name, argumentsText) => {
        const [reading] = readCalls([{ id: '1', name, argumentsText }], options());
        expect(reading?.hash).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
    const deep = '['.repeat(9_000);
    expect(read('generate_image', `{"a":${deep}${']'.repeat(9_000)}}`)?.type).toBe('refused');
  });
});

describe('the same call again', () => {
  const args = { model: 'paint', prompt: 'a' };

  it('is known by its arguments, however they are written', () => {
    const hash = read('generate_image', args)?.hash ?? '';
    const before = new Set([hash]);
    const again = '{ "prompt": "a",\n "model": "paint" }';
    expect(read('generate_image', again, { before })).toMatchObject({ type: 'refused', reason: 'repeat' });
    expect(read('generate_image', { ...args, prompt: 'b' }, { before })?.type).toBe('make');
    expect(read('read_output', { id: 'a' }, { before })?.type).toBe('read');
  });

  it('is known within one answer', () => {
    const readings = readCalls(
      [call('generate_image', args, '1'), call('generate_image', args, '2')],
      options(),
    );
    expect(readings.map(({ type }) => type)).toEqual(['make', 'refused']);
  });
});

it('no more is made than there are steps left', () => {
  const calls = ['a', 'b', 'c'].map((prompt) => call('generate_image', { model: 'paint', prompt }, prompt));
  const readings = readCalls(calls, options({ stepsLeft: 2 }));
  expect(readings.map((one) => (one.type === 'refused' ? one.reason : one.type))).toEqual([
    'make',
    'make',
    'no_steps',
  ]);
});

it('only so many calls of one answer are looked at', () => {
  const calls = Array.from({ length: MAX_CALLS + 2 }, (_, at) =>
    call('read_output', { id: `o${at}` }, `${at}`),
  );
  const readings = readCalls(calls, options());
  expect(readings.slice(0, MAX_CALLS).every(({ type }) => type === 'read')).toBe(true);
  expect(readings.slice(MAX_CALLS)).toMatchObject([{ reason: 'too_many' }, { reason: 'too_many' }]);
});

describe('the tools that are offered', () => {
  it('make only what is allowed', () => {
    expect(toolDefinitions(MODELS).map(({ name }) => name)).toEqual([
      'generate_image',
      'generate_audio',
      'read_output',
      'ask_user',
      'finish',
    ]);
  });

  it('name the allowed models, their parameters and their price', () => {
    const [image, audio] = toolDefinitions([...MODELS, model('draw', 'image')]);
    expect(image?.parameters).toMatchObject({
      properties: {
        model: { enum: ['paint', 'draw'] },
        params: { properties: { n: { type: 'integer', minimum: 1, maximum: 4 } } },
        image: { type: 'string' },
      },
      required: ['model', 'prompt'],
      additionalProperties: false,
    });
    expect(image?.description).toContain('paint: 3 credits');
    expect(audio?.parameters).not.toHaveProperty('properties.image');
  });
});
