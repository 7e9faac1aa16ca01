import { describe, expect, it } from 'vitest';
import { parameterSchema, priceRule } from '#server/generation/schemas.ts';
import { openaiAdapter } from '../openai/adapter.ts';
import { MODEL_TEMPLATES } from './model-templates.ts';
import {
  apiKey,
  baseUrl,
  createChannelInput,
  createModelInput,
  ENDPOINTS,
  PROTOCOL_ENDPOINTS,
  updateModelInput,
} from './schemas.ts';

describe('baseUrl', () => {
  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com/v1'],
    [' https://api.openai.com/v1/ \n', 'https://api.openai.com/v1'],
    ['https://API.openai.com', 'https://api.openai.com'],
    ['http://127.0.0.1:4010///', 'http://127.0.0.1:4010'],
  ])('takes %j as %j', (text, expected) => {
    expect(baseUrl.parse(text)).toBe(expected);
  });

  it.each([
    '',
    'api.openai.com',
    '//api.openai.com',
    'ftp://x.example',
    'javascript:alert(1)',
    'https://user:pass@x.example',
    'https://x.example/?key=1',
    'https://x.example/v1?',
    'https://x.example/#',
    `https://x.example/${'a'.repeat(600)}`,
  ])('B62: refuses %j with a sentence', (text) => {
    const result = baseUrl.safeParse(text);
    expect(result.success).toBe(false);
    expect(result.error?.issues[0]?.message).toMatch(/\.$/);
  });
});

describe('apiKey', () => {
  it('B32: drops the line end of a copied key', () => {
    expect(apiKey.parse('  sk-abc123\r\n')).toBe('sk-abc123');
  });
  it.each(['', '   ', 'sk abc', 'sk-\u00e9', 'sk-\u0000x', 'a\nb', 'x'.repeat(501)])('refuses %j', (text) => {
    expect(apiKey.safeParse(text).success).toBe(false);
  });
});

const model = {
  slug: 'my-model',
  kind: 'image',
  channelId: '018f0000-0000-7000-8000-000000000000',
  title: 'T',
  upstreamModel: 'm',
  endpoint: 'images',
  parameters: { n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 } },
  price: { unit: 'output', credits: 4 },
};

describe('models', () => {
  it('takes a complete model and fills the rest', () => {
    expect(createModelInput.parse(model)).toMatchObject({
      enabled: true,
      createTimeoutSeconds: 300,
      maxPromptCharacters: 4_000,
    });
  });

  it.each<[string, object, RegExp]>([
    ['an endpoint of another kind', { endpoint: 'videos' }, /does not make image/],
    [
      'a default out of range',
      { parameters: { x: { type: 'integer', label: 'X', minimum: 1, maximum: 2, default: 3 } } },
      /between/,
    ],
    [
      'a default that is no option',
      { parameters: { x: { type: 'choice', label: 'X', options: ['a'], default: 'b' } } },
      /one of its options/,
    ],
    [
      'a count that may be zero',
      { parameters: { n: { type: 'integer', label: 'N', minimum: 0, maximum: 2, default: 1 } } },
      /whole number/,
    ],
    [
      'seconds that are no numbers',
      { parameters: { seconds: { type: 'choice', label: 'S', options: ['long'], default: 'long' } } },
      /whole number/,
    ],
    [
      'a price per second without seconds',
      { price: { unit: 'second', credits: 1 } },
      /needs a parameter named "seconds"/,
    ],
    ['a bad slug', { slug: 'My Model' }, /lower-case/],
    ['a fraction of a credit', { price: { unit: 'call', credits: 0.5 } }, /./],
  ])('refuses %s', (_name, change, message) => {
    const result = createModelInput.safeParse({ ...model, ...change });
    expect(result.error?.issues.map((issue) => issue.message).join(' ')).toMatch(message);
  });

  it('an update leaves out what is not named', () => {
    const modelId = model.channelId;
    expect(updateModelInput.parse({ modelId, title: 'New' })).toEqual({ modelId, title: 'New' });
  });
});

describe('ready-made models', () => {
  it.each(MODEL_TEMPLATES.map((template) => [template.id, template] as const))(
    '%s is a valid model of its protocol',
    (id, template) => {
      expect(() => parameterSchema.parse(template.parameters)).not.toThrow();
      expect(() => priceRule.parse(template.price)).not.toThrow();
      expect(
        createModelInput.safeParse({ ...template, slug: id, channelId: model.channelId }).error?.issues,
      ).toBeUndefined();
      expect(openaiAdapter.endpoints[template.endpoint]?.kind).toBe(template.kind);
    },
  );

  it('cover the four kinds', () => {
    expect(new Set(MODEL_TEMPLATES.map((template) => template.kind)).size).toBe(4);
  });
});

it('the endpoints that a form offers are those that the adapter speaks', () => {
  const kinds = Object.fromEntries(
    Object.entries(openaiAdapter.endpoints).map(([name, { kind }]) => [name, kind]),
  );
  expect(PROTOCOL_ENDPOINTS.openai).toEqual(kinds);
  expect([...ENDPOINTS].sort()).toEqual(Object.keys(kinds).sort());
});

it('a channel needs name, address and key', () => {
  const result = createChannelInput.safeParse({ name: ' ', baseUrl: 'x', apiKey: '' });
  expect(result.error?.issues.map((issue) => issue.path[0])).toEqual(['name', 'baseUrl', 'apiKey']);
});
