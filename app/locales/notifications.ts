import { defineArea } from './define-area.ts';
import en from './en/notifications.json';
import zhCn from './zh-CN/notifications.json';

export const notificationsTexts = defineArea('notifications', { en, 'zh-CN': zhCn });
