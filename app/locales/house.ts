import { defineArea } from './define-area.ts';
import en from './en/house.json';
import zhCn from './zh-CN/house.json';

export const houseTexts = defineArea('house', { en, 'zh-CN': zhCn });
