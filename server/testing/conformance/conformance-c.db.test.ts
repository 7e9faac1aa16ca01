import { holdToConformance } from './hold-to-conformance.ts';

holdToConformance(['kling', 'minimax', 'ark', 'dashscope']);
