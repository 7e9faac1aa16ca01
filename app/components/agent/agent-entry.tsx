import { Link } from '@remix-run/react';
import { ChildDoubt, ChildTile } from '#app/components/composite/child-tile.tsx';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { shorten } from '#app/components/media/output-player.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { agentTexts } from '#app/locales/agent.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import type { AgentEntry as Entry } from '#server/generation/agent/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import classes from './agent.module.css';
import { entryState, entryTitle } from './agent-words.ts';

/** One step of the run: what was said, wanted, asked or refused, and what came of it. */
export function AgentEntry({ entry }: { entry: Entry }) {
  const t = useT(agentTexts);
  return (
    <li className={classes.entry} data-type={entry.type} data-status={entry.status}>
      <p className={classes.entryHead}>
        <strong>{entryTitle(entry, t)}</strong>
        <span className={classes.dim}>
          {entryState(entry, t)} · <TimeAgo at={entry.endedAt ?? entry.at} />
        </span>
      </p>
      <EntryBody entry={entry} />
    </li>
  );
}

function EntryBody({ entry }: { entry: Entry }) {
  const t = useT(agentTexts);
  const words = useServerWords();
  switch (entry.type) {
    case 'turn':
      return (
        <>
          {entry.text ? <p className={classes.words}>{entry.text}</p> : null}
          {!entry.text && entry.status === 'running' ? (
            <p className={classes.note}>{t('entry.atWork')}</p>
          ) : null}
          {entry.child ? <TurnChild child={entry.child} /> : null}
        </>
      );
    case 'make':
      return (
        <>
          <p className={classes.words}>{entry.prompt}</p>
          {entry.problem ? <p className={classes.bad}>{words(entry.problem)}</p> : null}
          {entry.child ? (
            <div className={classes.made}>
              <ChildTile child={entry.child} label={shorten(entry.prompt, 100)} />
            </div>
          ) : (
            <ToBeMade entry={entry} />
          )}
          <details className={classes.details}>
            <summary>{t('entry.arguments')}</summary>
            <pre className={classes.arguments}>{entry.argumentsText}</pre>
          </details>
        </>
      );
    case 'read':
      return (
        <p className={entry.problem ? classes.bad : classes.note}>{words(entry.problem) ?? entry.what}</p>
      );
    case 'ask':
      return (
        <>
          <p className={classes.words}>{entry.question}</p>
          {entry.answer === null ? null : (
            <blockquote className={classes.answer}>
              <span className={classes.dim}>{t('entry.you')} </span>
              {entry.answer}
            </blockquote>
          )}
        </>
      );
    case 'refused':
      return (
        <p className={classes.note}>
          <code>{shorten(entry.name, 80)}</code>
          {t('entry.colon')}
          {words(entry.problem)}
        </p>
      );
    case 'finish':
      return <p className={classes.words}>{isOurEnd(entry) ? words(entry.summary) : entry.summary}</p>;
  }
}

/** The server ends a run that was cut short by itself: then the summary is the server's, not the model's. */
const isOurEnd = ({ key }: Entry): boolean => key === 'end';

/** What is not begun yet: with which model, and for how much at most. */
function ToBeMade({ entry: { modelTitle, costCredits } }: { entry: Extract<Entry, { type: 'make' }> }) {
  const t = useT(agentTexts);
  const format = useFormat();
  const words =
    costCredits === null
      ? t('entry.with', { model: modelTitle })
      : t('entry.withCost', { model: modelTitle, credits: format.credits(costCredits) });
  return <p className={classes.note}>{words}</p>;
}

/** A turn's own task: its cost and where it is looked at. Its words are in the transcript. */
function TurnChild({ child }: { child: NonNullable<Entry['child']> }) {
  const t = useT(compositeTexts);
  const format = useFormat();
  const words = useServerWords();
  const cost = isTerminal(child.status)
    ? format.credits(child.chargedCredits)
    : t('child.held', { credits: format.credits(child.heldCredits) });
  return (
    <>
      {child.failure ? <p className={classes.bad}>{words(child.failure)}</p> : null}
      {child.status === 'uncertain' ? (
        <p className={classes.note}>
          <ChildDoubt until={child.uncertainUntil} />
        </p>
      ) : null}
      <p className={classes.note}>
        <Link to={`/workbench/tasks/${child.taskId}`} className={classes.quiet}>
          {child.modelTitle}
        </Link>{' '}
        · {cost}
      </p>
    </>
  );
}
