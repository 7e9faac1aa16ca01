import { defineArea } from './define-area.ts';
import en from './en/prompts.json';
import zhCn from './zh-CN/prompts.json';

/** Texts of the dialogs around a prompt; they come with the dialogs. */
export const promptTexts = defineArea('prompts', { en, 'zh-CN': zhCn });
