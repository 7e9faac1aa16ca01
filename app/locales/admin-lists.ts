import { defineArea } from './define-area.ts';
import en from './en/admin-lists.json';
import zhCn from './zh-CN/admin-lists.json';

export const adminListsTexts = defineArea('adminLists', { en, 'zh-CN': zhCn });
