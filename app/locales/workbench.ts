import { defineArea } from './define-area.ts';
import en from './en/workbench.json';
import zhCn from './zh-CN/workbench.json';

export const workbenchTexts = defineArea('workbench', { en, 'zh-CN': zhCn });
