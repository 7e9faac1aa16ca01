import { expect, it } from 'vitest';
import { sizeOf } from '../composite/conversation-size.ts';
import { fitStoryboard, storyboardConversation } from './storyboard-conversation.ts';

const SETTINGS = {
  source: 'script',
  text: 'Mara: Wait!',
  shots: 4,
  ratio: '16:9',
  models: { storyboard: 'text', picture: 'image' },
} as const;

it('asks for the storyboard with the limits of plan and model', () => {
  const conversation = storyboardConversation(SETTINGS, [], 8);
  expect(conversation.turns).toEqual([{ role: 'user', text: '<script>\nMara: Wait!\n</script>' }]);
  expect(conversation.instructions).toContain('word for word');
  const [tool] = conversation.tools;
  expect(tool?.name).toBe('save_storyboard');
  expect(tool?.parameters).toMatchObject({
    type: 'object',
    properties: {
      shots: {
        maxItems: 40,
        items: { properties: { seconds: { type: 'integer', minimum: 1, maximum: 8 } } },
      },
    },
  });
});

it('tells what was wrong as the result of the call, and gives every call a result', () => {
  const toolCalls = [
    { id: 'a', name: 'think', argumentsText: '{}' },
    { id: 'b', name: 'save_storyboard', argumentsText: '{' },
  ];
  const tries = [{ answer: { text: '', toolCalls }, problems: ['It is cut off.'] }];
  const { turns } = storyboardConversation(SETTINGS, tries, null);
  expect(turns.slice(1)).toEqual([
    { role: 'assistant', text: '', toolCalls },
    { role: 'tool', callId: 'a', name: 'think', text: 'Only one call of save_storyboard is expected.' },
    { role: 'tool', callId: 'b', name: 'save_storyboard', text: expect.stringContaining('- It is cut off.') },
  ]);
});

it('answers a text without a call as the user', () => {
  const tries = [{ answer: { text: ' ', toolCalls: [] }, problems: ['No call.'] }];
  const { turns } = storyboardConversation(SETTINGS, tries, null);
  expect(turns.slice(1)).toEqual([
    { role: 'assistant', text: '(no answer)', toolCalls: [] },
    { role: 'user', text: expect.stringContaining('- No call.') },
  ]);
});

it('leaves out the oldest tries, then the last answer, and never the text, where the window is too small', () => {
  const tries = ['first', 'second'].map((word) => ({
    answer: {
      text: '',
      toolCalls: [{ id: word, name: 'save_storyboard', argumentsText: 'x'.repeat(1_000) }],
    },
    problems: [`The ${word} is cut off.`],
  }));
  const bare = sizeOf(storyboardConversation(SETTINGS, [], null));
  const fitted = (room: number) =>
    fitStoryboard(SETTINGS, tries, { seconds: null, characters: bare + room })?.turns;
  expect(fitted(5_000)).toHaveLength(5);
  expect(fitted(2_000)).toHaveLength(3);
  expect(JSON.stringify(fitted(2_000))).toContain('The second is cut off.');
  expect(fitted(500)).toHaveLength(3);
  expect(fitted(500)?.at(-1)).toMatchObject({ role: 'user', text: expect.stringContaining('The second') });
  expect(fitted(10)).toBeUndefined();
  expect(fitStoryboard(SETTINGS, [], { seconds: null, characters: bare })).not.toBeNull();
  expect(fitStoryboard(SETTINGS, [], { seconds: null, characters: bare - 1 })).toBeNull();
});
