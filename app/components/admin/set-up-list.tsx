import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#app/lib/language.tsx';
import { operationsTexts } from '#app/locales/operations.ts';
import classes from './set-up-steps.module.css';

type SetUpStep = {
  key: string;
  title: string;
  done: boolean;
  text: ReactNode;
  /** Shown while the step is the next one to take. */
  action?: ReactNode;
};

/** Numbered steps of which the first that is not done is the next one, and has its buttons. */
export function SetUpList({ steps }: { steps: readonly SetUpStep[] }) {
  const t = useT(operationsTexts);
  const next = steps.findIndex((step) => !step.done);
  return (
    <ol className={classes.root} aria-label={t('steps.label')}>
      {steps.map(({ key, title, done, text, action }, index) => (
        <li key={key} className={classes.step} data-state={done ? 'done' : index === next ? 'next' : 'later'}>
          <span className={classes.mark} aria-hidden="true">
            {done ? <Check size={16} /> : index + 1}
          </span>
          <div>
            <p className={classes.title}>
              {title}
              {done ? <span className={classes.done}> {t('steps.done')}</span> : null}
            </p>
            <div className={classes.text}>{text}</div>
            {index === next && action ? <div className={classes.action}>{action}</div> : null}
          </div>
        </li>
      ))}
    </ol>
  );
}
