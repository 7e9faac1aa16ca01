import { Link } from '@remix-run/react';
import { CircleSlash, Clock3, ShieldQuestion } from 'lucide-react';
import { type CSSProperties, type ReactNode, useState } from 'react';
import { KIND_LOOKS, taskHref } from '#app/components/ui/kind-looks.ts';
import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { OutputView } from '#server/generation/schemas.ts';
import { isComposite, isTerminal } from '#server/generation/status.ts';
import { expectedFrame, type Frame, frameOf, placeFrame } from './aspect.ts';
import { LazyLightbox } from './lazy-lightbox.tsx';
import classes from './media.module.css';
import { OutputPlayer, shorten } from './output-player.tsx';
import { type OutputSource, shownOutputs } from './output-source.ts';
import { OutputTools } from './output-tools.tsx';

/** Tiles of a card; what is beyond them is on the task's page. */
const MOST_TILES = 8;

type OutputGridProps = {
  task: OutputSource;
  /** Of the task that is shown; a part of a composite has its page elsewhere. */
  taskId?: string;
  /** What is said in the place of an output that was ordered and not delivered. */
  missing?: ReactNode;
};

/**
 * The outputs of a task in a card: one tile of fixed shape for each output that was ordered, so that nothing moves from
 * the first skeleton to the last picture.
 */
export function OutputGrid({ task, taskId, missing }: OutputGridProps) {
  const [open, setOpen] = useState<number | null>(null);
  const outputs = shownOutputs(task);
  const images = outputs.filter((output) => output.kind === 'image' && !isGone(output));
  const places = isComposite(task.kind) ? 1 : Math.max(task.orderedOutputs, outputs.length, 1);
  const byOrdinal = new Map(outputs.map((output) => [output.ordinal, output]));
  const finished = isTerminal(task.status);
  const empty = finished && outputs.length === 0;
  // What is there at first decides the shape of the tiles: a later file of another shape is fitted in.
  const [frame] = useState(() => shapeOf(task, outputs));
  // Nothing to show and nothing to come: a small sign. A task that fails while it is looked at keeps its places.
  const [compact] = useState(empty);
  const tiles: (OutputView | null)[] =
    finished && isComposite(task.kind)
      ? outputs.slice(0, 1)
      : Array.from({ length: places }, (_, ordinal) => byOrdinal.get(ordinal) ?? null);
  const shown = empty ? (compact || isComposite(task.kind) ? [null] : tiles) : tiles;

  return (
    <>
      <div
        className={classes.grid}
        data-kind={task.kind}
        data-count={Math.min(compact && empty ? 1 : shown.length, MOST_TILES)}
        data-compact={(empty && compact) || undefined}
        data-boxed={taskId === undefined || undefined}
        style={
          {
            '--columns': Math.min(shown.length, 4),
            '--ratio': frame.width / frame.height,
          } as CSSProperties
        }
      >
        {shown.slice(0, MOST_TILES).map((output, place) =>
          output ? (
            <div key={output.id} className={classes.place} data-output={output.kind}>
              <OutputPlayer
                task={task}
                output={output}
                expected={frame}
                size="tile"
                onOpen={() => setOpen(images.indexOf(output))}
              />
              {isGone(output) || !taskId ? null : <OutputTools task={task} output={output} />}
              {place === MOST_TILES - 1 && tiles.length > MOST_TILES && taskId ? (
                <MoreLink task={{ ...task, id: taskId }} count={tiles.length} />
              ) : null}
            </div>
          ) : finished ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: an empty place is its position
            <EmptyPlace key={`place-${place}`} task={task}>
              {empty ? null : missing}
            </EmptyPlace>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: an empty place is its position
            <Placeholder key={`place-${place}`} task={task} />
          ),
        )}
      </div>
      {images.length > 0 ? (
        <LazyLightbox images={images} index={open} alt={shorten(task.prompt, 160)} onChange={setOpen} />
      ) : null}
    </>
  );
}

const isGone = ({ removedAt, isTrashed }: OutputView) => removedAt !== null || isTrashed;

function shapeOf(task: OutputSource, outputs: readonly OutputView[]): Frame {
  const expected = expectedFrame(task.kind, task.params);
  const first = outputs.find(({ kind }) => kind === 'image' || kind === 'video');
  return placeFrame(first ? frameOf(first, expected) : expected);
}

function MoreLink({ task, count }: { task: OutputSource & { id: string }; count: number }) {
  const t = useT(tasksTexts);
  return (
    <Link to={taskHref(task)} className={classes.more} aria-label={t('output.allName', { count })}>
      +{count - MOST_TILES}
    </Link>
  );
}

/** A place that waits for its output. It glows only while upstream is at work; the card's progress bar has the words. */
export function Placeholder({ task }: { task: Pick<OutputSource, 'kind' | 'status'> }) {
  const Icon =
    task.status === 'uncertain'
      ? ShieldQuestion
      : task.status === 'queued'
        ? Clock3
        : KIND_LOOKS[task.kind].Icon;
  const working = task.status === 'dispatching' || task.status === 'running' || task.status === 'archiving';
  return (
    <div className={classes.place} data-working={working || undefined} aria-hidden="true">
      <Icon size={22} strokeWidth={1.5} />
    </div>
  );
}

type EmptyPlaceProps = { task: Pick<OutputSource, 'kind' | 'status'>; children?: ReactNode };

/** A place whose output will not come, with the reason where others came. */
function EmptyPlace({ task, children }: EmptyPlaceProps) {
  const { Icon } = KIND_LOOKS[task.kind];
  const sign =
    task.status === 'cancelled' ? (
      <CircleSlash size={22} strokeWidth={1.5} />
    ) : task.status === 'succeeded' && !children ? (
      // What a composite has made is on its page.
      <Icon size={22} strokeWidth={1.5} />
    ) : (
      <span className={classes.struck}>
        <Icon size={22} strokeWidth={1.5} />
      </span>
    );
  return (
    <div className={classes.place} data-empty aria-hidden={children ? undefined : true}>
      <span aria-hidden="true">{sign}</span>
      {children ? <div className={classes.missing}>{children}</div> : null}
    </div>
  );
}
