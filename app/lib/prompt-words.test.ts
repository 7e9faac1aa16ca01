import { expect, it } from 'vitest';
import { promptWords } from './prompt-words.ts';

it('names a task by its prompt, shortened where asked, and by a word of its own once it is erased', () => {
  expect(promptWords('a lamp')).toBe('a lamp');
  expect(promptWords('a lamp', 3)).toBe('a l…');
  expect(promptWords('')).toBe('Erased with its account');
});
