import { Button } from '@mantine/core';
import { Link } from '@remix-run/react';
import { AudioLines, Film, Image as ImageIcon, RefreshCw } from 'lucide-react';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { libraryTexts } from '#app/locales/library.ts';
import { isComposite, type Kind } from '#server/generation/status.ts';
import type { FollowUp, LibraryOutputView } from '#server/library/schemas.ts';
import classes from './library.module.css';

/** What can be made of a file next, as links into the composer; only what some model can do, and why there is nothing. */
export function FollowUpLinks({ output }: { output: LibraryOutputView }) {
  const t = useT(libraryTexts);
  const mayReuse = !isComposite(output.task.kind);
  const format = useFormat();
  const { noFollowUps } = output;
  if (!mayReuse && output.followUps.length === 0 && !noFollowUps) return null;
  return (
    <Panel title={t('output.actions')} id="go-on">
      <div className={classes.stack}>
        {mayReuse ? (
          <Button
            component={Link}
            to={`/workbench?${new URLSearchParams({ from: output.task.id, make: output.task.kind })}`}
            variant="default"
            justify="flex-start"
            classNames={{ root: classes.wrapped, label: classes.wrappedLabel }}
            leftSection={<RefreshCw size={16} aria-hidden />}
          >
            {t('output.reuse')}
          </Button>
        ) : null}
        {output.followUps.map((followUp) => (
          <Button
            key={`${followUp.model.slug} ${followUp.role}`}
            component={Link}
            to={followUpHref(output.id, followUp)}
            variant="default"
            justify="flex-start"
            classNames={{ root: classes.wrapped, label: classes.wrappedLabel }}
            leftSection={<MadeIcon make={followUp.make} />}
          >
            {t(`output.followUp.${wordsFor(output.kind, followUp)}`, { model: followUp.model.title })}
          </Button>
        ))}
        {noFollowUps ? (
          <p className={classes.hint}>
            {noFollowUps.why === 'too_large'
              ? t('output.tooLarge', { size: format.bytes(noFollowUps.maxBytes) })
              : t(`output.noModel.${output.kind}`)}
          </p>
        ) : null}
      </div>
    </Panel>
  );
}

/** Frames are pictures; other material is named by what it is. */
function wordsFor(kind: Kind, { role }: FollowUp) {
  return kind === 'video' || kind === 'audio' ? (`of_${kind}` as const) : role;
}

function MadeIcon({ make }: { make: Kind }) {
  const Icon = make === 'video' ? Film : make === 'audio' ? AudioLines : ImageIcon;
  return <Icon size={16} aria-hidden />;
}

const followUpHref = (reference: string, { make, model, role }: FollowUp): string =>
  `/workbench?${new URLSearchParams({ make, model: model.slug, reference, role })}`;
