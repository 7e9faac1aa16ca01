import { describe, expect, it } from 'vitest';
import { resolveInput, submitInput } from './schemas.ts';
import { validateParams } from './validate-params.ts';

const order = { kind: 'image', model: 'm', prompt: 'a pier', requestKey: 'key-12345678' };
const NOT_TEXT = ['a\u0000b', 'half \ud83d', '\udea2 half'];

describe('what no column can hold is refused with a sentence', () => {
  it.each(NOT_TEXT)('in a prompt: %j', (prompt) => {
    const result = submitInput.safeParse({ ...order, prompt });
    expect(result.error?.issues.map((issue) => issue.message)).toEqual([
      'This has characters that are not text. Type it anew.',
    ]);
  });

  it.each(NOT_TEXT)('in an administrator’s reason: %j', (reason) => {
    const taskId = '01a227d9-a715-72cb-97b8-0112c9fabd44';
    expect(resolveInput.safeParse({ taskId, verdict: 'failed', reason }).success).toBe(false);
  });

  it.each(NOT_TEXT)('in a parameter: %j', (style) => {
    const schema = { style: { type: 'text', label: 'Style', maxLength: 20, default: '' } } as const;
    expect(() => validateParams(schema, { style })).toThrow('Style');
  });

  it('and everything else that people write is not', () => {
    for (const prompt of ['a 🚢 with 👩‍🚀', 'zwei\nZeilen\tund Tabs', '船', `'"\\{}<>%`]) {
      expect(submitInput.parse({ ...order, prompt }).prompt).toBe(prompt);
    }
  });
});
