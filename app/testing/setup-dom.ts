import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { errorWords } from '#app/lib/error-words.ts';
import { learnErrorWords } from '#app/lib/use-error-words.ts';

// A ceiling for hung tests: the library's second is too short where the machine is busy.
configure({ asyncUtilTimeout: 30_000 });

// As a browser has them once they have come.
learnErrorWords(errorWords);

/** jsdom lacks these; Mantine and components ask for them. */
window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
    dispatchEvent: () => false,
  }) as MediaQueryList;

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
window.ResizeObserver ??= NoObserver as unknown as typeof ResizeObserver;
window.IntersectionObserver ??= NoObserver as unknown as typeof IntersectionObserver;
window.HTMLElement.prototype.scrollIntoView ??= () => {};

let complaints: ReturnType<typeof vi.spyOn>;

/** A component that makes React complain fails its test. A test that expects it calls `console.error.mockClear()`. */
beforeEach(() => {
  complaints = vi.spyOn(console, 'error');
});

afterEach(() => {
  cleanup();
  const calls = complaints.mock.calls.map((call: unknown[]) => call.map(String).join(' '));
  complaints.mockRestore();
  expect(calls, 'console.error was called').toEqual([]);
});
