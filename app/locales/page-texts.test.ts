import ts from 'typescript';
import { expect, it } from 'vitest';
import { serverWords } from '#app/components/composite/server-words.ts';
import {
  choicesOf,
  isText,
  parseSource,
  placeOf,
  readSources,
  type Source,
  textOf,
  walk,
} from '#app/testing/source-files.ts';

/** Attributes and properties that people read or hear. */
const READ =
  /^(?:alt|caption|children|description|edge|empty|error|heading|help|hint|label|lead|legend|message|placeholder|summary|text|title|tooltip|aria-(?:description|label|roledescription|valuetext))$|(?:Description|Error|Help|Hint|Label|Lead|Message|Placeholder|Text|Title|Words)$/;

/** What looks like a text and needs no translation, each with its reason. */
const NO_WORDS: readonly [RegExp, string][] = [
  [/^(?:· )?Sidelane$/, 'the name of the product'],
  [/^https?:\/\/\S+$|^\/[\w{}/-]+$/, 'an address, or the path of one'],
  [/^npm run [\w-]+$|^TypeScript \/ JavaScript$/, 'what programs are called'],
  [/^\{"\w+":.*\}$/, 'JSON'],
  [/^A$/, 'what stands behind the number of a picture on the edge of a film; hidden from readers of screens'],
  [
    /^(?:X-Api-Key|Key|X-Version: 2|painting = running|code|0, ok|data\.\w+|items\.\*\.ref)$/,
    'examples of what a vendor calls its fields, in the description of a protocol',
  ],
];

/** Elements whose children are to be typed or run, not read. */
const CODE = /^(?:code|Code|kbd|Kbd|Mark)$/;

const LETTER = /\p{L}/u;

/** Texts of a file that people read and that are in no locale file. */
function textsIn(source: Source): string[] {
  const found: string[] = [];
  const add = (node: ts.Node, text: string) => {
    const words = text.replace(/\s+/g, ' ').trim();
    if (LETTER.test(words) && !NO_WORDS.some(([pattern]) => pattern.test(words)))
      found.push(`${placeOf(source, node)}: ${words}`);
  };
  walk(source.file, (node) => {
    if (isCode(node.parent)) return;
    if (ts.isJsxText(node)) add(node, node.text);
    for (const said of readParts(node)) if (isText(said)) add(said, textOf(said, ' '));
  });
  return found;
}

/** The expressions of a node that end up before people's eyes. */
function readParts(node: ts.Node): ts.Expression[] {
  if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && node.expression)
    return choicesOf(node.expression);
  if (ts.isJsxAttribute(node) && READ.test(node.name.getText())) {
    const value = node.initializer;
    if (!value) return [];
    if (ts.isJsxExpression(value)) return value.expression ? choicesOf(value.expression) : [];
    return ts.isStringLiteral(value) ? [value] : [];
  }
  if (ts.isPropertyAssignment(node) && READ.test(nameOf(node.name)))
    return choicesOf(node.initializer).filter(
      (value) => !/error$/i.test(nameOf(node.name)) || !isRefusal(value),
    );
  return [];
}

/** `{ error: 'lost' }` names a text; a sentence there is a refusal, which is translated where it is shown. */
const isRefusal = (value: ts.Expression): boolean =>
  ts.isStringLiteral(value) &&
  (/^[a-z][A-Za-z]*$/.test(value.text) || serverWords(value.text, 'zh-CN') !== value.text);

const isCode = (node: ts.Node | undefined): boolean =>
  node !== undefined && ts.isJsxElement(node) && CODE.test(node.openingElement.tagName.getText());

const nameOf = (name: ts.PropertyName): string => (ts.isComputedPropertyName(name) ? '' : name.text);

it('finds what would be read in one language only', () => {
  const page = `
    export const meta = () => [{ title: 'A page · Sidelane' }, { title: t('title') }];
    const options = [{ value: 'one', label: 'The first' }];
    export default function Page() {
      return <p aria-label="Said aloud" className="no words" title={open ? 'Is open' : t('shut')}>
        Plain <b>{many ? 'bold' : t('one')}</b> {\`\${count} more\`} {t('key')} {count} <code>npm test</code> · Sidelane
      </p>;
    }`;
  const texts = textsIn({ name: 'page.tsx', file: parseSource('page.tsx', page) });
  expect(texts.map((text) => text.replace(/^.*?: /, ''))).toEqual([
    'A page · Sidelane',
    'The first',
    'Said aloud',
    'Is open',
    'Plain',
    'bold',
    'more',
  ]);
});

it('finds none in any page or component', () => {
  const sources = readSources('app').filter(({ name }) => name.endsWith('.tsx'));
  expect(sources.length).toBeGreaterThan(200);
  expect(sources.flatMap(textsIn)).toEqual([]);
});
