import { holdToConformance } from './hold-to-conformance.ts';

holdToConformance(['openai', 'newapi', 'replicate', 'elevenlabs']);
