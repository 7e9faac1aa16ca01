import { Link } from '@remix-run/react';
import { Clapperboard, Download, ImagePlus } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { OutputView, TaskView } from '#server/generation/schemas.ts';
import classes from './media.module.css';
import { outputName } from './output-name.ts';

type OutputToolsProps = {
  task: Pick<TaskView, 'prompt' | 'orderedOutputs' | 'outputs'>;
  output: OutputView;
  /** Words beside the icons, where there is room. */
  labelled?: boolean;
};

/** What can be done with one output: take it, or make something of it. Links, so that they need no script. */
export function OutputTools({ task, output, labelled = false }: OutputToolsProps) {
  const t = useT(tasksTexts);
  const format = useFormat();
  const name = outputName(t, task, output);
  const size = format.bytes(output.bytes);
  return (
    <span className={classes.tools}>
      {output.kind === 'image' ? (
        <>
          <ToolLink
            to={followUpHref(output.id, 'reference', 'image')}
            Icon={ImagePlus}
            label={t('output.reference')}
            name={t('output.referenceName', { name })}
            labelled={labelled}
          />
          <ToolLink
            to={followUpHref(output.id, 'first_frame', 'video')}
            Icon={Clapperboard}
            label={t('output.animate')}
            name={t('output.animateName', { name })}
            labelled={labelled}
          />
        </>
      ) : null}
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

/** The composer with an output as reference. */
const followUpHref = (outputId: string, role: 'reference' | 'first_frame', make: 'image' | 'video'): string =>
  `/workbench?${new URLSearchParams({ reference: outputId, role, make })}`;
