import { Progress } from '@mantine/core';
import { Trans } from 'react-i18next';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { useSay } from './say.ts';
import { TaskBadge } from './task-badge.tsx';
import classes from './task-page.module.css';
import { TaskTime } from './task-time.tsx';
import { knownProgress, statusSentence } from './task-words.ts';

/** The status of a task on its own page: badge, why it is where it is, progress, and when it ended. */
export function TaskState({ task }: { task: TaskView }) {
  const say = useSay();
  const format = useFormat();
  const progress = knownProgress(task);
  return (
    <div className={classes.state}>
      <p className={classes.badgeLine}>
        <TaskBadge task={task} />
        <TaskTime task={task} />
        {task.finishedAt ? (
          <span className={classes.small}>
            <TimeAgo at={task.finishedAt} style="absolute" />
          </span>
        ) : null}
      </p>
      {task.uncertain ? (
        <Doubt uncertain={task.uncertain} />
      ) : (
        <p className={classes.lead} data-tone={task.status === 'failed' ? 'bad' : undefined}>
          {statusSentence(task, say)}
        </p>
      )}
      {progress !== null ? (
        <div className={classes.progress}>
          <Progress value={progress} size="sm" aria-label={say.t('card.progressLabel')} />
          <span>{format.percent(progress)}</span>
        </div>
      ) : null}
    </div>
  );
}

/** Nobody knows the outcome: what happened, what happens next, by when it ends, and what that means for the reader. */
function Doubt({ uncertain }: { uncertain: NonNullable<TaskView['uncertain']> }) {
  const { t } = useSay();
  return (
    <dl className={classes.doubt}>
      <div>
        <dt>{t('doubt.terms.happened')}</dt>
        <dd>{t(`doubt.${uncertain.reason}.happened`)}</dd>
      </div>
      <div>
        <dt>{t('doubt.terms.next')}</dt>
        <dd>{t(`doubt.${uncertain.reason}.next`)}</dd>
      </div>
      <div>
        <dt>{t('doubt.terms.when')}</dt>
        <dd>
          <Trans
            t={t}
            i18nKey="doubt.when"
            components={{ time: <TimeAgo at={uncertain.until} style="both" /> }}
          />
        </dd>
      </div>
      <div>
        <dt>{t('doubt.terms.you')}</dt>
        <dd>{t('doubt.you')}</dd>
      </div>
    </dl>
  );
}
