import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeOf } from '../composite/conversation-size.ts';
import { buildConversation, type ConversationParts, LEAST_ROOM, type Round } from './build-conversation.ts';

const call = (id: string, argumentsText = '{}') => ({ id, name: 'generate_image', argumentsText });
const round = (id: string, told: string, text = ''): Round => ({
  text,
  calls: [{ call: call(id), told }],
  remark: null,
});
const parts = (more: Partial<ConversationParts>): ConversationParts => ({
  instructions: 'Reach the goal.',
  goal: 'Two postcards',
  tools: [],
  rounds: [],
  made: [],
  windowCharacters: 4_000,
  ...more,
});

const textRound = fc.record<Round>({
  text: fc.string({ maxLength: 3_000, unit: 'binary' }),
  calls: fc.constant<Round['calls']>([]),
  remark: fc.option(fc.string({ maxLength: 300 })),
});
const callRound = fc.record<Round>({
  text: fc.string({ maxLength: 600, unit: 'binary' }),
  calls: fc.array(
    fc.record({
      call: fc.record({
        id: fc.uuid(),
        name: fc.constantFrom('generate_image', 'read_output'),
        argumentsText: fc.string({ maxLength: 3_000 }),
      }),
      told: fc.oneof(
        fc.string({ maxLength: 6_000, unit: 'binary' }),
        fc.constantFrom('"'.repeat(6_000), '界'.repeat(2_000)),
      ),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  remark: fc.constant(null),
});
const anyParts = fc
  .record({
    instructions: fc.string({ maxLength: 500 }),
    goal: fc.string({ minLength: 1, maxLength: 1_500 }),
    rounds: fc.array(fc.oneof(textRound, callRound), { maxLength: 12 }),
    made: fc.array(fc.string({ maxLength: 90 }), { maxLength: 10 }),
    spare: fc.integer({ min: 0, max: 12_000 }),
  })
  .map(({ spare, ...rest }) => {
    const fixed = sizeOf({ instructions: rest.instructions, turns: [{ role: 'user', text: rest.goal }] });
    return parts({ ...rest, windowCharacters: fixed + LEAST_ROOM + spare });
  });

describe('whatever was said and told', () => {
  it('never passes the window', () => {
    fc.assert(
      fc.property(anyParts, (given) => {
        expect(sizeOf(buildConversation(given))).toBeLessThanOrEqual(given.windowCharacters);
      }),
    );
  });

  it('never parts a call from its result, and keeps their order', () => {
    fc.assert(
      fc.property(anyParts, (given) => {
        const { turns } = buildConversation(given);
        for (const [at, turn] of turns.entries()) {
          if (turn.role !== 'assistant') continue;
          const results = turns.slice(at + 1, at + 1 + turn.toolCalls.length);
          expect(results.map((one) => one.role === 'tool' && one.callId)).toEqual(
            turn.toolCalls.map(({ id }) => id),
          );
        }
        const results = turns.filter(({ role }) => role === 'tool').length;
        const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.toolCalls : [])).length;
        expect(results).toBe(calls);
      }),
    );
  });

  it('keeps instructions and goal, and the newest rounds', () => {
    fc.assert(
      fc.property(anyParts, (given) => {
        const { instructions, turns } = buildConversation(given);
        expect(instructions).toBe(given.instructions);
        expect(turns[0]?.role).toBe('user');
        expect(turns[0]?.text.startsWith(given.goal)).toBe(true);
        const ids = turns.flatMap((turn) =>
          turn.role === 'assistant' ? [turn.toolCalls.map(({ id }) => id)] : [],
        );
        const all = given.rounds.map(({ calls }) => calls.map((one) => one.call.id));
        expect(ids).toEqual(ids.length === 0 ? [] : all.slice(-ids.length));
      }),
    );
  });

  it('says the same for the same', () => {
    fc.assert(
      fc.property(anyParts, (given) => {
        expect(buildConversation(given)).toEqual(buildConversation(structuredClone(given)));
      }),
      { numRuns: 20 },
    );
  });

  it('has no half of a character that was whole', () => {
    const told = '🌊'.repeat(3_000);
    for (let windowCharacters = 2_000; windowCharacters < 2_010; windowCharacters += 1) {
      const conversation = buildConversation(parts({ rounds: [round('a', told)], windowCharacters }));
      expect(JSON.stringify(conversation)).not.toMatch(/\\u[dD][89a-fA-F]/);
    }
  });
});

it('says everything where there is room', () => {
  const rounds = [
    round('a', 'Made: image 1', 'I begin.'),
    { text: 'Hm.', calls: [], remark: 'Call a tool.' },
  ];
  expect(buildConversation(parts({ rounds })).turns).toEqual([
    { role: 'user', text: 'Two postcards' },
    { role: 'assistant', text: 'I begin.', toolCalls: [call('a')] },
    { role: 'tool', callId: 'a', name: 'generate_image', text: 'Made: image 1' },
    { role: 'assistant', text: 'Hm.', toolCalls: [] },
    { role: 'user', text: 'Call a tool.' },
  ]);
});

it('shortens old results before it leaves out a round', () => {
  const rounds = [round('a', 'x'.repeat(3_000)), round('b', 'y'.repeat(2_000))];
  const { turns } = buildConversation(parts({ rounds }));
  expect(turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text.length] : []))).toEqual([200, 2_000]);
});

it('leaves out the oldest rounds and says so, with what was made', () => {
  const rounds = Array.from({ length: 20 }, (_, at) => round(`r${at}`, `${at}`.repeat(300)));
  const { turns } = buildConversation(
    parts({ rounds, made: ['image 1', 'image 2'], windowCharacters: 2_500 }),
  );
  const kept = turns.filter(({ role }) => role === 'assistant').length;
  expect(kept).toBeGreaterThan(2);
  expect(turns[0]?.text).toBe(
    `Two postcards\n\n[${20 - kept} earlier rounds are left out here for want of room. Made so far:\nimage 1\nimage 2]`,
  );
});
