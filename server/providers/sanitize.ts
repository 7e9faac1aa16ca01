import { redactText, redactValue } from '#server/lib/redact.ts';

/** Largest raw result or evidence that goes into the database. */
const MAX_RAW_BYTES = 256_000;
/** Longest upstream sentence that is kept. */
const MAX_MESSAGE_CHARACTERS = 500;
/** Shorter runs of letters and digits may be ids that help to understand an answer. */
const ENCODED_MEDIA = /[A-Za-z0-9+/_\r\n-]{512,}={0,2}/g;
const MAX_EXAMINED_CHARACTERS = 20_000;

/**
 * Cleans what an upstream said before it leaves the runtime: the channel's own key wherever it is echoed (also
 * percent-encoded or in base64), everything that looks like a credential, and characters that PostgreSQL refuses.
 */
export type Sanitizer = {
  /** One short sentence. */
  message(text: string): string;
  /** A deep copy of at most 256 kB as JSON. */
  raw(value: unknown): unknown;
  /** A text result: the key and unstorable characters are replaced, the rest is the user's. */
  text(text: string): string;
};

export function createSanitizer(apiKey: string): Sanitizer {
  const forms = secretsOf(apiKey).flatMap(secretForms);
  const hide = (text: string) => {
    let out = text;
    for (const form of forms) out = out.replaceAll(form, '[redacted]');
    return out;
  };
  return {
    message(text) {
      const flat = storable(redactText(hide(text)))
        .replaceAll(/\s+/g, ' ')
        .trim();
      return flat.length > MAX_MESSAGE_CHARACTERS ? `${flat.slice(0, MAX_MESSAGE_CHARACTERS - 1)}…` : flat;
    },
    raw(value) {
      const hidden = hideDeep(value, hide, 0);
      for (const maxString of [4_000, 500, 80]) {
        const copy = redactValue(hidden, maxString);
        const size = byteLength(copy);
        if (size <= MAX_RAW_BYTES) return copy;
      }
      return { truncated: true };
    },
    text: (text) => storable(hide(text)),
  };
}

/** Replaces NUL and lone surrogates, which neither `text` nor `jsonb` columns can hold. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** A key of two halves ("id:secret") is echoed as a whole or by half; short halves are words of any answer. */
function secretsOf(apiKey: string): string[] {
  const halves = apiKey.includes(':') ? apiKey.split(':').filter((half) => half.length >= 8) : [];
  return apiKey.length >= 4 ? [apiKey, ...halves] : [];
}

function secretForms(secret: string): string[] {
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
  ];
  return [...new Set(forms)].filter((form) => form.length >= 4);
}

/** Bytes inside an answer never go into the database, not even the start of them in half a JSON text. */
function withoutEncodedMedia(text: string): string {
  const examined = text.slice(0, MAX_EXAMINED_CHARACTERS);
  const shown = examined.replaceAll(ENCODED_MEDIA, (run) => `[base64, ${run.length} characters]`);
  return examined.length < text.length ? `${shown}…[${text.length} characters]` : shown;
}

/** Hides secrets before strings are cut, so that no cut leaves half a key behind. */
function hideDeep(value: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return storable(withoutEncodedMedia(hide(value)));
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? undefined : value;
  if (depth > 14) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, 200).map((item) => hideDeep(item, hide, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 500)
      .map(([key, item]) => [storable(hide(key)).slice(0, 200), hideDeep(item, hide, depth + 1)]),
  );
}

function byteLength(value: unknown): number {
  const json = JSON.stringify(value);
  return json === undefined ? 0 : Buffer.byteLength(json);
}
