const KEY_NAMES =
  /(authorization|api[-_]?key|secret|token|password|passwd|signature|cookie|credential|x-goog-api-key)/i;

const PATTERNS: readonly RegExp[] = [
  /\bBearer\s+[\w.~+/=-]{8,}/gi,
  /\b(?:sk|r8|pk|rk|key|whsec|sdl)[-_][\w-]{8,}/gi,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}/g,
  /([?&](?:key|token|signature|sig|x-amz-[\w-]+|expires|credential)=)[^&\s"']+/gi,
];

/** Replaces anything in free text that looks like a credential by `[redacted]`. Use on every upstream text. */
export function redactText(text: string): string {
  let out = text;
  for (const pattern of PATTERNS) {
    out = out.replace(pattern, (_match, prefix) =>
      typeof prefix === 'string' && prefix.startsWith('?') === false && !prefix.startsWith('&')
        ? '[redacted]'
        : `${typeof prefix === 'string' ? prefix : ''}[redacted]`,
    );
  }
  return out;
}

/**
 * A deep copy fit for logs, events and the database: secret-looking keys are blanked, strings are run through
 * {@link redactText}, long strings (base64 bodies) are cut to `maxString` characters.
 */
export function redactValue(value: unknown, maxString = 4_000, depth = 0): unknown {
  if (typeof value === 'string') {
    const cut =
      value.length > maxString ? `${value.slice(0, maxString)}…[${value.length} characters]` : value;
    // A cut may split a character in two, and jsonb refuses halves as it refuses NUL.
    return redactText(cut).replaceAll(/\0|\p{Surrogate}/gu, '\ufffd');
  }
  if (value === null || typeof value !== 'object')
    return typeof value === 'bigint' ? value.toString() : value;
  if (depth > 12) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, 200).map((item) => redactValue(item, maxString, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      KEY_NAMES.test(key) && typeof item === 'string'
        ? '[redacted]'
        : redactValue(item, maxString, depth + 1),
    ]),
  );
}
