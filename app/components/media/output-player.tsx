import type { OutputView, TaskView } from '#server/generation/schemas.ts';
import { type Frame, frameOf } from './aspect.ts';
import classes from './media.module.css';
import { TextExcerpt } from './text-excerpt.tsx';

type OutputPlayerProps = {
  task: Pick<TaskView, 'prompt' | 'orderedOutputs' | 'outputs'>;
  output: OutputView;
  expected: Frame;
  /** `tile`: fills the place kept in a card. `full`: its own shape, as large as the page allows. */
  size: 'tile' | 'full';
  /** Opens an image over the page. Without JavaScript, and with a modifier key, the link opens it instead. */
  onOpen?: () => void;
};

/** One stored output: an image, a player, or the beginning of a text. Its place is known before it loads. */
export function OutputPlayer({ task, output, expected, size, onOpen }: OutputPlayerProps) {
  const frame = frameOf(output, expected);
  const name = outputName(task, output);
  const style = size === 'full' ? { aspectRatio: `${frame.width} / ${frame.height}` } : undefined;

  switch (output.kind) {
    case 'image':
      return (
        <a
          href={output.url}
          className={size === 'full' ? classes.imageFull : classes.imageTile}
          style={
            size === 'full'
              ? { ...style, maxWidth: `calc(78dvh * ${frame.width / frame.height})` }
              : undefined
          }
          aria-label={`Open ${name}`}
          onClick={(event) => {
            if (!onOpen || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
            event.preventDefault();
            onOpen();
          }}
        >
          <img
            src={size === 'tile' ? (output.previewUrl ?? output.url) : output.url}
            alt={name}
            width={frame.width}
            height={frame.height}
            loading="lazy"
            decoding="async"
          />
        </a>
      );
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: generated films have no captions to offer
        <video
          controls
          playsInline
          preload="metadata"
          poster={output.previewUrl ?? undefined}
          src={output.url}
          width={frame.width}
          height={frame.height}
          className={size === 'full' ? classes.videoFull : classes.videoTile}
          style={
            size === 'full'
              ? { ...style, maxWidth: `calc(78dvh * ${frame.width / frame.height})` }
              : undefined
          }
          aria-label={name}
        />
      );
    case 'audio':
      return (
        <div className={classes.audio}>
          {/* biome-ignore lint/a11y/useMediaCaption: generated sounds have no captions to offer */}
          <audio controls preload="metadata" src={output.url} aria-label={name} />
        </div>
      );
    case 'text':
      return (
        <TextExcerpt
          url={output.url}
          bytes={output.bytes}
          limit={size === 'full' ? 200_000 : 1_200}
          clipped={size === 'tile'}
        />
      );
  }
}

const NOUN = { image: 'image', video: 'video', audio: 'sound', text: 'text' } as const;

/** What a screen reader says of an output: its kind, its number when there are several, and what was asked for. */
export function outputName(
  task: Pick<TaskView, 'prompt' | 'orderedOutputs' | 'outputs'>,
  output: OutputView,
): string {
  // One order may bring more than one file, as music does.
  const count = Math.max(task.orderedOutputs, task.outputs.length);
  const number = count > 1 ? ` ${output.ordinal + 1} of ${count}` : '';
  return `${NOUN[output.kind]}${number}: ${shorten(task.prompt, 120)}`;
}

export function shorten(text: string, characters: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= characters ? line : `${line.slice(0, characters - 1).trimEnd()}…`;
}
