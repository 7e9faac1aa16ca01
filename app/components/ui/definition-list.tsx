import type { ReactNode } from 'react';
import classes from './definition-list.module.css';

/** Names and values in two columns. An entry without a value (null, '') is left out. */
export function DefinitionList({ entries }: { entries: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes.root}>
      {entries
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name} className={classes.entry}>
            <dt className={classes.name}>{name}</dt>
            <dd className={classes.value}>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
