import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './page-header.module.css';

type PageHeaderProps = {
  title: ReactNode;
  /** A few words above the title, like the print on a film's edge. */
  edge?: ReactNode;
  /** One sentence below. */
  children?: ReactNode;
  actions?: ReactNode;
};

/** The head of every page: its one h1. */
export function PageHeader({ title, edge, children, actions }: PageHeaderProps) {
  return (
    <header className={classes.root}>
      <div className={classes.words}>
        {edge ? <p className={classes.edge}>{edge}</p> : null}
        <Title order={1}>{title}</Title>
        {children ? <div className={classes.lead}>{children}</div> : null}
      </div>
      {actions ? <div className={classes.actions}>{actions}</div> : null}
    </header>
  );
}
