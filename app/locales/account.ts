import { defineArea } from './define-area.ts';
import en from './en/account.json';
import zhCn from './zh-CN/account.json';

export const accountTexts = defineArea('account', { en, 'zh-CN': zhCn });
