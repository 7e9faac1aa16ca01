import { useActionData } from '@remix-run/react';
import type { ReactNode } from 'react';
import { replyFor } from '#app/lib/form-reply.ts';
import classes from './money.module.css';

type DecideProps = {
  /** What opens it, e.g. "Decide". */
  summary: string;
  /** Names of the forms inside: it stays open when one of them was refused. */
  forms: readonly string[];
  children: ReactNode;
};

/** Forms of a row that most people will not need, folded away; opens without a script. */
export function Decide({ summary, forms, children }: DecideProps) {
  const actionData = useActionData();
  const refused = forms.some((name) => replyFor(actionData, name) !== undefined);
  return (
    <details className={classes.decide} open={refused || undefined}>
      <summary>{summary}</summary>
      <div className={classes.forms}>{children}</div>
    </details>
  );
}
