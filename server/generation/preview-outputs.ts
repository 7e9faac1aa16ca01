import type { Deps } from '#server/deps.ts';
import { type PreviewDue, previewsDueOfTask, previewsLeftOver, savePreview } from './preview-queries.ts';

const SWEEP_EVERY_MS = 30_000;
const SWEEP_ROWS = 10;

/**
 * Thumbnails and posters, after success and beside everything else: decoding runs in worker threads and child
 * processes, a failure costs only the preview, and what a killed process left is swept up later.
 */
export function createPreviewMaker(deps: Deps): {
  forTask(taskId: string): Promise<void>;
  sweep(): Promise<void>;
} {
  let sweptAt = Number.NEGATIVE_INFINITY;

  async function make(output: PreviewDue): Promise<void> {
    let previewKey: string | null = null;
    try {
      previewKey = (await deps.makePreview(deps.storage, output))?.storageKey ?? null;
    } catch (error) {
      deps.logger.warn({ outputId: output.id, error: String(error) }, 'A preview could not be stored');
      return;
    }
    const saved = await savePreview(deps.db, output.id, previewKey);
    if (!saved && previewKey) await deps.storage.delete(previewKey);
  }

  return {
    async forTask(taskId) {
      for (const output of await previewsDueOfTask(deps.db, taskId)) await make(output);
    },
    async sweep() {
      const now = performance.now();
      if (now - sweptAt < SWEEP_EVERY_MS) return;
      sweptAt = now;
      for (const output of await previewsLeftOver(deps.db, SWEEP_ROWS)) await make(output);
    },
  };
}
