import { defineArea } from './define-area.ts';
import en from './en/money.json';
import zhCn from './zh-CN/money.json';

export const moneyTexts = defineArea('money', { en, 'zh-CN': zhCn });
export { en as englishMoney };
