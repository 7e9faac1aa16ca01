import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { OutputView, TaskView } from '#server/generation/schemas.ts';
import { type Frame, frameOf } from './aspect.ts';
import classes from './media.module.css';
import { outputName } from './output-name.ts';
import { TextExcerpt } from './text-excerpt.tsx';

export { shorten } from './output-name.ts';

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
  const t = useT(tasksTexts);
  // The row stays as what was delivered and paid for.
  if (output.isTrashed) return <p className={classes.removed}>{t('output.trashed')}</p>;
  if (output.removedAt) return <p className={classes.removed}>{t('output.removed')}</p>;
  const frame = frameOf(output, expected);
  const name = outputName(t, task, output);
  const full =
    size === 'full'
      ? {
          aspectRatio: `${frame.width} / ${frame.height}`,
          maxWidth: `calc(78dvh * ${frame.width / frame.height})`,
        }
      : undefined;

  switch (output.kind) {
    case 'image':
      return (
        <a
          href={output.url}
          className={size === 'full' ? classes.imageFull : classes.imageTile}
          style={full}
          aria-label={t('output.open', { name })}
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
        // biome-ignore lint/a11y/useMediaCaption: vendors send none; a drama's film is shown with its own on its page
        <video
          controls
          playsInline
          preload="metadata"
          poster={output.previewUrl ?? undefined}
          src={output.url}
          width={frame.width}
          height={frame.height}
          className={size === 'full' ? classes.videoFull : classes.videoTile}
          style={full}
          aria-label={name}
        />
      );
    case 'audio':
      return (
        <div className={classes.audio}>
          {/* biome-ignore lint/a11y/useMediaCaption: vendors send none with a sound */}
          <audio controls preload="metadata" src={output.url} aria-label={name} />
        </div>
      );
    case 'text':
      return (
        <TextExcerpt
          url={output.url}
          bytes={output.bytes}
          limit={size === 'full' ? 200_000 : 8_000}
          scrolls={size === 'tile'}
          name={name}
        />
      );
  }
}
