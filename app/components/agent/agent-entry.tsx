import { Link } from '@remix-run/react';
import { ChildTile } from '#app/components/composite/child-tile.tsx';
import { shorten } from '#app/components/media/output-player.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { formatCredits } from '#app/lib/format.ts';
import type { AgentEntry as Entry } from '#server/generation/agent/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import classes from './agent.module.css';
import { entryState, entryTitle } from './agent-words.ts';

/** One step of the run: what was said, wanted, asked or refused, and what came of it. */
export function AgentEntry({ entry }: { entry: Entry }) {
  return (
    <li className={classes.entry} data-type={entry.type} data-status={entry.status}>
      <p className={classes.entryHead}>
        <strong>{entryTitle(entry)}</strong>
        <span className={classes.dim}>
          {entryState(entry)} · <TimeAgo at={entry.endedAt ?? entry.at} />
        </span>
      </p>
      <EntryBody entry={entry} />
    </li>
  );
}

function EntryBody({ entry }: { entry: Entry }) {
  switch (entry.type) {
    case 'turn':
      return (
        <>
          {entry.text ? <p className={classes.words}>{entry.text}</p> : null}
          {!entry.text && entry.status === 'running' ? (
            <p className={classes.note}>The language model is at work.</p>
          ) : null}
          {entry.child ? <TurnChild child={entry.child} /> : null}
        </>
      );
    case 'make':
      return (
        <>
          <p className={classes.words}>{entry.prompt}</p>
          {entry.problem ? <p className={classes.bad}>{entry.problem}</p> : null}
          {entry.child ? (
            <div className={classes.made}>
              <ChildTile child={entry.child} label={shorten(entry.prompt, 100)} />
            </div>
          ) : (
            <p className={classes.note}>
              With {entry.modelTitle}
              {entry.costCredits === null ? '' : `, ${formatCredits(entry.costCredits)} at most`}
            </p>
          )}
          <details className={classes.details}>
            <summary>Arguments</summary>
            <pre className={classes.arguments}>{entry.argumentsText}</pre>
          </details>
        </>
      );
    case 'read':
      return <p className={entry.problem ? classes.bad : classes.note}>{entry.problem ?? entry.what}</p>;
    case 'ask':
      return (
        <>
          <p className={classes.words}>{entry.question}</p>
          {entry.answer === null ? null : (
            <blockquote className={classes.answer}>
              <span className={classes.dim}>You: </span>
              {entry.answer}
            </blockquote>
          )}
        </>
      );
    case 'refused':
      return (
        <p className={classes.note}>
          <code>{shorten(entry.name, 80)}</code>: {entry.problem}
        </p>
      );
    case 'finish':
      return <p className={classes.words}>{entry.summary}</p>;
  }
}

/** A turn's own task: its cost and where it is looked at. Its words are in the transcript. */
function TurnChild({ child }: { child: NonNullable<Entry['child']> }) {
  const cost = isTerminal(child.status)
    ? formatCredits(child.chargedCredits)
    : `${formatCredits(child.heldCredits)} held`;
  return (
    <>
      {child.failure ? <p className={classes.bad}>{child.failure}</p> : null}
      {child.status === 'uncertain' ? (
        <p className={classes.note}>
          It was sent, and nobody knows whether the model is at work on it. It is not sent again: that could
          run twice.
          {child.uncertainUntil ? (
            <>
              {' '}
              If nothing is known by <TimeAgo at={child.uncertainUntil} style="both" />, it ends and its
              credits come back.
            </>
          ) : null}
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
