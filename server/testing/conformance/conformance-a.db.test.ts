import { vi } from 'vitest';
import { holdToConformance } from './hold-to-conformance.ts';
import { measureOnce } from './measure-once.ts';

vi.mock('#server/storage/measure-media.ts', async (original) =>
  measureOnce(await original<typeof import('#server/storage/measure-media.ts')>()),
);

holdToConformance(['openai', 'newapi', 'replicate', 'elevenlabs']);
