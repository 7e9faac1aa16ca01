import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { OutputGrid } from '#app/components/media/output-grid.tsx';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { formatCredits } from '#app/lib/format.ts';
import { useWatchedTask } from '#app/lib/use-task-watch.ts';
import type { ChildView } from '#server/generation/composite/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import { childOutputs } from './child-outputs.ts';
import classes from './composite.module.css';

type ChildTileProps = {
  child: ChildView;
  /** What it is, for people: the prompt, or "Shot 2, picture". */
  label: string;
  /** Beside the state: buttons of the page. */
  children?: ReactNode;
};

/** A part of a composite: its result or the place kept for it, its state, and what it costs. Live while it works. */
export function ChildTile({ child, label, children }: ChildTileProps) {
  const heard = useWatchedTask(isTerminal(child.status) ? null : child.taskId);
  const { status, progress } = heard ?? child;
  const failure = heard?.failure?.message ?? child.failure;
  const working = status === 'dispatching' || status === 'running' || status === 'archiving';
  return (
    <div className={classes.tile} data-status={status}>
      {child.kind === 'text' ? null : (
        <OutputGrid task={heard ? { ...heard, prompt: label } : childOutputs(child, label)} />
      )}
      {working ? <ChildProgress label={label} progress={status === 'running' ? progress : null} /> : null}
      <div className={classes.tileBody}>
        <p className={classes.tileHead}>
          <StatusBadge status={status} />
          <span className={classes.cost}>{costWords(child)}</span>
        </p>
        <p className={classes.tileMeta}>
          <Link
            to={`/workbench/tasks/${child.taskId}`}
            className={classes.tileLink}
            aria-label={`${child.modelTitle}, details of ${label}`}
          >
            {child.modelTitle}
          </Link>
        </p>
        {failure ? <p className={classes.bad}>{failure}</p> : null}
        {status === 'uncertain' ? <ChildDoubt until={child.uncertainUntil} /> : null}
        {children}
      </div>
    </div>
  );
}

/** Without a value the bar is "busy" for screen readers, not at nought. */
function ChildProgress({ label, progress }: { label: string; progress: number | null }) {
  return (
    <div
      role="progressbar"
      aria-label={`Progress of ${label}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={progress ?? undefined}
      className={classes.track}
      data-busy={progress === null || undefined}
    >
      <div className={classes.bar} style={progress === null ? undefined : { width: `${progress}%` }} />
    </div>
  );
}

/** A part whose outcome nobody knows: everything else waits, and this says how long at most. */
function ChildDoubt({ until }: { until: Date | null }) {
  return (
    <p className={classes.doubt}>
      It was sent, and nobody knows whether the model is at work on it. It is not sent again: that could run
      twice.
      {until ? (
        <>
          {' '}
          If nothing is known by <TimeAgo at={until} style="both" />, it ends and its credits come back.
        </>
      ) : null}
    </p>
  );
}

function costWords({ status, heldCredits, chargedCredits }: ChildView): string {
  if (!isTerminal(status)) return `${formatCredits(heldCredits)} held`;
  return chargedCredits > 0 ? formatCredits(chargedCredits) : 'not charged';
}
