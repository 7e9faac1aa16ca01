import { CircleSlash, Clock3, FileText, Film, Image as ImageIcon, Music, ShieldQuestion } from 'lucide-react';
import { useState } from 'react';
import type { OutputView, TaskView } from '#server/generation/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import { expectedFrame } from './aspect.ts';
import { Lightbox } from './lightbox.tsx';
import classes from './media.module.css';
import { OutputPlayer, shorten } from './output-player.tsx';

/**
 * The outputs of a task in a card: a place of fixed size, divided among the outputs that were ordered, so that nothing
 * moves from the first skeleton to the last picture.
 */
export function OutputGrid({ task }: { task: TaskView }) {
  const [open, setOpen] = useState<number | null>(null);
  const expected = expectedFrame(task.kind, task.params);
  const images = task.outputs.filter((output) => output.kind === 'image');
  const places = Math.max(task.orderedOutputs, task.outputs.length, 1);
  const byOrdinal = new Map(task.outputs.map((output) => [output.ordinal, output]));
  const finished = isTerminal(task.status);
  const empty = finished && task.outputs.length === 0;
  // Nothing to show and nothing to come: a low strip. A task that fails while it is looked at keeps its place.
  const [compact] = useState(empty);
  // An ended task keeps no empty places beside what it has delivered.
  const tiles: (OutputView | null)[] =
    finished && task.outputs.length > 0
      ? [...task.outputs]
      : Array.from({ length: places }, (_, ordinal) => byOrdinal.get(ordinal) ?? null);

  return (
    <>
      <div
        className={classes.grid}
        data-kind={task.kind}
        data-count={empty ? 1 : Math.min(tiles.length, 4)}
        data-compact={(empty && compact) || undefined}
      >
        {empty ? (
          <EmptyPlace task={task} />
        ) : (
          tiles.slice(0, 4).map((output, place) =>
            output ? (
              <div key={output.id} className={classes.place}>
                <OutputPlayer
                  task={task}
                  output={output}
                  expected={expected}
                  size="tile"
                  onOpen={() => setOpen(images.indexOf(output))}
                />
                {place === 3 && tiles.length > 4 ? (
                  <span className={classes.more}>+{tiles.length - 4}</span>
                ) : null}
              </div>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: an empty place is its position
              <Placeholder key={`place-${place}`} task={task} />
            ),
          )
        )}
      </div>
      {images.length > 0 ? (
        <Lightbox images={images} index={open} alt={shorten(task.prompt, 160)} onChange={setOpen} />
      ) : null}
    </>
  );
}

const ICON = { image: ImageIcon, video: Film, audio: Music, text: FileText } as const;

/** A place that waits for its output. It glows only while upstream is at work; the card's progress bar has the words. */
export function Placeholder({ task }: { task: TaskView }) {
  const Icon =
    task.status === 'uncertain' ? ShieldQuestion : task.status === 'queued' ? Clock3 : ICON[task.kind];
  const working = task.status === 'dispatching' || task.status === 'running' || task.status === 'archiving';
  return (
    <div className={classes.place} data-working={working || undefined} aria-hidden="true">
      <Icon size={22} strokeWidth={1.5} />
    </div>
  );
}

function EmptyPlace({ task }: { task: TaskView }) {
  return (
    <div className={classes.place} data-empty aria-hidden="true">
      {task.status === 'cancelled' ? (
        <CircleSlash size={22} strokeWidth={1.5} />
      ) : (
        <ImageOff kind={task.kind} />
      )}
    </div>
  );
}

function ImageOff({ kind }: { kind: TaskView['kind'] }) {
  const Icon = ICON[kind];
  return (
    <span className={classes.struck}>
      <Icon size={22} strokeWidth={1.5} />
    </span>
  );
}
