import type { Language } from '#app/locales/languages.ts';
import { useLanguage } from './language.tsx';

/** What stands between two sentences: a space, but nothing in Chinese. */
export const sentenceGap = (language: Language): string => (language === 'zh-CN' ? '' : ' ');

/** {@link sentenceGap} of the page's language. */
export const useSentenceGap = (): string => sentenceGap(useLanguage());
