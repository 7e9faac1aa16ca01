import { Button } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Film, Image as ImageIcon, RefreshCw } from 'lucide-react';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import { isComposite } from '#server/generation/status.ts';
import type { FollowUp, LibraryOutputView } from '#server/library/schemas.ts';
import classes from './library.module.css';

/** What can be made of a file next, as links into the composer; only what some model can do. */
export function FollowUpLinks({ output }: { output: LibraryOutputView }) {
  const t = useT(libraryTexts);
  const mayReuse = !isComposite(output.task.kind);
  if (!mayReuse && output.followUps.length === 0) return null;
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
            leftSection={
              followUp.make === 'video' ? <Film size={16} aria-hidden /> : <ImageIcon size={16} aria-hidden />
            }
          >
            {t(`output.followUp.${followUp.role}`, { model: followUp.model.title })}
          </Button>
        ))}
      </div>
    </Panel>
  );
}

const followUpHref = (reference: string, { make, model, role }: FollowUp): string =>
  `/workbench?${new URLSearchParams({ make, model: model.slug, reference, role })}`;
