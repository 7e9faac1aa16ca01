import classes from './code-block.module.css';

/** A value as JSON or text under its name, scrollable by keyboard too. */
export function CodeBlock({ label, value }: { label: string; value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <figure className={classes.root}>
      <figcaption className={classes.label}>{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label={label}>
        <pre className={classes.text}>{text}</pre>
      </section>
    </figure>
  );
}
