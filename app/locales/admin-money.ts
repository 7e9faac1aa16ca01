import { defineArea } from './define-area.ts';
import en from './en/admin-money.json';
import zhCn from './zh-CN/admin-money.json';

export const adminMoneyTexts = defineArea('adminMoney', { en, 'zh-CN': zhCn });
