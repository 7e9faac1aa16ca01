import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { englishErrors } from '#app/locales/errors.ts';
import { errorWords } from './error-words.ts';

it('finds a sentence by its English words, with the values in it, and leaves what it does not know', () => {
  expect(errorWords('The password is wrong.', 'zh-CN')).toBe('密码不正确。');
  expect(errorWords('A password has at least 10 characters.', 'zh-CN')).toBe('密码至少需要 10 个字符。');
  expect(errorWords('The password is wrong.', 'en')).toBe('The password is wrong.');
  expect(errorWords('The upstream (say) refuses $1.', 'zh-CN')).toBe('The upstream (say) refuses $1.');
});

/** Source text with the values of templates left open, as the texts have them. */
function sources(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\./.test(entry.name))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

it('has only sentences that somebody says', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const said = `${sources(path.join(root, 'server'))}\n${sources(path.join(root, 'app'))}`;
  for (const [key, text] of Object.entries(englishErrors)) {
    // Sentences of limits are put together from two.
    const parts = text.split(/\{\{\w+\}\}|\. (?=Try again in)/).filter((part) => part.trim().length > 12);
    for (const part of parts) expect(said, `${key}: ${part}`).toContain(part.trim());
  }
});
