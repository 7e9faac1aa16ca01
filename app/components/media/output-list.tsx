import { useState } from 'react';
import { formatBytes, formatDuration } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { OutputView } from '#server/generation/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import { expectedFrame } from './aspect.ts';
import { LazyLightbox } from './lazy-lightbox.tsx';
import classes from './media.module.css';
import { Placeholder } from './output-grid.tsx';
import { shorten } from './output-name.ts';
import { OutputPlayer } from './output-player.tsx';
import type { OutputSource } from './output-source.ts';
import { OutputTools } from './output-tools.tsx';

/** The outputs of a task on its own page, large, in their own shapes. A place is kept for each that is still to come. */
export function OutputList({ task }: { task: OutputSource }) {
  const [open, setOpen] = useState<number | null>(null);
  const t = useT(tasksTexts);
  const expected = expectedFrame(task.kind, task.params);
  const images = task.outputs.filter(
    (output) => output.kind === 'image' && !output.removedAt && !output.isTrashed,
  );
  const byOrdinal = new Map(task.outputs.map((output) => [output.ordinal, output]));
  const places = Math.max(task.orderedOutputs, task.outputs.length, 1);
  const slots: (OutputView | null)[] = isTerminal(task.status)
    ? [...task.outputs]
    : Array.from({ length: places }, (_, ordinal) => byOrdinal.get(ordinal) ?? null);

  if (slots.length === 0) {
    return (
      <div className={classes.none}>
        <p>{t(task.status === 'cancelled' ? 'output.noneCancelled' : 'output.none')}</p>
      </div>
    );
  }
  return (
    <>
      <ul className={classes.list} data-columns={slots.length > 1 && task.kind === 'image' ? 2 : 1}>
        {slots.map((output, place) =>
          output ? (
            <li key={output.id}>
              <figure className={classes.figure} data-kind={output.kind}>
                <OutputPlayer
                  task={task}
                  output={output}
                  expected={expected}
                  size="full"
                  onOpen={() => setOpen(images.indexOf(output))}
                />
                <figcaption className={classes.caption}>
                  <span>{describeOutput(output, t('output.lateLong'))}</span>
                  {output.removedAt || output.isTrashed ? null : (
                    <OutputTools task={task} output={output} labelled />
                  )}
                </figcaption>
              </figure>
            </li>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: an empty place is its position
            <li key={`place-${place}`}>
              <div
                className={classes.keep}
                data-kind={task.kind}
                style={{ aspectRatio: `${expected.width} / ${expected.height}` }}
              >
                <Placeholder task={task} />
              </div>
            </li>
          ),
        )}
      </ul>
      {images.length > 0 ? (
        <LazyLightbox images={images} index={open} alt={shorten(task.prompt, 160)} onChange={setOpen} />
      ) : null}
    </>
  );
}

/** "1024 × 1024 · 1.4 MB". */
function describeOutput(output: OutputView, lateWords: string): string {
  return [
    output.width && output.height ? `${output.width} × ${output.height}` : null,
    output.durationMs ? formatDuration(output.durationMs) : null,
    formatBytes(output.bytes),
    output.mime.split('/')[1]?.replace('plain', 'text').toUpperCase(),
    output.late ? lateWords : null,
  ]
    .filter(Boolean)
    .join(' · ');
}
