import { defineArea } from './define-area.ts';
import en from './en/states.json';
import zhCn from './zh-CN/states.json';

export const statesTexts = defineArea('states', { en, 'zh-CN': zhCn });
