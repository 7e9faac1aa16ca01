import { defineArea } from './define-area.ts';
import en from './en/common.json';
import zhCn from './zh-CN/common.json';

export const commonTexts = defineArea('common', { en, 'zh-CN': zhCn });
