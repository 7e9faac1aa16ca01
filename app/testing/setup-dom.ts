import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, expect, vi } from 'vitest';

// A ceiling for hung tests: the library's second is too short where the machine is busy.
configure({ asyncUtilTimeout: 30_000 });

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
