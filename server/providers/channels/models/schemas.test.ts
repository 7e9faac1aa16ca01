import { describe, expect, it } from 'vitest';
import { parameterSchema, priceRule } from '#server/generation/schemas.ts';
import { BUILT_IN_ADAPTERS } from '../../adapters.ts';
import { MODEL_TEMPLATES } from '../model-templates.ts';
import { createModelInput, updateModelInput } from './schemas.ts';

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

  it('takes a seed, whose largest value may be left out', () => {
    const parameters = { seed: { type: 'seed', label: 'Seed' } };
    expect(createModelInput.parse({ ...model, parameters }).parameters).toEqual({
      seed: { type: 'seed', label: 'Seed', maximum: 2_147_483_647 },
    });
    expect(updateModelInput.safeParse({ modelId: model.channelId, referenceRoles: ['middle'] }).success).toBe(
      false,
    );
  });

  it('an update leaves out what is not named', () => {
    const modelId = model.channelId;
    expect(updateModelInput.parse({ modelId, title: 'New' })).toEqual({ modelId, title: 'New' });
  });
});

describe('ready-made models', () => {
  it.each(MODEL_TEMPLATES.map((template) => [`${template.protocol}: ${template.id}`, template] as const))(
    '%s is a valid model of its protocol',
    (_name, template) => {
      expect(() => parameterSchema.parse(template.parameters)).not.toThrow();
      expect(() => priceRule.parse(template.price)).not.toThrow();
      expect(
        createModelInput.safeParse({ ...template, slug: template.id, channelId: model.channelId }).error
          ?.issues,
      ).toBeUndefined();
      expect(
        BUILT_IN_ADAPTERS.find((adapter) => adapter.protocol === template.protocol)?.endpoints[
          template.endpoint
        ]?.kind,
      ).toBe(template.kind);
    },
  );

  it('have names of their own within their protocol', () => {
    const names = MODEL_TEMPLATES.map(({ protocol, id }) => `${protocol}: ${id}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('cover the four kinds', () => {
    expect(new Set(MODEL_TEMPLATES.map((template) => template.kind)).size).toBe(4);
  });
});
