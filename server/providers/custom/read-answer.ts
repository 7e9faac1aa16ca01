import { readJobProgress, readResultUrls } from '../job-reading.ts';
import { asText, isHttpUrl, type JsonRecord } from '../json.ts';
import { normaliseProgress } from '../progress.ts';
import { parseRetryAfter } from '../retry-after.ts';
import { readStatusWord, type StatusReading } from '../status-words.ts';
import { readUpstreamId } from '../upstream-id.ts';
import type { CustomSettings } from './schemas.ts';

/** An upstream that sends more is not believed. */
const MAX_RESULTS = 32;

/**
 * The values at a path, in order; `*` stands for every entry of a list. A place that an entry lacks is undefined, so
 * that two paths through the same list stay in step.
 */
function valuesAt(root: unknown, path: string): unknown[] {
  let current: unknown[] = [root];
  for (const step of path.split('.')) {
    current = current.flatMap((value) => {
      if (typeof value !== 'object' || value === null) return [undefined];
      if (step === '*') return Array.isArray(value) ? value.slice(0, MAX_RESULTS) : [undefined];
      return [Object.hasOwn(value, step) ? (value as JsonRecord)[step] : undefined];
    });
    current = current.slice(0, MAX_RESULTS);
  }
  return current;
}

/** The first place, in the order of the description, that `read` can make something of. */
function firstAt<T>(
  root: unknown,
  paths: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const path of paths) {
    for (const value of valuesAt(root, path)) {
      const found = read(value);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

export function readId(body: unknown, paths: readonly string[]): string | undefined {
  return firstAt(body, paths, readUpstreamId);
}

/** The first text at one of these places. */
function readText(body: unknown, paths: readonly string[]): string | undefined {
  return firstAt(body, paths, asText);
}

/** The job's status word; `present` false when the answer has none. */
export function readStatus(settings: CustomSettings, body: unknown): StatusReading & { present: boolean } {
  const word = firstAt(body, settings.fields.status, (value) => {
    if (typeof value === 'boolean') return String(value);
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  });
  const own = new Map(settings.words.map(({ word: spelt, meaning }) => [spelt, meaning]));
  return { ...readStatusWord(word, own), present: word !== undefined };
}

export function readProgress(settings: CustomSettings, body: JsonRecord): number | undefined {
  const { progress } = settings.fields;
  return progress.length === 0 ? readJobProgress(body) : firstAt(body, progress, normaliseProgress);
}

/** What the described error fields say; undefined when neither is there. */
export function readError(
  settings: CustomSettings,
  body: unknown,
): { code: string; message: string } | undefined {
  const code = readText(body, settings.fields.errorCode);
  const message = readText(body, settings.fields.errorMessage);
  return code === undefined && message === undefined
    ? undefined
    : { code: code ?? '', message: message ?? '' };
}

/** The wait that the body asks for, in milliseconds: seconds as a number, `"37"` or `"37s"`. */
export function readRetryAfter(settings: CustomSettings, body: unknown, now: Date): number | undefined {
  return firstAt(body, settings.fields.retryAfter, (value) =>
    parseRetryAfter(asText(value)?.replace(/\s*s(ec(onds?)?)?$/i, ''), now),
  );
}

/** Whether a described condition holds; values are compared as text. */
export function holds(condition: { path: string; values: readonly string[] }, body: unknown): boolean {
  return valuesAt(body, condition.path).some(
    (value) =>
      typeof value !== 'object' && value !== undefined && condition.values.includes(String(value).trim()),
  );
}

/**
 * The job that a look-up found, only when the answer repeats our reference (or has no place for it, and its address
 * names one job).
 */
export function readLookedUp(settings: CustomSettings, body: unknown, ref: string): string | undefined {
  const { lookup, fields } = settings;
  if (!lookup) return undefined;
  const places = lookup.id.length > 0 ? lookup.id : fields.id;
  if (lookup.echo.length === 0) return readId(body, places);
  for (const echo of lookup.echo) {
    const at = valuesAt(body, echo).indexOf(ref);
    if (at < 0) continue;
    for (const place of places) {
      // The same step through the same list: both paths have the same wildcards, or none.
      const inStep = wildcards(place) === wildcards(echo);
      const id = inStep ? readUpstreamId(valuesAt(body, place)[at]) : undefined;
      if (id !== undefined) return id;
    }
  }
  return undefined;
}

const wildcards = (path: string): string => path.split('*').slice(0, -1).join('*');

/** What the result fields hold: addresses (`data:` ones too), base64 or texts, as the description says. */
export function readResults(settings: CustomSettings, body: JsonRecord, baseUrl: string): string[] {
  const { encoding, result } = settings.fields;
  if (encoding === 'url' && result.length === 0) return readResultUrls(body);
  for (const path of result) {
    const values = valuesAt(body, path).flatMap((value) => (Array.isArray(value) ? value : [value]));
    const found =
      encoding === 'url'
        ? values.flatMap((value) => addressesIn(value, baseUrl))
        : values.filter(isFilledText);
    if (found.length > 0) return [...found].slice(0, MAX_RESULTS);
  }
  return [];
}

const isFilledText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** A complete address, a path on the base URL's own host, or what the shared finder sees in an object. */
function addressesIn(value: unknown, baseUrl: string): string[] {
  if (typeof value === 'string') {
    const text = value.trim();
    const isComplete: boolean = isHttpUrl(text) || /^data:[^,]{1,200};base64,/i.test(text);
    if (isComplete) return [text];
    if (!/^\/[^/\\\s]/.test(text) || text.length > 8_000) return [];
    const { origin } = new URL(baseUrl);
    return [`${origin}${text}`].filter(isHttpUrl);
  }
  return typeof value === 'object' && value !== null ? readResultUrls({ output: value }) : [];
}
