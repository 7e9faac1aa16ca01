/**
 * The language of a request template: JSON whose texts may hold placeholders such as `{{prompt}}` or
 * `{{params.seconds|number}}`. It has no expressions, so nothing in it can be run. Isomorphic: imports nothing.
 */

/** `number`: text to a number; `text`: anything to text; `seconds`: `5` to `"5s"`. */
const CONVERSIONS = ['number', 'text', 'seconds'] as const;
type Conversion = (typeof CONVERSIONS)[number];

export type Placeholder = { name: string; conversion: Conversion | undefined };

/** Where a template is used: a poll knows only the job's id. */
export type TemplateUse = 'create' | 'poll';

const MAX_CHARACTERS = 20_000;
const MAX_DEPTH = 12;
const MAX_VALUES = 500;

const PLACEHOLDER = /\{\{\s*([A-Za-z]\w*(?:\.[\w-]{1,60})?)\s*(?:\|\s*([A-Za-z]+)\s*)?\}\}/g;
const CREATE_NAME =
  /^(prompt|model|kind|ref|webhookUrl|firstFrame|lastFrame|references(\.(\d|1[0-5]))?|params\.(?!__proto__$)[\w-]{1,60})$/;
const KNOWN = {
  create:
    '{{prompt}}, {{model}}, {{kind}}, {{ref}}, {{params.size}}, {{references}}, {{references.0}}, {{firstFrame}}, {{lastFrame}} and {{webhookUrl}}',
  poll: '{{id}}',
} satisfies Record<TemplateUse, string>;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The pieces of a text: literal texts and placeholders, in order. */
export function piecesOf(text: string): (string | Placeholder)[] {
  const pieces: (string | Placeholder)[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push({ name: match[1] ?? '', conversion: match[2] as Conversion | undefined });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}

/** Every placeholder of a template, also one that is written with JSON escapes; none when it is no JSON. */
export function placeholdersIn(template: string): Placeholder[] {
  try {
    return piecesOf(JSON.stringify(JSON.parse(template))).filter((piece) => typeof piece !== 'string');
  } catch {
    return [];
  }
}

/** What has to be corrected in a template, in sentences; empty when it can be used. */
export function templateProblems(template: string, use: TemplateUse): string[] {
  if (template.length > MAX_CHARACTERS) return [`A template has at most ${MAX_CHARACTERS} characters.`];
  let root: unknown;
  try {
    root = JSON.parse(template);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    return [
      `This is no valid JSON (${reason}). Put names, texts and placeholders into double quotes, and no comma after the last entry.`,
    ];
  }
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    return ['Write a JSON object: start with { and end with }.'];
  }
  const problems = new Set<string>();
  checkValue(root, { use, problems, depth: 1, count: { values: 0 } });
  return [...problems].slice(0, 5);
}

type Walk = { use: TemplateUse; problems: Set<string>; depth: number; count: { values: number } };

function checkValue(value: unknown, walk: Walk): void {
  walk.count.values += 1;
  if (walk.count.values > MAX_VALUES) {
    walk.problems.add(`A template has at most ${MAX_VALUES} values.`);
    return;
  }
  if (walk.depth > MAX_DEPTH) {
    walk.problems.add(`A template is at most ${MAX_DEPTH} levels deep.`);
    return;
  }
  if (typeof value === 'string') checkText(value, walk);
  if (typeof value !== 'object' || value === null) return;
  const inner = { ...walk, depth: walk.depth + 1 };
  if (Array.isArray(value)) {
    for (const item of value) checkValue(item, inner);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) walk.problems.add(`"${key}" cannot be the name of an entry.`);
    if (key.includes('{{')) walk.problems.add(`Placeholders go into values, not into names: "${key}".`);
    checkValue(item, inner);
  }
}

function checkText(text: string, { use, problems }: Walk): void {
  for (const piece of piecesOf(text)) {
    if (typeof piece === 'string') {
      if (piece.includes('{{') || piece.includes('}}')) {
        problems.add(
          `"${text.slice(0, 60)}" has a placeholder that cannot be read. Known are ${KNOWN[use]}.`,
        );
      }
      continue;
    }
    const isKnown = use === 'create' ? CREATE_NAME.test(piece.name) : piece.name === 'id';
    if (!isKnown) problems.add(`{{${piece.name}}} is not known here. Known are ${KNOWN[use]}.`);
    if (piece.conversion !== undefined && !CONVERSIONS.includes(piece.conversion)) {
      problems.add(
        `"|${piece.conversion}" is not known. Use ${CONVERSIONS.map((name) => `|${name}`).join(', ')}.`,
      );
    }
  }
}
