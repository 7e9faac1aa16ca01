import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { Trans } from 'react-i18next';
import { OutputGrid } from '#app/components/media/output-grid.tsx';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useSentenceGap } from '#app/lib/sentence-gap.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { useWatchedTask } from '#app/lib/use-task-watch.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import type { ChildView } from '#server/generation/composite/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import { childOutputs } from './child-outputs.ts';
import classes from './composite.module.css';
import { useServerWords } from './server-words.ts';

type ChildTileProps = {
  child: ChildView;
  /** What it is, for people: the prompt, or "Shot 2, picture". */
  label: string;
  /** Beside the state: buttons of the page. */
  children?: ReactNode;
};

/** A part of a composite: its result or the place kept for it, its state, and what it costs. Live while it works. */
export function ChildTile({ child, label, children }: ChildTileProps) {
  const t = useT(compositeTexts);
  const words = useServerWords();
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
          <ChildCost child={child} />
        </p>
        <p className={classes.tileMeta}>
          <Link
            to={`/workbench/tasks/${child.taskId}`}
            className={classes.tileLink}
            aria-label={t('child.details', { model: child.modelTitle, label })}
          >
            {child.modelTitle}
          </Link>
        </p>
        {failure ? <p className={classes.bad}>{words(failure)}</p> : null}
        {status === 'uncertain' ? (
          <p className={classes.doubt}>
            <ChildDoubt until={child.uncertainUntil} />
          </p>
        ) : null}
        {children}
      </div>
    </div>
  );
}

/** Without a value the bar is "busy" for screen readers, not at nought. */
function ChildProgress({ label, progress }: { label: string; progress: number | null }) {
  const t = useT(compositeTexts);
  return (
    <div
      role="progressbar"
      aria-label={t('child.progress', { label })}
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

/** Of a part whose outcome nobody knows: everything else waits, and this says how long at most. */
export function ChildDoubt({ until }: { until: Date | null }) {
  const t = useT(compositeTexts);
  const gap = useSentenceGap();
  return (
    <>
      {t('child.doubt')}
      {until ? (
        <>
          {gap}
          <Trans
            t={t}
            i18nKey="child.doubtUntil"
            components={{ time: <TimeAgo at={until} style="both" /> }}
          />
        </>
      ) : null}
    </>
  );
}

function ChildCost({ child: { status, heldCredits, chargedCredits } }: { child: ChildView }) {
  const t = useT(compositeTexts);
  const format = useFormat();
  const isFree = chargedCredits === 0;
  const ended = isFree ? t('child.notCharged') : format.credits(chargedCredits);
  return (
    <span className={classes.cost}>
      {isTerminal(status) ? ended : t('child.held', { credits: format.credits(heldCredits) })}
    </span>
  );
}
