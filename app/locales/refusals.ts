import { defineArea } from './define-area.ts';
import en from './en/refusals.json';
import zhCn from './zh-CN/refusals.json';

/** Sentences that the server says about agents and dramas, by their English words: see `components/composite/server-words.ts`. */
export const refusalTexts = defineArea('refusals', { en, 'zh-CN': zhCn });
export { en as englishRefusals };
