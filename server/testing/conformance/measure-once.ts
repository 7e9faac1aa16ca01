import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { measureMedia } from '#server/storage/measure-media.ts';

type Measuring = { measureMedia: typeof measureMedia };

/** Measures each file by its bytes once: thousands of scripts deliver the same few, and ffprobe is a process each time. */
export function measureOnce<T extends Measuring>(original: T): T {
  const known = new Map<string, Awaited<ReturnType<typeof measureMedia>>>();
  return {
    ...original,
    async measureMedia(tools, file, signal) {
      const digest = createHash('sha256')
        .update(await readFile(file.path))
        .digest('hex');
      const key = `${file.kind} ${file.mime} ${digest}`;
      const result = known.get(key) ?? (await original.measureMedia(tools, file, signal));
      known.set(key, result);
      return result;
    },
  } satisfies Measuring & T;
}
