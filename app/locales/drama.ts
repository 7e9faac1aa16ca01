import { defineArea } from './define-area.ts';
import en from './en/drama.json';
import zhCn from './zh-CN/drama.json';

export const dramaTexts = defineArea('drama', { en, 'zh-CN': zhCn });
