/** Tolerant reading of JSON that others wrote: nothing here throws. */
export type JsonRecord = Record<string, unknown>;

export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonRecord)
    : undefined;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Non-empty text, also of a number; undefined otherwise. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The value below `path` (`data.0.url`), through own properties only. */
export function valueAt(root: unknown, path: string): unknown {
  let current = root;
  for (const step of path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as JsonRecord)[step];
  }
  return current;
}

/** The first path that holds text. */
export function firstText(root: unknown, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = asText(valueAt(root, path));
    if (text !== undefined) return text;
  }
  return undefined;
}

export function isHttpUrl(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 8_000 &&
    /^https?:\/\/\S+$/i.test(value) &&
    URL.canParse(value)
  );
}
