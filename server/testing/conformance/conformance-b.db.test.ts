import { holdToConformance } from './hold-to-conformance.ts';

holdToConformance(['fal', 'gemini', 'runway', 'luma', 'custom']);
