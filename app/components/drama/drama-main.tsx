import { ChildTile } from '#app/components/composite/child-tile.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import { ComposeAgain } from './compose-again.tsx';
import classes from './drama.module.css';
import type { DramaAnswer } from './drama-answer.ts';
import { canCompose, canRedo } from './drama-words.ts';
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
  const { view, answer, askQuote } = props;
  const isLive = !isTerminal(view.task.status);
  if (view.phase === 'storyboard') return <StoryboardProgress view={view} />;
  if (view.phase === 'review' && isLive && view.plan) {
    return (
      <Panel
        title="Storyboard"
        description="Change anything. Nothing below is made or charged before you start the shots."
      >
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
  return (
    <Panel title="Storyboard" description={triesWords(storyboard.tries)}>
      <div className={classes.stack}>
        {storyboard.problem ? (
          <Notice
            tone={isTerminal(task.status) ? 'error' : 'warning'}
            title="What was wrong with the last try"
          >
            {storyboard.problem}
          </Notice>
        ) : null}
        {storyboard.child ? (
          <ChildTile child={storyboard.child} label={`Storyboard, try ${Math.max(1, storyboard.tries)}`} />
        ) : (
          <p className={classes.empty}>
            {isTerminal(task.status) ? 'There is no storyboard.' : 'It begins shortly.'}
          </p>
        )}
      </div>
    </Panel>
  );
}

function triesWords(tries: number): string {
  if (tries <= 1) return 'The language model writes it. A try that does not fit is sent back at most twice.';
  return `Try ${tries} of at most 3: the one before did not fit and was sent back with what was wrong.`;
}

function FilmPanel({ view, requestKey, answer }: DramaMainProps) {
  const isEnded = isTerminal(view.task.status);
  if (!isEnded && !view.film && !view.composeProblem) return null;
  return (
    <Panel title="Film">
      <div className={classes.stack}>
        {view.film ? (
          <FilmPlayer
            film={view.film}
            title={`Film: ${view.plan?.title ?? 'untitled'}`}
            settings={view.settings}
          />
        ) : null}
        {view.composeProblem ? (
          <Notice tone="warning" title="The film could not be put together">
            <p className={classes.lead}>{view.composeProblem}</p>
            <p className={classes.dim}>
              Every shot is kept and stays yours. You can take all of them as a ZIP file, and put the film
              together once this is mended.
            </p>
          </Notice>
        ) : null}
        {isEnded && !view.film && !view.composeProblem ? (
          <p className={classes.empty}>There is no film.</p>
        ) : null}
        <FilmDownloads film={view.film} zipUrl={view.zipUrl} />
        {canCompose(view) ? (
          <ComposeAgain
            view={view}
            requestKey={requestKey}
            answer={answer}
            label={view.film ? 'Put it together again' : 'Put the film together'}
          />
        ) : null}
      </div>
    </Panel>
  );
}

function ShotsPanel({ view, requestKey, answer, askQuote }: DramaMainProps) {
  const { plan } = view;
  const mayRedo = canRedo(view);
  if (view.shots.length === 0) return null;
  return (
    <Panel
      title="Shots"
      description={mayRedo ? 'Not happy with one, or is one missing? Make only that part anew.' : undefined}
    >
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
