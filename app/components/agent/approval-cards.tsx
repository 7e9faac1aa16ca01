import { useId } from 'react';
import type { Approval } from '#server/generation/agent/schemas.ts';
import classes from './agent-composer.module.css';

const WORDS: readonly { value: Approval; title: string; text: string }[] = [
  {
    value: 'none',
    title: 'Go on by itself',
    text: 'It works until it has finished or the budget is used up.',
  },
  {
    value: 'paid',
    title: 'Ask before each result',
    text: 'Every picture, video or sound waits for your yes.',
  },
  {
    value: 'each',
    title: 'Ask before every step',
    text: 'Every turn of the language model waits for your yes, too.',
  },
];

/** The title of an approval mode. */
export function approvalTitle(approval: Approval): string {
  return WORDS.find(({ value }) => value === approval)?.title ?? approval;
}

type ApprovalCardsProps = { initial: string | undefined; error: string | undefined };

/** How much the agent may do without asking: native radios, one sentence each. */
export function ApprovalCards({ initial, error }: ApprovalCardsProps) {
  const id = useId();
  const chosen = WORDS.some(({ value }) => value === initial) ? initial : 'none';
  return (
    <fieldset className={classes.group} aria-describedby={error ? `${id}-error` : undefined}>
      <legend className={classes.legend}>Approval</legend>
      <div className={classes.cards}>
        {WORDS.map(({ value, title, text }) => (
          <label key={value} className={classes.card}>
            <input
              type="radio"
              name="approval"
              value={value}
              defaultChecked={value === chosen}
              aria-labelledby={`${id}-${value}`}
              aria-describedby={`${id}-${value}-text`}
            />
            <span id={`${id}-${value}`} className={classes.cardTitle}>
              {title}
            </span>
            <span id={`${id}-${value}-text`} className={classes.cardText}>
              {text}
            </span>
          </label>
        ))}
      </div>
      {error ? (
        <p id={`${id}-error`} className={classes.error}>
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
