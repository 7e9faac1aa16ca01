import { expect, test } from 'vitest';
import { findChromium } from './chromium.ts';

test('CHROMIUM_PATH comes before the system’s browser', () => {
  expect(findChromium(process.execPath, [])).toBe(process.execPath);
  expect(findChromium(undefined, ['/nowhere/chromium', process.execPath])).toBe(process.execPath);
});

test('without a browser one line says what to do', () => {
  expect(() => findChromium(undefined, ['/nowhere/chromium'])).toThrow(
    /^There is no Chromium for the browser tests: install chromium .* CHROMIUM_PATH to one\.$/,
  );
  expect(() => findChromium('/nowhere/chrome', [])).toThrow(
    'CHROMIUM_PATH names /nowhere/chrome, which does not exist: correct it, or unset it.',
  );
});
