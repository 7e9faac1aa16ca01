import { defineArea } from './define-area.ts';
import en from './en/attention.json';
import zhCn from './zh-CN/attention.json';

export const attentionTexts = defineArea('attention', { en, 'zh-CN': zhCn });
