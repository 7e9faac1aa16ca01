import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Panel } from '#app/components/ui/panel.tsx';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { promptWords } from '#app/lib/prompt-words.ts';
import { attentionTexts } from '#app/locales/attention.ts';
import { statesTexts } from '#app/locales/states.ts';
import type { AdminTaskDetailView } from '#server/generation/schemas.ts';
import classes from './child-tasks-panel.module.css';

/** What a composite has started: it is never sent upstream itself, so these stand where dispatches do. */
export function ChildTasksPanel({ task }: { task: Pick<AdminTaskDetailView, 'children' | 'childCount'> }) {
  const t = useT(attentionTexts);
  const states = useT(statesTexts);
  const { children, childCount } = task;
  const more = childCount - children.length;
  return (
    <Panel id="parts" title={t('parts.title')} description={t('parts.lead')}>
      {children.length === 0 ? (
        <p className={classes.none}>{t('parts.none')}</p>
      ) : (
        <ol className={classes.list} aria-label={t('parts.title')}>
          {children.map(({ taskId, kind, status, modelTitle, prompt }) => (
            <li key={taskId} className={classes.part}>
              <StatusBadge status={status} />
              <span>
                <Anchor component={Link} to={`/admin/tasks/${taskId}`}>
                  {promptWords(prompt, 80)}
                </Anchor>
                <span className={classes.model}>
                  {states(`kind.${kind}`)} · {modelTitle}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
      {more > 0 ? <p className={classes.none}>{t('parts.more', { left: more })}</p> : null}
    </Panel>
  );
}
