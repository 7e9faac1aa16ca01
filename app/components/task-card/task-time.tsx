import { formatDuration } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { useSeconds } from '#app/lib/use-seconds.ts';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { isComposite, isTerminal } from '#server/generation/status.ts';
import classes from './task-card.module.css';

type TaskTimeProps = {
  task: Pick<TaskView, 'kind' | 'status' | 'submittedAt' | 'finishedAt' | 'expectedSeconds'>;
};

/** How long a task has been under way and how long it usually takes; of one that has delivered, how long it took. */
export function TaskTime({ task }: TaskTimeProps) {
  const t = useT(tasksTexts);
  const live = !isTerminal(task.status);
  const now = useSeconds(live);
  const from = new Date(task.submittedAt).getTime();
  if (!live) {
    if (task.status !== 'succeeded' || !task.finishedAt || isComposite(task.kind)) return null;
    const elapsed = formatDuration(new Date(task.finishedAt).getTime() - from);
    return <span className={classes.time}>{t('time.took', { elapsed })}</span>;
  }
  const expected = task.expectedSeconds === null ? null : formatDuration(task.expectedSeconds * 1000);
  // Not in the server's page, whose clock is not the reader's.
  if (now === null) {
    return expected === null ? null : (
      <span className={classes.time}>{t('time.expected', { expected })}</span>
    );
  }
  const elapsed = formatDuration(Math.max(0, now * 1000 - from));
  return (
    <span className={classes.time} role="timer">
      {expected === null ? t('time.elapsed', { elapsed }) : t('time.elapsedOf', { elapsed, expected })}
    </span>
  );
}
