import { CompositeActions } from '#app/components/composite/composite-actions.tsx';
import { CompositeBadge } from '#app/components/composite/composite-badge.tsx';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { WaitingNotice } from '#app/components/composite/waiting-notice.tsx';
import { useSay } from '#app/components/task-card/say.ts';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import classes from './drama.module.css';
import type { DramaAnswer } from './drama-answer.ts';
import { phaseSentence, STEPS } from './drama-words.ts';
import { ComposingProgress, ShotsProgress } from './shots-progress.tsx';
import { dramaHref } from './versions-panel.tsx';

const SHARED_INTENTS = ['pause', 'resume', 'stop', 'cancel'];

/** Where a drama stands: status, phase, progress, what it waits for, and what can be done about it. */
export function DramaState({ view, answer }: { view: DramaView; answer: DramaAnswer | undefined }) {
  const t = useT(dramaTexts);
  const say = useSay();
  const words = useServerWords();
  const { task, phase } = view;
  const isLive = !isTerminal(task.status);
  const isShared = answer?.error !== undefined && SHARED_INTENTS.includes(answer.intent ?? '');
  return (
    <div className={classes.state}>
      <p className={classes.badgeLine} style={{ margin: 0 }}>
        <CompositeBadge view={view} task={task} />
        {task.finishedAt ? (
          <span className={classes.dim}>
            <TimeAgo at={task.finishedAt} style="absolute" />
          </span>
        ) : null}
      </p>
      <p
        className={classes.lead}
        style={{ margin: 0 }}
        data-tone={task.status === 'failed' ? 'bad' : undefined}
      >
        {words(phaseSentence(view, { t, say }))}
      </p>
      {isLive && (phase === 'shots' || phase === 'failed_parts') ? (
        <ShotsProgress shots={view.shots} />
      ) : null}
      {isLive && phase === 'composing' ? <ComposingProgress progress={task.progress} /> : null}
      <WaitingNotice view={view} />
      <CompositeActions
        view={view}
        action={dramaHref(view.taskId)}
        answer={isShared ? { error: answer.error ?? '' } : undefined}
      />
    </div>
  );
}

/** The four parts of the way, the present one marked. */
export function DramaSteps({ view }: { view: Pick<DramaView, 'phase' | 'task'> }) {
  const t = useT(dramaTexts);
  const found = STEPS.findIndex(({ phases }) => (phases as readonly string[]).includes(view.phase));
  const now = found < 0 ? STEPS.length : found;
  const isEnded = isTerminal(view.task.status);
  return (
    <ol className={classes.steps} aria-label={t('steps.label')}>
      {STEPS.map(({ name }, index) => (
        <li
          key={name}
          data-state={index < now ? 'done' : index === now && !isEnded ? 'now' : 'later'}
          aria-current={index === now && !isEnded ? 'step' : undefined}
        >
          {t(`steps.${name}`)}
        </li>
      ))}
    </ol>
  );
}
