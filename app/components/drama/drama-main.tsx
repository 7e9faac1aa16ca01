import { ChildTile } from '#app/components/composite/child-tile.tsx';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { Notice } from '#app/components/ui/error-message.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import { ComposeAgain } from './compose-again.tsx';
import classes from './drama.module.css';
import type { DramaAnswer } from './drama-answer.ts';
import { canCompose, canRedo, type DramaTexts } from './drama-words.ts';
import { FailedParts } from './failed-parts.tsx';
import { FilmDownloads, FilmPlayer } from './film-player.tsx';
import { RedoForm } from './redo-form.tsx';
import { CharacterList, ShotList } from './shot-parts.tsx';
import { StoryboardEditor } from './storyboard-editor.tsx';
import type { AskPlanQuote } from './use-plan-quote.ts';

type DramaMainProps = {
  view: DramaView;
  requestKey: string;
  /** The answer to a form that was sent without JavaScript. */
  answer?: DramaAnswer;
  askQuote?: AskPlanQuote;
};

/** The work itself, by phase: the storyboard being written, its review, the shots, the film. */
export function DramaMain(props: DramaMainProps) {
  const t = useT(dramaTexts);
  const { view, answer, askQuote } = props;
  const isLive = !isTerminal(view.task.status);
  if (view.phase === 'storyboard') return <StoryboardProgress view={view} />;
  if (view.phase === 'review' && isLive && view.plan) {
    return (
      <Panel title={t('page.storyboard')} description={t('page.storyboardHint')}>
        <StoryboardEditor view={{ ...view, plan: view.plan }} answer={answer} askQuote={askQuote} />
      </Panel>
    );
  }
  return (
    <div className={classes.stack}>
      {isLive && view.phase === 'failed_parts' ? <FailedParts view={view} answer={answer} /> : null}
      <FilmPanel {...props} />
      <ShotsPanel {...props} />
    </div>
  );
}

function StoryboardProgress({ view: { storyboard, task } }: { view: DramaView }) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  return (
    <Panel title={t('page.storyboard')} description={triesWords(storyboard.tries, t)}>
      <div className={classes.stack}>
        {storyboard.problem ? (
          <Notice tone={isTerminal(task.status) ? 'error' : 'warning'} title={t('page.problem')}>
            {words(storyboard.problem)}
          </Notice>
        ) : null}
        {storyboard.child ? (
          <ChildTile
            child={storyboard.child}
            label={t('page.try', { number: Math.max(1, storyboard.tries) })}
          />
        ) : (
          <p className={classes.empty}>
            {t(isTerminal(task.status) ? 'page.noStoryboard' : 'page.beginsSoon')}
          </p>
        )}
      </div>
    </Panel>
  );
}

function triesWords(tries: number, t: DramaTexts): string {
  return tries <= 1 ? t('page.firstTry') : t('page.laterTry', { number: tries });
}

function FilmPanel({ view, requestKey, answer }: DramaMainProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  const isEnded = isTerminal(view.task.status);
  if (!isEnded && !view.film && !view.composeProblem) return null;
  return (
    <Panel title={t('page.film')}>
      <div className={classes.stack}>
        {view.film ? (
          <FilmPlayer
            film={view.film}
            title={t('page.filmTitle', { title: view.plan?.title ?? t('page.untitled') })}
            settings={view.settings}
          />
        ) : null}
        {view.composeProblem ? (
          <Notice tone="warning" title={t('page.notComposed')}>
            <p className={classes.lead}>{words(view.composeProblem)}</p>
            <p className={classes.dim}>{t('page.notComposedHint')}</p>
          </Notice>
        ) : null}
        {isEnded && !view.film && !view.composeProblem ? (
          <p className={classes.empty}>{t('page.noFilm')}</p>
        ) : null}
        <FilmDownloads film={view.film} zipUrl={view.zipUrl} />
        {canCompose(view) ? (
          <ComposeAgain
            view={view}
            requestKey={requestKey}
            answer={answer}
            label={t(view.film ? 'compose.again' : 'compose.first')}
          />
        ) : null}
      </div>
    </Panel>
  );
}

function ShotsPanel({ view, requestKey, answer, askQuote }: DramaMainProps) {
  const t = useT(dramaTexts);
  const { plan } = view;
  const mayRedo = canRedo(view);
  if (view.shots.length === 0) return null;
  return (
    <Panel title={t('page.shots')} description={mayRedo ? t('page.redoHint') : undefined}>
      <div className={classes.stack}>
        <CharacterList view={view} />
        <ShotList
          view={view}
          actionsOf={(shotId, index) => {
            const shot = plan?.shots.find(({ id }) => id === shotId);
            return mayRedo && plan && shot ? (
              <RedoForm
                view={{ ...view, plan }}
                shot={shot}
                index={index}
                requestKey={requestKey}
                answer={answer}
                askQuote={askQuote}
              />
            ) : null;
          }}
        />
      </div>
    </Panel>
  );
}
