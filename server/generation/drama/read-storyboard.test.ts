import { describe, expect, it } from 'vitest';
import { readStoryboard } from './read-storyboard.ts';
import { aPlan, aShot } from './testing/plan-fixtures.ts';

const IDEA = { source: 'idea', text: 'a lamp' } as const;
const call = (value: unknown, name = 'save_storyboard') => ({
  text: '',
  toolCalls: [{ id: '1', name, argumentsText: typeof value === 'string' ? value : JSON.stringify(value) }],
});

describe('readStoryboard', () => {
  it('reads the call of the tool', () => {
    expect(readStoryboard(call(aPlan()), IDEA, null)).toEqual({ type: 'plan', plan: aPlan() });
  });

  it('reads JSON in the text, with words around it', () => {
    const text = `Here it is:\n\`\`\`json\n${JSON.stringify(aPlan())}\n\`\`\``;
    expect(readStoryboard({ text, toolCalls: [] }, IDEA, null)).toEqual({ type: 'plan', plan: aPlan() });
  });

  it.each([
    ['no call', { text: 'I cannot do that.', toolCalls: [] }, 'There was no call of save_storyboard.'],
    ['a call of another tool', call(aPlan(), 'save_everything'), 'There was no call of save_storyboard.'],
    ['JSON that is cut off', call('{"title": "The la'), 'not valid JSON'],
    ['no object', call('[1, 2]'), 'expected object'],
    [
      'a scene that is not there',
      call(aPlan({ shots: [aShot('a', { sceneId: 'moon' })] })),
      'no scene "moon"',
    ],
    ['no shots', call(aPlan({ shots: [] })), 'at least one shot'],
  ])('tells what is wrong with %s', (_what, answer, words) => {
    const read = readStoryboard(answer, IDEA, null);
    expect(read.type).toBe('unusable');
    expect(read.type === 'unusable' && read.problems.join('\n')).toContain(words);
  });

  it('refuses a shot that no clip of the model is long enough for', () => {
    const read = readStoryboard(call(aPlan({ shots: [aShot('a', { seconds: 9 })] })), IDEA, 8);
    expect(read).toEqual({
      type: 'unusable',
      problems: ['shots.0.seconds: 9 is too long; 8 seconds are the most.'],
    });
  });

  it('brings ids, lengths and left-out fields into one form', () => {
    const plan = {
      title: 'Ships',
      characters: [
        { id: 'Old Mara!', name: 'Mara' },
        { id: '小明', name: 'Ming' },
      ],
      scenes: [{ id: 1, title: 'Harbour' }],
      shots: [
        {
          id: 'Shot One',
          sceneId: '1',
          characterIds: ['old mara', 'Old Mara!'],
          seconds: 2.2,
          picturePrompt: 'a lamp',
          speakerId: '小明',
        },
        { sceneId: 1, seconds: 1, picturePrompt: 'a boat', speakerId: null },
      ],
    };
    const read = readStoryboard(call(plan), IDEA, null);
    expect(read).toMatchObject({
      type: 'plan',
      plan: {
        style: '',
        characters: [{ id: 'old-mara', look: '', voice: '' }, { id: expect.stringMatching(/^x[a-z0-9]+$/) }],
        scenes: [{ id: '1', place: '' }],
        shots: [
          { id: 'shot-1', sceneId: '1', characterIds: ['old-mara'], seconds: 3, narration: '' },
          { id: 'shot-2', sceneId: '1', characterIds: [], speakerId: '' },
        ],
      },
    });
    if (read.type !== 'plan') throw new Error('no plan');
    expect(read.plan.shots[0]?.speakerId).toBe(read.plan.characters[1]?.id);
  });

  it("keeps a plan whose dialogue is not the author's apart", () => {
    const script = { source: 'script', text: 'Mara: Wait for me!' } as const;
    expect(readStoryboard(call(aPlan()), script, null)).toEqual({
      type: 'dialogue',
      plan: aPlan(),
      problems: ['This line of the script is missing or was changed: "Wait for me!"'],
    });
    const kept = aPlan({ shots: [aShot('shot-1', { narration: 'Wait for me!', speakerId: 'mara' })] });
    expect(readStoryboard(call(kept), script, null)).toEqual({ type: 'plan', plan: kept });
  });
});
