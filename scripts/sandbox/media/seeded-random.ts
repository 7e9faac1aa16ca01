import { createHash } from 'node:crypto';

/** Numbers that look random and are the same for the same text, on every machine. */
export type SeededRandom = {
  /** 0 ≤ x < 1. */
  next(): number;
  between(low: number, high: number): number;
  /** Whole number, both ends included. */
  integer(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
};

/** SHA-256 in hexadecimal digits. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A generator (mulberry32) seeded by the hash of `text`. */
export function createSeededRandom(text: string): SeededRandom {
  let state = Number.parseInt(hashText(text).slice(0, 8), 16) | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    integer: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (list) => {
      const item = list[Math.floor(next() * list.length)];
      if (item === undefined) throw new Error('Cannot pick from an empty list.');
      return item;
    },
  };
}
