import { defineArea } from './define-area.ts';
import en from './en/banner.json';
import zhCn from './zh-CN/banner.json';

export const bannerTexts = defineArea('banner', { en, 'zh-CN': zhCn });
