const NOT_STORABLE = /[\0\p{Surrogate}]/u;

/**
 * Whether every text in a value can be stored: neither NUL, which text columns refuse, nor half of a character, which
 * JSON columns refuse. Looks into lists and plain objects, keys included.
 */
export function isStorableValue(value: unknown): boolean {
  if (typeof value === 'string') return !NOT_STORABLE.test(value);
  if (Array.isArray(value)) return value.every(isStorableValue);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, each]) => isStorableValue(key) && isStorableValue(each));
}
