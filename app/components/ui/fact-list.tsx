import type { ReactNode } from 'react';
import classes from './fact-list.module.css';

export type Fact = { label: string; value: ReactNode; help?: string };

/** A few figures that matter, large, side by side. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes.root}>
      {facts.map(({ label, value, help }) => (
        <div key={label} className={classes.fact}>
          <dt className={classes.label}>{label}</dt>
          <dd className={classes.value}>{value}</dd>
          {help ? <dd className={classes.help}>{help}</dd> : null}
        </div>
      ))}
    </dl>
  );
}
