import type { ModelTemplate } from './schemas.ts';
import { ARK_TEMPLATES } from './templates/ark.ts';
import { DASHSCOPE_TEMPLATES } from './templates/dashscope.ts';
import { ELEVENLABS_TEMPLATES } from './templates/elevenlabs.ts';
import { FAL_TEMPLATES } from './templates/fal.ts';
import { GEMINI_TEMPLATES } from './templates/gemini.ts';
import { KLING_TEMPLATES } from './templates/kling.ts';
import { LUMA_TEMPLATES } from './templates/luma.ts';
import { MINIMAX_TEMPLATES } from './templates/minimax.ts';
import { NEWAPI_TEMPLATES } from './templates/newapi.ts';
import { OPENAI_TEMPLATES } from './templates/openai.ts';
import { REPLICATE_TEMPLATES } from './templates/replicate.ts';
import { RUNWAY_TEMPLATES } from './templates/runway.ts';

/**
 * Ready-made definitions of all protocols, in the order of the catalogue. An administrator changes price and limits
 * after adding them.
 */
export const MODEL_TEMPLATES: readonly ModelTemplate[] = [
  ...OPENAI_TEMPLATES,
  ...NEWAPI_TEMPLATES,
  ...REPLICATE_TEMPLATES,
  ...FAL_TEMPLATES,
  ...GEMINI_TEMPLATES,
  ...RUNWAY_TEMPLATES,
  ...LUMA_TEMPLATES,
  ...KLING_TEMPLATES,
  ...MINIMAX_TEMPLATES,
  ...ARK_TEMPLATES,
  ...DASHSCOPE_TEMPLATES,
  ...ELEVENLABS_TEMPLATES,
];
