import { Button } from '@mantine/core';
import { houseTemplates } from '#app/components/composer/dialogs/house-templates.ts';
import { ActionForm } from '#app/components/ui/action-form.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { houseTexts } from '#app/locales/house.ts';
import { promptTexts } from '#app/locales/prompts.ts';
import type { TaskKind } from '#server/generation/status.ts';
import classes from './operations.module.css';

/** What kinds without a template of the house offer; taking them over makes them rows that can be changed. */
export function ReadyMadePrompts({ kinds }: { kinds: readonly TaskKind[] }) {
  const t = useT(houseTexts);
  const prompts = useT(promptTexts);
  if (kinds.length === 0) return null;
  return (
    <Panel title={t('readyMade')} id="ready-made" description={t('readyMadeLead')} flush>
      <DataTable
        label={t('readyMade')}
        rows={kinds.map((kind) => ({ kind, templates: houseTemplates(prompts, kind) }))}
        rowKey={({ kind }) => kind}
        columns={[
          { head: t('kind'), primary: true, cell: ({ kind }) => t(`kinds.${kind}`) },
          {
            head: t('prompt'),
            cell: ({ templates }) => (
              <details className={classes.text}>
                <summary>{t('readyMadeOf', { count: templates.length })}</summary>
                {templates.map(({ id, name, prompt }) => (
                  <p key={id}>
                    {name}
                    <span className={classes.note}>{prompt}</span>
                  </p>
                ))}
              </details>
            ),
          },
          {
            head: t('actions'),
            cell: ({ kind }) => (
              <ActionForm intent="take-over" values={{ kind }}>
                <Button
                  type="submit"
                  size="xs"
                  variant="default"
                  aria-label={t('takeOverOne', { kind: t(`kinds.${kind}`) })}
                >
                  {t('takeOver')}
                </Button>
              </ActionForm>
            ),
          },
        ]}
      />
    </Panel>
  );
}
