import { defineArea } from './define-area.ts';
import en from './en/costs.json';
import zhCn from './zh-CN/costs.json';

export const costsTexts = defineArea('costs', { en, 'zh-CN': zhCn });
