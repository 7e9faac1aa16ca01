import { defineArea } from './define-area.ts';
import en from './en/composite.json';
import zhCn from './zh-CN/composite.json';

export const compositeTexts = defineArea('composite', { en, 'zh-CN': zhCn });
