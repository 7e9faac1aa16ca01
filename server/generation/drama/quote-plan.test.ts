import { describe, expect, it } from 'vitest';
import { fitParams, mostSeconds } from './fit-params.ts';
import { orderPart } from './order-part.ts';
import { clipPrompt, picturePrompt } from './part-prompts.ts';
import { shotPart } from './parts.ts';
import { quotePlan } from './quote-plan.ts';
import { aModel, aPlan, aShot } from './testing/plan-fixtures.ts';

const SETTINGS = { ratio: '16:9', titleCard: true } as const;
const choice = (options: string[], preset = options[0] ?? '') =>
  ({ type: 'choice', label: 'x', options, default: preset }) as const;

const clips = aModel({
  slug: 'clips',
  parameters: { seconds: choice(['4', '8', '12']) },
  price: { unit: 'second', credits: 5, tiers: [{ when: { seconds: '12' }, credits: 4 }] },
  maxReferences: 1,
});
const voices = aModel({ slug: 'voices', parameters: { voice: choice(['alloy', 'echo', 'nova']) } });

describe('quotePlan', () => {
  it('adds up the exact price of every part', () => {
    const models = {
      picture: aModel({ price: { unit: 'output', credits: 3 }, maxReferences: 4 }),
      clip: clips,
      voice: voices,
    };
    const plan = aPlan({
      shots: [aShot('a', { seconds: 5 }), aShot('b', { seconds: 9, narration: '' })],
    });
    expect(quotePlan(plan, SETTINGS, models)).toMatchObject({
      shots: {
        a: { pictureCredits: 3, clipCredits: 40, voiceCredits: 1 },
        b: { pictureCredits: 3, clipCredits: 48, voiceCredits: 0 },
      },
      characterCredits: 3,
      totalCredits: 98,
      seconds: 16,
      problems: [],
    });
  });

  it('counts no characters where the model takes no references, nor those that nobody sees', () => {
    const plan = aPlan({ shots: [aShot('a', { characterIds: [] })] });
    const models = { picture: aModel({ maxReferences: 2 }), clip: null, voice: null };
    expect(quotePlan(plan, SETTINGS, models)).toMatchObject({ characterCredits: 0, totalCredits: 1 });
    expect(quotePlan(aPlan(), SETTINGS, { ...models, picture: aModel() })).toMatchObject({ totalCredits: 2 });
  });

  it('names what cannot be ordered: too long a clip, too many words', () => {
    const plan = aPlan({
      shots: [aShot('a', { seconds: 13 }), aShot('b', { picturePrompt: 'x'.repeat(200) })],
    });
    const models = { picture: aModel({ maxPromptCharacters: 150 }), clip: clips, voice: null };
    expect(quotePlan(plan, SETTINGS, models).problems).toEqual([
      'Shot 1, clip: The model makes clips of at most 12 seconds; this shot lasts 13.',
      expect.stringMatching(
        /^Shot 2, picture: Its words are \d+ characters too long for Model\. Shorten them\.$/,
      ),
    ]);
  });
});

describe('fitParams', () => {
  it.each([
    [choice(['4', '8']), 5, '8'],
    [choice(['4', '8']), 4, '4'],
    [{ type: 'integer', label: 'x', minimum: 3, maximum: 10, default: 5 } as const, 1, 3],
    [{ type: 'integer', label: 'x', minimum: 3, maximum: 10, default: 5 } as const, 7, 7],
  ])('chooses the smallest length that is long enough', (seconds, wanted, chosen) => {
    expect(fitParams({ seconds }, { seconds: wanted })).toEqual({ params: { seconds: chosen } });
  });

  it('asks a model that names no length for none, and knows no longest one', () => {
    expect(fitParams({}, { seconds: 9 })).toEqual({ params: {} });
    expect(mostSeconds({})).toBeNull();
    expect(mostSeconds({ seconds: choice(['4', '12', '8']) })).toBe(12);
  });

  it('orders one output, of the nearest shape, by default where shapes are equal', () => {
    const schema = {
      n: { type: 'integer', label: 'n', minimum: 1, maximum: 4, default: 4 } as const,
      size: choice(['1024x1024', '1536x1024', '1024x1536'], '1024x1024'),
      aspect_ratio: choice(['auto', '1:1', '9:16', '16:9']),
    };
    expect(fitParams(schema, { ratio: '16:9' })).toEqual({
      params: { n: 1, size: '1536x1024', aspect_ratio: '16:9' },
    });
    expect(fitParams({ size: choice(['320x180', '1280x720'], '1280x720') }, { ratio: '16:9' })).toEqual({
      params: { size: '1280x720' },
    });
  });

  it('gives the voice that is named, else each speaker another one', () => {
    const schema = { voice: choice(['alloy', 'echo', 'nova']) };
    expect(fitParams(schema, { voice: { words: 'Warm, like Nova', index: 1 } })).toEqual({
      params: { voice: 'nova' },
    });
    const chosen = [0, 1, 2].map((index) => fitParams(schema, { voice: { words: '', index } }));
    expect(chosen).toEqual(['alloy', 'echo', 'nova'].map((voice) => ({ params: { voice } })));
  });
});

describe('prompts', () => {
  it('says style, place and looks with every picture', () => {
    expect(picturePrompt(aPlan(), aShot('a'))).toBe(
      'Style: watercolour\nPlace: wooden boats\nCharacters: Mara (a yellow raincoat)\nPicture: a lamp in the fog',
    );
  });

  it('moves a shot by its motion, or by what is seen', () => {
    expect(clipPrompt(aShot('a'))).toBe('slowly forward');
    expect(clipPrompt(aShot('a', { motionPrompt: '' }))).toBe('a lamp in the fog');
  });

  it('speaks the narration and nothing else, with the voice of its speaker', () => {
    const plan = aPlan({ shots: [aShot('a', { speakerId: 'mara' })] });
    const models = { picture: aModel(), clip: null, voice: voices };
    expect(orderPart(shotPart('a', 'voice'), { plan, ratio: '16:9', models })).toEqual({
      kind: 'audio',
      model: 'voices',
      prompt: 'Nobody came.',
      params: { voice: 'echo' },
      credits: 1,
    });
  });
});
