import type { OutputView, TaskView } from '#server/generation/schemas.ts';

/** What the pictures and players need to know of a task, or of a part of a composite. */
export type OutputSource = Pick<
  TaskView,
  'kind' | 'params' | 'status' | 'prompt' | 'outputs' | 'orderedOutputs'
>;

/**
 * The outputs worth a place in a card. Of a film that is the film alone: its poster is the picture it shows before it
 * is played, and its captions are files to download on its page.
 */
export function shownOutputs({ kind, outputs }: OutputSource): OutputView[] {
  if (kind !== 'drama') return outputs;
  const poster = outputs.find((output) => output.kind === 'image' && !output.removedAt);
  return outputs
    .filter((output) => output.kind === 'video')
    .map((film) => ({ ...film, previewUrl: film.previewUrl ?? poster?.url ?? null }));
}
