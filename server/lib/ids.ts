import { v7 } from 'uuid';

/** A new UUIDv7: time-ordered, so primary-key inserts stay at the right edge of their index. */
export const newId = (): string => v7();

export type NewId = typeof newId;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is an id, of any version, so that it may be compared with a column of ids. */
export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * The smallest UUIDv7 of a moment. Ids are time-ordered, so `id >= firstIdAt(from)` reads what was made since by the
 * primary key, and nothing older.
 */
export function firstIdAt(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
