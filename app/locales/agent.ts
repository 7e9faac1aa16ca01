import { defineArea } from './define-area.ts';
import en from './en/agent.json';
import zhCn from './zh-CN/agent.json';

export const agentTexts = defineArea('agent', { en, 'zh-CN': zhCn });
