import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, vi } from 'vitest';

/** For the projects `unit` and `db`: crash points work, and a test that writes to console.error fails. */
globalThis.__SIDELANE_CRASH_POINTS__ = true;

let lines: string[] = [];

beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'error').mockImplementation((...args: unknown[]) => {
    lines.push(args.map((arg) => (typeof arg === 'string' ? arg : inspect(arg))).join(' '));
  });
});

/** A test that expects such a line spies on console.error itself: its own implementation replaces this one. */
afterEach(() => {
  vi.mocked(console.error).mockRestore?.();
  expect(lines, 'unexpected console.error').toEqual([]);
});
