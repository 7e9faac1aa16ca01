import { defineArea } from './define-area.ts';
import en from './en/operations.json';
import zhCn from './zh-CN/operations.json';

export const operationsTexts = defineArea('operations', { en, 'zh-CN': zhCn });
