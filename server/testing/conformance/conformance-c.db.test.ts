import { vi } from 'vitest';
import { holdToConformance } from './hold-to-conformance.ts';

vi.mock('#server/storage/measure-media.ts', async (original) => {
  const { measureOnce } = await import('./measure-once.ts');
  return measureOnce(await original<typeof import('#server/storage/measure-media.ts')>());
});

holdToConformance(['kling', 'minimax', 'ark', 'dashscope']);
