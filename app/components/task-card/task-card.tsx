import { Link } from '@remix-run/react';
import { Download } from 'lucide-react';
import { OutputGrid } from '#app/components/media/output-grid.tsx';
import { outputName, shorten } from '#app/components/media/output-player.tsx';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { formatBytes } from '#app/lib/format.ts';
import type { OutputView, TaskView } from '#server/generation/schemas.ts';
import { TaskActions } from './task-actions.tsx';
import classes from './task-card.module.css';
import { moneyWords, statusSentence, uncertainWords } from './task-words.ts';

type TaskCardProps = { task: TaskView; returnTo: string; requestKey: string };

/** A task in the list: its outputs or the place kept for them, what is going on, what the credits do, and what can be done. */
export function TaskCard({ task, returnTo, requestKey }: TaskCardProps) {
  const money = moneyWords(task.money);
  const titleId = `task-${task.id}-title`;
  return (
    <article
      className={classes.card}
      id={`task-${task.id}`}
      aria-labelledby={titleId}
      data-status={task.status}
    >
      <OutputGrid task={task} />
      <TaskProgress task={task} />
      <div className={classes.body}>
        <header className={classes.head}>
          <StatusBadge status={task.status} cancelRequested={task.cancelRequested} />
          <span className={classes.when}>
            <TimeAgo at={task.submittedAt} />
          </span>
        </header>
        <h3 id={titleId} className={classes.title}>
          <Link to={`/workbench/tasks/${task.id}`} className={classes.titleLink}>
            {shorten(task.prompt, 160)}
          </Link>
        </h3>
        <p className={classes.meta}>{task.model.title}</p>
        <TaskSentence task={task} />
        <div className={classes.foot}>
          <span className={classes.money} data-tone={money.tone}>
            {money.short}
          </span>
          <DownloadLinks task={task} />
        </div>
        <TaskActions task={task} returnTo={returnTo} requestKey={requestKey} />
      </div>
    </article>
  );
}

/** Keeps its height when there is nothing to show, so that an end moves nothing. */
function TaskProgress({ task }: { task: TaskView }) {
  const working = task.status === 'dispatching' || task.status === 'running' || task.status === 'archiving';
  if (!working) return <div className={classes.track} data-status={task.status} />;
  // Without a value the bar is "busy" for screen readers, not at nought.
  const known = task.status === 'running' ? task.progress : null;
  return (
    <div
      role="progressbar"
      aria-label={`Progress of ${shorten(task.prompt, 60)}`}
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
  if (task.uncertain) return <UncertainNote uncertain={task.uncertain} />;
  return (
    <p className={classes.sentence} data-bad={task.status === 'failed' || undefined}>
      {statusSentence(task)}
      {task.status === 'running' && task.progress !== null ? (
        <span className={classes.percent}> {task.progress} %</span>
      ) : null}
    </p>
  );
}

function UncertainNote({ uncertain }: { uncertain: NonNullable<TaskView['uncertain']> }) {
  const { happened, next } = uncertainWords(uncertain.reason);
  return (
    <p className={classes.uncertain}>
      {happened} {next} If nothing is known by <TimeAgo at={uncertain.until} style="both" />, the task ends
      and its credits come back.
    </p>
  );
}

function DownloadLinks({ task }: { task: TaskView }) {
  if (task.outputs.length === 0) return null;
  return (
    <span className={classes.downloads}>
      {task.outputs.slice(0, 4).map((output) => (
        <DownloadLink key={output.id} task={task} output={output} />
      ))}
      {task.outputs.length > 4 ? (
        <Link to={`/workbench/tasks/${task.id}`} className={classes.download}>
          all
        </Link>
      ) : null}
    </span>
  );
}

function DownloadLink({ task, output }: { task: TaskView; output: OutputView }) {
  const size = formatBytes(output.bytes);
  return (
    <a
      href={`${output.url}?download=1`}
      className={classes.download}
      aria-label={`Download ${outputName(task, output)} (${size})`}
      title={`Download, ${size}`}
    >
      <Download size={15} aria-hidden />
      {task.outputs.length > 1 ? output.ordinal + 1 : null}
      {output.late ? ' late' : null}
    </a>
  );
}
