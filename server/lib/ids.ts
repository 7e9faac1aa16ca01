import { v7 } from 'uuid';

/** A new UUIDv7: time-ordered, so primary-key inserts stay at the right edge of their index. */
export const newId = (): string => v7();

export type NewId = typeof newId;
