import { type ReactNode, useId } from 'react';
import classes from './panel.module.css';

type PanelProps = {
  /** Heading of the panel (h2), tied to the section as its name. */
  title?: string;
  id?: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Lets a table or picture reach the panel's edges. */
  flush?: boolean;
};

/** A sheet on the table: the one kind of box that pages are made of. */
export function Panel({ title, id, description, actions, children, flush = false }: PanelProps) {
  const made = useId();
  const headingId = title ? `${id ?? made}-heading` : undefined;
  return (
    <section className={classes.root} aria-labelledby={headingId} id={id}>
      {title ? (
        <div className={classes.head}>
          <div>
            <h2 id={headingId} className={classes.title}>
              {title}
            </h2>
            {description ? <p className={classes.description}>{description}</p> : null}
          </div>
          {actions}
        </div>
      ) : null}
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </section>
  );
}

/** The last thing of a padded panel, carried to its edges: a table below a form. */
export function PanelBleed({ children }: { children: ReactNode }) {
  return <div className={classes.bleed}>{children}</div>;
}
