import { Link } from '@remix-run/react';
import { memo } from 'react';
import { Trans } from 'react-i18next';
import { OutputGrid } from '#app/components/media/output-grid.tsx';
import { shorten } from '#app/components/media/output-name.ts';
import { taskHref } from '#app/components/ui/kind-looks.ts';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { isComposite } from '#server/generation/status.ts';
import { useSay } from './say.ts';
import { TaskActions } from './task-actions.tsx';
import { TaskBadge } from './task-badge.tsx';
import classes from './task-card.module.css';
import { TaskTime } from './task-time.tsx';
import { TaskTools } from './task-tools.tsx';
import { isAtWork, knownProgress, moneyWords, statusSentence } from './task-words.ts';

type TaskCardProps = { task: TaskView; returnTo: string; requestKey: string };

/**
 * A task in the list: a tile for each output, what is going on, what the credits do, and what can be done. Drawn anew only
 * when its task has changed.
 */
export const TaskCard = memo(function TaskCard({ task, returnTo, requestKey }: TaskCardProps) {
  const say = useSay();
  const money = moneyWords(task.money, say);
  const titleId = `task-${task.id}-title`;
  return (
    <article
      className={classes.card}
      id={`task-${task.id}`}
      aria-labelledby={titleId}
      data-status={task.status}
    >
      <TaskProgress task={task} />
      <div className={classes.inside}>
        <OutputGrid task={task} taskId={task.id} missing={<Missing task={task} />} />
        <div className={classes.body} data-kind={task.kind}>
          <header className={classes.head}>
            <TaskBadge task={task} />
            <TaskTime task={task} />
          </header>
          <h3 id={titleId} className={classes.title}>
            <Link to={taskHref(task)} className={classes.titleLink}>
              {shorten(task.prompt, 160)}
            </Link>
          </h3>
          <p className={classes.meta}>
            <span>
              {isComposite(task.kind) ? `${say.states(`kind.${task.kind}`)} · ` : null}
              {task.model.title}
            </span>
            {' · '}
            <TimeAgo at={task.submittedAt} />
          </p>
          <TaskSentence task={task} />
          <div className={classes.foot}>
            <span className={classes.money} data-tone={money.tone}>
              {money.short}
            </span>
            <TaskTools task={task} />
          </div>
          <TaskActions task={task} returnTo={returnTo} requestKey={requestKey} />
        </div>
      </div>
    </article>
  );
});

/** In the place of an output that did not come beside others that did. */
function Missing({ task }: { task: TaskView }) {
  const say = useSay();
  return (
    <>
      <p>{say.t('output.missing')}</p>
      <p>{moneyWords(task.money, say).short}</p>
    </>
  );
}

/** Keeps its height when there is nothing to show, so that an end moves nothing. */
function TaskProgress({ task }: { task: TaskView }) {
  const { t } = useSay();
  if (!isAtWork(task)) return <div className={classes.track} data-status={task.status} />;
  // Without a value the bar is "busy" for screen readers, not at nought.
  const known = knownProgress(task);
  return (
    <div
      role="progressbar"
      aria-label={t('card.progress', { prompt: shorten(task.prompt, 60) })}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={known ?? undefined}
      className={classes.track}
      data-busy={known === null || undefined}
    >
      <div className={classes.bar} style={known === null ? undefined : { width: `${known}%` }} />
    </div>
  );
}

/** What is going on; for an uncertain task also why nobody knows, what happens next, and until when. */
function TaskSentence({ task }: { task: TaskView }) {
  const say = useSay();
  const format = useFormat();
  const progress = knownProgress(task);
  if (task.uncertain) return <UncertainNote uncertain={task.uncertain} />;
  return (
    <p className={classes.sentence} data-bad={task.status === 'failed' || undefined}>
      {statusSentence(task, say)}
      {progress !== null ? <span className={classes.percent}> {format.percent(progress)}</span> : null}
    </p>
  );
}

function UncertainNote({ uncertain: { reason, until } }: { uncertain: NonNullable<TaskView['uncertain']> }) {
  const { t } = useSay();
  return (
    <p className={classes.uncertain}>
      {t(`doubt.${reason}.happened`)} {t(`doubt.${reason}.next`)}{' '}
      <Trans t={t} i18nKey="doubt.until" components={{ time: <TimeAgo at={until} style="both" /> }} />
    </p>
  );
}
