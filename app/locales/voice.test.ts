import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = path.join(import.meta.dirname, 'zh-CN');

/** Words that no Chinese text has, and the one that stands for the thing: the glossary of docs/contributing.md. */
const INSTEAD = readFileSync(path.resolve(import.meta.dirname, '../../docs/contributing.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 5 && /\p{Script=Han}/u.test(cells[3] ?? ''))
  .flatMap(([, , right = '', wrong = '']) => wrong.split('、').map((word) => [word, right] as const));

/** `file: text` of every text that has the word. */
function textsWith(word: string): string[] {
  return readdirSync(FOLDER).flatMap((file) =>
    readFileSync(path.join(FOLDER, file), 'utf8')
      .split('\n')
      .filter((line) => line.includes(word))
      .map((line) => `${file}: ${line.trim()}`),
  );
}

test('the glossary is read', () => {
  expect(INSTEAD).toContainEqual(['你', '您']);
  expect(INSTEAD.length).toBeGreaterThan(15);
});

test.each(INSTEAD)('no Chinese text says %s: it is %s', (word) => {
  expect(textsWith(word)).toEqual([]);
});

test('commas, colons and question marks between Chinese words are Chinese ones', () => {
  const halfWidth = /\p{Script=Han}[,;:?!]|[,;:?!]\p{Script=Han}/u;
  const texts = readdirSync(FOLDER).flatMap((file) =>
    readFileSync(path.join(FOLDER, file), 'utf8')
      .split('\n')
      .map((line) => line.replace(/^\s*"[^"]*":\s*/, '').replace(/<\/?\w+\/?>/g, ''))
      .filter((text) => halfWidth.test(text.replace(/\{\{[^}]*\}\}/g, '')))
      .map((text) => `${file}: ${text}`),
  );
  expect(texts).toEqual([]);
});
