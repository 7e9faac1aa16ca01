import { defineArea } from './define-area.ts';
import en from './en/admin.json';
import zhCn from './zh-CN/admin.json';

export const adminTexts = defineArea('admin', { en, 'zh-CN': zhCn });
