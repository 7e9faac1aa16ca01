const MAX_ID_CHARACTERS = 500;
/** What careless gateways send when a variable was empty. */
const NOT_IDS = new Set([
  'null',
  'undefined',
  'none',
  'nan',
  'nil',
  'true',
  'false',
  '[object object]',
  '.',
  '..',
  '0',
  '-1',
]);

/**
 * A job id as text, digit for digit, or undefined when the value cannot be one. A fraction or a number that lost
 * digits is no id; neither is text with spaces or control characters.
 */
export function readUpstreamId(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const id = value.trim();
  if (id === '' || id.length > MAX_ID_CHARACTERS || NOT_IDS.has(id.toLowerCase())) return undefined;
  return /^[\x21-\x7e]+$/.test(id) ? id : undefined;
}
