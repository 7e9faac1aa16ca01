import { Progress } from '@mantine/core';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './task-page.module.css';
import { statusSentence, uncertainWords } from './task-words.ts';

/** The status of a task on its own page: badge, why it is where it is, progress, and when it ended. */
export function TaskState({ task }: { task: TaskView }) {
  return (
    <div className={classes.state}>
      <p className={classes.badgeLine}>
        <StatusBadge status={task.status} cancelRequested={task.cancelRequested} />
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
          {statusSentence(task)}
        </p>
      )}
      {task.status === 'running' && task.progress !== null ? (
        <div className={classes.progress}>
          <Progress value={task.progress} size="sm" aria-label="Progress" />
          <span>{task.progress} %</span>
        </div>
      ) : null}
    </div>
  );
}

/** Nobody knows the outcome: what happened, what happens next, by when it ends, and what that means for the reader. */
function Doubt({ uncertain }: { uncertain: NonNullable<TaskView['uncertain']> }) {
  const { happened, next } = uncertainWords(uncertain.reason);
  return (
    <dl className={classes.doubt}>
      <div>
        <dt>What happened</dt>
        <dd>{happened}</dd>
      </div>
      <div>
        <dt>What happens next</dt>
        <dd>{next}</dd>
      </div>
      <div>
        <dt>By when</dt>
        <dd>
          <TimeAgo at={uncertain.until} style="both" />. If nothing is known by then, the task ends and its
          credits come back. A result that comes later is still yours.
        </dd>
      </div>
      <div>
        <dt>What you can do</dt>
        <dd>Nothing has to be done. You can close this page, or submit anew, which is a task of its own.</dd>
      </div>
    </dl>
  );
}
