import { describe, expect, it } from 'vitest';
import { priceRule } from '#server/generation/price/schemas.ts';
import { parameterSchema } from '#server/generation/schemas.ts';
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

const TIER_PARAMETERS = {
  size: { type: 'choice', label: 'Size', options: ['small', 'large'], default: 'small' },
  steps: { type: 'integer', label: 'Steps', minimum: 1, maximum: 50, default: 20 },
  hd: { type: 'boolean', label: 'HD', default: false },
  style: { type: 'text', label: 'Style', maxLength: 40, default: '' },
  seed: { type: 'seed', label: 'Seed' },
};
const TIER_PROBLEMS: [string, object, RegExp][] = [
  [
    'of an unknown parameter',
    { quality: 'high' },
    /Tier 2: .*cannot depend on "quality".*: size, steps, hd\./,
  ],
  ['of a name that every object has', { constructor: 'x' }, /cannot depend on "constructor"/],
  ['of an unknown size', { size: 'huge' }, /Tier 2: "size" is never "huge". It is one of small, large\./],
  [
    'of a number out of range',
    { steps: 51 },
    /Tier 2: "steps" is never "51". It is a whole number from 1 to 50\./,
  ],
  ['of a number in another writing', { steps: '10.0' }, /"steps" is never "10.0"/],
  ['of a number with an exponent', { steps: '1e1' }, /"steps" is never "1e1"/],
  ['of a switch that is neither', { hd: 'yes' }, /"hd" is never "yes". It is true or false\./],
  ['of a free text', { style: 'oil' }, /cannot depend on "style"/],
  ['of a seed', { seed: 5 }, /cannot depend on "seed"/],
];

describe('models', () => {
  it('takes tiers of sizes, numbers and switches, also written as text', () => {
    const tiers = [
      { when: { size: 'large', hd: true }, credits: 9 },
      { when: { steps: '50', hd: 'false' }, credits: 8 },
    ];
    const price = { unit: 'call', credits: 1, tiers };
    expect(createModelInput.parse({ ...model, parameters: TIER_PARAMETERS, price }).price).toEqual(price);
  });

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
    [
      'a count past every price',
      { parameters: { n: { type: 'integer', label: 'N', minimum: 1, maximum: 1_000_001, default: 1 } } },
      /from 1 to 1000000/,
    ],
    [
      'a price per block of tokens without a bound',
      { price: { unit: 'tokens', credits: 1, blockTokens: 1_000 } },
      /needs a parameter "max_tokens" of type integer/,
    ],
    [
      'a bound of tokens that may be 0',
      {
        price: { unit: 'tokens', credits: 1, blockTokens: 1_000 },
        parameters: { max_tokens: { type: 'integer', label: 'T', minimum: 0, maximum: 9, default: 1 } },
      },
      /needs a parameter "max_tokens"/,
    ],
    ...TIER_PROBLEMS.map(([name, when, message]): [string, object, RegExp] => [
      `a tier ${name}`,
      {
        parameters: TIER_PARAMETERS,
        price: {
          unit: 'call',
          credits: 1,
          tiers: [
            { when: { size: 'small' }, credits: 2 },
            { when, credits: 3 },
          ],
        },
      },
      message,
    ]),
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
