import { defineArea } from './define-area.ts';
import en from './en/tasks.json';
import zhCn from './zh-CN/tasks.json';

export const tasksTexts = defineArea('tasks', { en, 'zh-CN': zhCn });
