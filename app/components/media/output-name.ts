import type { TFunction } from 'i18next';
import type { OutputView, TaskView } from '#server/generation/schemas.ts';

/** What a screen reader says of an output: its kind, its number when there are several, and what was asked for. */
export function outputName(
  t: TFunction<'tasks'>,
  task: Pick<TaskView, 'prompt' | 'orderedOutputs' | 'outputs'>,
  output: Pick<OutputView, 'kind' | 'ordinal'>,
): string {
  // One order may bring more than one file, as music does.
  const count = Math.max(task.orderedOutputs, task.outputs.length);
  const prompt = shorten(task.prompt, 120);
  return count > 1
    ? t(`output.${output.kind}Of`, { number: output.ordinal + 1, count, prompt })
    : t(`output.${output.kind}`, { prompt });
}

export function shorten(text: string, characters: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= characters ? line : `${line.slice(0, characters - 1).trimEnd()}…`;
}
