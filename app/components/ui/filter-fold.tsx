import type { ReactNode } from 'react';
import classes from './filter-fold.module.css';

/**
 * Put right before the filters of a list: where there is little room, it hides them until it is opened. Wide windows
 * show neither it nor a difference. No script is needed.
 */
export function FilterFold({ children, open = false }: { children: ReactNode; open?: boolean }) {
  return (
    <details className={classes.root} open={open}>
      <summary>{children}</summary>
    </details>
  );
}
