import { render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Language } from '#app/locales/languages.ts';

/** The module anew, as a browser has it: without the texts. */
let useErrorWords: typeof import('./use-error-words.ts').useErrorWords;
let LanguageProvider: typeof import('./language.tsx').LanguageProvider;
let asked: number;

beforeEach(async () => {
  vi.resetModules();
  asked = 0;
  vi.doMock('./error-words.ts', async (load) => {
    asked += 1;
    return await load();
  });
  ({ LanguageProvider } = await import('./language.tsx'));
  ({ useErrorWords } = await import('./use-error-words.ts'));
});

afterEach(() => {
  vi.doUnmock('./error-words.ts');
});

function Refusals({ of }: { of: readonly string[] }) {
  return <p>{useErrorWords()(of)}</p>;
}

const show = (language: Language, ...of: string[]) =>
  render(<Refusals of={of} />, {
    wrapper: ({ children }) => <LanguageProvider value={language}>{children}</LanguageProvider>,
  });

it('says a refusal in the language of the page as soon as its texts have come', async () => {
  show('zh-CN', 'The password is wrong.', 'Say why.');
  expect(screen.getByText('The password is wrong. Say why.')).toBeInTheDocument();
  expect(await screen.findByText('密码不正确。请说明原因。')).toBeInTheDocument();
  expect(asked).toBe(1);
});

it('fetches nothing for an English page', async () => {
  show('en', 'The password is wrong.', '', 'Say why.');
  expect(screen.getByText('The password is wrong. Say why.')).toBeInTheDocument();
  await vi.dynamicImportSettled();
  expect(asked).toBe(0);
});
