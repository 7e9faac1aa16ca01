import { arkProfiles } from './profiles/ark.ts';
import { customProfiles } from './profiles/custom.ts';
import { dashscopeProfiles } from './profiles/dashscope.ts';
import { elevenlabsProfiles } from './profiles/elevenlabs.ts';
import { falProfiles } from './profiles/fal.ts';
import { geminiProfiles } from './profiles/gemini.ts';
import { klingProfiles } from './profiles/kling.ts';
import { lumaProfiles } from './profiles/luma.ts';
import { minimaxProfiles } from './profiles/minimax.ts';
import { newapiProfiles } from './profiles/newapi.ts';
import { openaiProfiles } from './profiles/openai.ts';
import { replicateProfiles } from './profiles/replicate.ts';
import { runwayProfiles } from './profiles/runway.ts';
import type { WireProfile } from './wire-profile.ts';

/** Every wire format that the conformance suite plays. A protocol without one here fails the suite. */
export const ALL_PROFILES: readonly WireProfile[] = [
  ...openaiProfiles,
  ...newapiProfiles,
  ...replicateProfiles,
  ...falProfiles,
  ...geminiProfiles,
  ...runwayProfiles,
  ...lumaProfiles,
  ...klingProfiles,
  ...minimaxProfiles,
  ...arkProfiles,
  ...dashscopeProfiles,
  ...elevenlabsProfiles,
  ...customProfiles,
];
