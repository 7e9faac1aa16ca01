import { asNumber, type JsonRecord } from '../json.ts';
import { type Placeholder, piecesOf } from './template/schemas.ts';

/** Longest request that a template may grow to, files included. */
const MAX_CHARACTERS = 100_000_000;
/** A key or entry without a value: it is left out. */
const NOTHING = Symbol('nothing');

/** Values by the whole name of their placeholder (`params.size`): nothing is looked up inside a value. */
export type TemplateScope = ReadonlyMap<string, unknown>;

type Rendered = { ok: true; value: JsonRecord } | { ok: false; problem: string };

class TemplateProblem extends Error {}

/**
 * Fills in a template that {@link templateProblems} finds nothing wrong with. A text that is one placeholder becomes
 * the value itself, of its own type; a key, entry or text with a placeholder that has no value is left out, and so is
 * an object or list that loses all it had.
 */
export function renderTemplate(template: string, scope: TemplateScope): Rendered {
  try {
    const budget = { characters: 0 };
    const value = render(JSON.parse(template), scope, budget);
    return { ok: true, value: value === NOTHING ? {} : (value as JsonRecord) };
  } catch (error) {
    if (error instanceof TemplateProblem) return { ok: false, problem: error.message };
    if (error instanceof SyntaxError) return { ok: false, problem: 'The request template is no valid JSON.' };
    throw error;
  }
}

type Budget = { characters: number };

function render(value: unknown, scope: TemplateScope, budget: Budget): unknown {
  if (typeof value === 'string') return spend(renderText(value, scope), budget);
  if (Array.isArray(value)) {
    const items = value.map((item) => render(item, scope, budget)).filter((item) => item !== NOTHING);
    return value.length > 0 && items.length === 0 ? NOTHING : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const filled = entries
    .map(([key, item]): [string, unknown] => [key, render(item, scope, budget)])
    .filter(([, item]) => item !== NOTHING);
  return entries.length > 0 && filled.length === 0 ? NOTHING : Object.fromEntries(filled);
}

function spend(value: unknown, budget: Budget): unknown {
  const texts = Array.isArray(value) ? value : [value];
  for (const text of texts) budget.characters += typeof text === 'string' ? text.length : 0;
  if (budget.characters > MAX_CHARACTERS)
    throw new TemplateProblem('The request would be too large. Use fewer or smaller files.');
  return value;
}

function renderText(text: string, scope: TemplateScope): unknown {
  const pieces = piecesOf(text);
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined && typeof first !== 'string') return fill(first, scope);
  const parts: string[] = [];
  for (const piece of pieces) {
    const value = typeof piece === 'string' ? piece : fill(piece, scope);
    if (value === NOTHING) return NOTHING;
    if (typeof value === 'object' && value !== null)
      throw new TemplateProblem(`"${text.slice(0, 60)}" puts a file or a list into the middle of a text.`);
    parts.push(String(value));
  }
  return parts.join('');
}

function fill({ name, conversion }: Placeholder, scope: TemplateScope): unknown {
  const value = scope.get(name);
  if (value === undefined || value === null || value === '') return NOTHING;
  if (Array.isArray(value) && value.length === 0) return NOTHING;
  switch (conversion) {
    case undefined:
      return value;
    case 'text':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    case 'number':
      return numberOf(name, value);
    case 'seconds':
      return `${numberOf(name, typeof value === 'string' ? value.replace(/\s*s$/i, '') : value)}s`;
  }
}

function numberOf(name: string, value: unknown): number {
  const number = asNumber(value);
  if (number === undefined) throw new TemplateProblem(`"${name}" must be a number, but it is not.`);
  return number;
}

/**
 * Fills `{id}`, `{ref}` and `{model}` into a path, percent-encoded; the slashes of a model's name stay. Undefined when
 * the result would leave the path's own place (`..`) or a value cannot be in an address.
 */
export function renderPath(path: string, values: Readonly<Record<string, string>>): string | undefined {
  try {
    const filled = path.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined || value === '') throw new TemplateProblem(whole);
      return name === 'model'
        ? value.split('/').map(encodeURIComponent).join('/')
        : encodeURIComponent(value);
    });
    const segments = (filled.split('?')[0] ?? '').slice(1).split('/');
    return segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment)) || filled.startsWith('//')
      ? undefined
      : filled;
  } catch {
    return undefined;
  }
}
