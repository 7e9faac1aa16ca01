import { arkAdapter } from './ark/adapter.ts';
import { customAdapter } from './custom/adapter.ts';
import { dashscopeAdapter } from './dashscope/adapter.ts';
import { elevenlabsAdapter } from './elevenlabs/adapter.ts';
import { falAdapter } from './fal/adapter.ts';
import { geminiAdapter } from './gemini/adapter.ts';
import { klingAdapter } from './kling/adapter.ts';
import { lumaAdapter } from './luma/adapter.ts';
import { minimaxAdapter } from './minimax/adapter.ts';
import { newapiAdapter } from './newapi/adapter.ts';
import { openaiAdapter } from './openai/adapter.ts';
import type { ProviderAdapter } from './provider.ts';
import { replicateAdapter } from './replicate/adapter.ts';
import { runwayAdapter } from './runway/adapter.ts';

/** Every wire protocol that this server speaks. */
export const BUILT_IN_ADAPTERS: readonly ProviderAdapter[] = [
  openaiAdapter,
  newapiAdapter,
  replicateAdapter,
  falAdapter,
  geminiAdapter,
  runwayAdapter,
  lumaAdapter,
  klingAdapter,
  minimaxAdapter,
  arkAdapter,
  dashscopeAdapter,
  elevenlabsAdapter,
  customAdapter,
];
