import { defineArea } from './define-area.ts';
import en from './en/library.json';
import zhCn from './zh-CN/library.json';

export const libraryTexts = defineArea('library', { en, 'zh-CN': zhCn });
