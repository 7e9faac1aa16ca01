import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

type EmptyStateProps = {
  icon: LucideIcon;
  title: string;
  /** What to do about it, in a sentence. */
  children?: ReactNode;
  /** The one next step, a button or a link. */
  action?: ReactNode;
};

/** An empty frame on the light table: says what is missing and what to do. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={classes.root} data-empty-state>
      <Icon size={28} strokeWidth={1.5} aria-hidden="true" className={classes.icon} />
      <p className={classes.title}>{title}</p>
      {children ? <div className={classes.text}>{children}</div> : null}
      {action ? <div className={classes.action}>{action}</div> : null}
    </div>
  );
}
