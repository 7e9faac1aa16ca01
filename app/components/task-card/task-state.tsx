import { Progress } from '@mantine/core';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { TaskView } from '#server/generation/schemas.ts';
import { UncertainNote } from './task-card.tsx';
import classes from './task-page.module.css';
import { statusSentence } from './task-words.ts';

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
        <UncertainNote uncertain={task.uncertain} />
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
