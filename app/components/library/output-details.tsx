import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import { CopyButton } from '#app/components/ui/copy-field.tsx';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { taskHref } from '#app/components/ui/kind-looks.ts';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { libraryTexts } from '#app/locales/library.ts';
import type { LibraryOutputView } from '#server/library/schemas.ts';
import classes from './library.module.css';

/** What is known about a file: the words, the model, the numbers, and the way to its task. */
export function OutputDetails({ output }: { output: LibraryOutputView }) {
  const t = useT(libraryTexts);
  const format = useFormat();
  const { cost, parent, task } = output;
  const credits = cost ? format.credits(cost.chargedCredits) : null;
  return (
    <Panel title={t('output.details')} id="details">
      <div className={classes.stack}>
        <p className={classes.prompt}>{output.fullPrompt}</p>
        <div>
          <CopyButton value={output.fullPrompt}>{t('output.copyPrompt')}</CopyButton>
        </div>
        <DefinitionList
          entries={[
            [t('output.model'), output.model.title],
            [t('output.kind'), t(`kind.${output.kind}`)],
            [t('output.size'), output.width && output.height ? `${output.width} × ${output.height}` : null],
            [t('output.length'), output.durationMs === null ? null : format.duration(output.durationMs)],
            [t('output.file'), `${format.bytes(output.bytes)} · ${output.mime}`],
            [t('output.made'), <TimeAgo key="at" at={output.submittedAt} style="both" />],
            [t('output.madeBy'), t(`makers.${output.madeBy}`)],
            [
              t('output.cost'),
              output.late
                ? t('output.late')
                : cost && cost.outputs > 1
                  ? t('output.costOf', { credits, count: cost.outputs })
                  : credits,
            ],
            [t('output.params'), paramsText(output.params)],
            [
              t('output.task'),
              <span key="links">
                <Anchor component={Link} to={taskHref(task)}>
                  {t('output.openTask')}
                </Anchor>
                {parent ? (
                  <>
                    {' · '}
                    <Anchor component={Link} to={taskHref(parent)}>
                      {t('output.openParent')}
                    </Anchor>
                  </>
                ) : null}
              </span>,
            ],
          ]}
        />
      </div>
    </Panel>
  );
}

/** `size: 1024x1024 · n: 2`. Values are the model's own words. */
function paramsText(params: Record<string, unknown>): string {
  return Object.entries(params)
    .filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(' · ');
}
