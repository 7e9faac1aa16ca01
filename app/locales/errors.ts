import { defineArea } from './define-area.ts';
import en from './en/errors.json';
import zhCn from './zh-CN/errors.json';

/** Sentences of refusals that the server and the schemas make, by their English words: see `error-words.ts`. */
export const errorTexts = defineArea('errors', { en, 'zh-CN': zhCn });
export { en as englishErrors };
