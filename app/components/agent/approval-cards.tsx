import { useId } from 'react';
import { useT } from '#app/lib/language.tsx';
import { agentTexts } from '#app/locales/agent.ts';
import type { Approval } from '#server/generation/agent/schemas.ts';
import classes from './agent-composer.module.css';

const MODES = ['none', 'paid', 'each'] as const satisfies readonly Approval[];

type ApprovalCardsProps = { initial: string | undefined; error: string | undefined };

/** How much the agent may do without asking: native radios, one sentence each. */
export function ApprovalCards({ initial, error }: ApprovalCardsProps) {
  const t = useT(agentTexts);
  const id = useId();
  const chosen = MODES.find((mode) => mode === initial) ?? 'none';
  return (
    <fieldset className={classes.group} aria-describedby={error ? `${id}-error` : undefined}>
      <legend className={classes.legend}>{t('form.approval')}</legend>
      <div className={classes.cards}>
        {MODES.map((value) => (
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
              {t(`approval.${value}.title`)}
            </span>
            <span id={`${id}-${value}-text`} className={classes.cardText}>
              {t(`approval.${value}.text`)}
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
