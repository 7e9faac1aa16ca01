import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from './languages.ts';

const FOLDER = path.resolve(import.meta.dirname);
const areas = readdirSync(path.join(FOLDER, 'en')).sort();

/** `a.b` for each text, plural endings taken off: languages have different plural forms of one key. */
function keysOf(language: string, file: string): Map<string, string> {
  const out = new Map<string, string>();
  const walk = (node: object, path: string[]) => {
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === 'object' && value !== null) walk(value, [...path, key]);
      else out.set([...path, key].join('.'), String(value));
    }
  };
  walk(JSON.parse(readFileSync(path.join(FOLDER, language, file), 'utf8')), []);
  return out;
}

const PLURAL = /_(zero|one|two|few|many|other)$/;
const stems = (keys: Iterable<string>) =>
  [...new Set([...keys].map((key) => key.replace(PLURAL, '')))].sort();
/** Names of the values that a text takes: `{{count, number}}` takes `count`. */
const values = (text: string) => [...text.matchAll(/\{\{\s*([A-Za-z]\w*)/g)].map(([, name]) => name).sort();
const tags = (text: string) => [...text.matchAll(/<\/?(\w+)\s*\/?>/g)].map(([tag]) => tag).sort();

test('each language has the files of the first one', () => {
  for (const language of LANGUAGES) {
    expect(readdirSync(path.join(FOLDER, language)).sort(), language).toEqual(areas);
  }
});

describe.each(areas)('%s', (file) => {
  const english = keysOf('en', file);

  test.each(LANGUAGES.slice(1))('%s has the same keys, each with a text', (language) => {
    const other = keysOf(language, file);
    expect(stems(other.keys())).toEqual(stems(english.keys()));
    for (const [key, text] of other) expect(text.trim(), key).not.toBe('');
  });

  test.each(LANGUAGES.slice(1))('texts of %s take the same values and tags', (language) => {
    const texts = new Map([...keysOf(language, file)].map(([key, text]) => [key.replace(PLURAL, ''), text]));
    for (const [key, text] of english) {
      const stem = key.replace(PLURAL, '');
      // "one credit" may go without its number.
      if (key.endsWith('_one') || key.endsWith('_zero')) continue;
      const other = texts.get(stem) ?? '';
      expect(values(other), `${stem}: ${other}`).toEqual(values(text));
      expect(tags(other), `${stem}: ${other}`).toEqual(tags(text));
    }
  });

  test.each(LANGUAGES)('plurals of %s have every form that its rules need', (language) => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    const keys = keysOf(language, file);
    for (const stem of stems([...keys.keys()].filter((key) => PLURAL.test(key)))) {
      for (const form of forms) expect([...keys.keys()], stem).toContain(`${stem}_${form}`);
    }
  });
});
