import { Link } from '@remix-run/react';
import { AudioLines, Clapperboard, Download, ImagePlus } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { OutputView, TaskView } from '#server/generation/schemas.ts';
import classes from './media.module.css';
import { outputName } from './output-name.ts';
import { useWaysOn, type WayOn, wayOnHref } from './ways-on.ts';

type OutputToolsProps = {
  task: Pick<TaskView, 'prompt' | 'orderedOutputs' | 'outputs'>;
  output: OutputView;
  /** Words beside the icons, where there is room. */
  labelled?: boolean;
};

/** What can be done with one output: take it, or make something of it where a model takes it. Links, so that they need no script. */
export function OutputTools({ task, output, labelled = false }: OutputToolsProps) {
  const t = useT(tasksTexts);
  const format = useFormat();
  const name = outputName(t, task, output);
  const size = format.bytes(output.bytes);
  const waysOn = useWaysOn(output.kind);
  return (
    <span className={classes.tools}>
      {waysOn.map((way) => {
        const words = wordsFor(way);
        return (
          <ToolLink
            key={way.make}
            to={wayOnHref(output.id, way)}
            Icon={ICONS[way.make]}
            label={t(`output.${words}`)}
            name={t(`output.${words}Name`, { name })}
            labelled={labelled}
          />
        );
      })}
      <a
        href={`${output.url}?download=1`}
        className={classes.tool}
        aria-label={t('output.downloadSize', { name, size })}
        title={t('output.downloadTitle', { size })}
      >
        <Download size={15} aria-hidden />
        {labelled ? t('output.download') : null}
        {!labelled && task.outputs.length > 1 ? output.ordinal + 1 : null}
        {output.late ? ` ${t('output.late')}` : null}
      </a>
    </span>
  );
}

type ToolLinkProps = { to: string; Icon: typeof Download; label: string; name: string; labelled: boolean };

function ToolLink({ to, Icon, label, name, labelled }: ToolLinkProps) {
  return (
    <Link to={to} className={classes.tool} aria-label={name} title={label}>
      <Icon size={15} aria-hidden />
      {labelled ? label : null}
    </Link>
  );
}

const ICONS = { image: ImagePlus, video: Clapperboard, audio: AudioLines };

const USED_FOR = { image: 'forImage', video: 'forVideo', audio: 'forAudio' } as const;

/** A picture in a picture is a reference, one in a video comes alive; everything else is material of what is made. */
function wordsFor({ from, make }: WayOn) {
  if (from === 'image' && make === 'image') return 'reference';
  if (from === 'image' && make === 'video') return 'animate';
  return USED_FOR[make];
}
