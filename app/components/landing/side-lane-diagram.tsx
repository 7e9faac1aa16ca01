import classes from './side-lane-diagram.module.css';

const STEPS = [
  { title: 'You submit', note: 'Credits are set aside', lane: 'page' },
  { title: 'Sent once', note: 'The tab may close now', lane: 'side' },
  { title: 'Watched', note: 'For minutes or hours', lane: 'side' },
  { title: 'Saved', note: 'Checked, stored, settled', lane: 'side' },
  { title: 'You come back', note: 'To the result or a refund', lane: 'page' },
] as const;

/** How it works, as two lanes: the page comes and goes, the side lane goes on. */
export function SideLaneDiagram() {
  return (
    <section className={classes.root} aria-labelledby="two-lanes">
      <h2 id="two-lanes" className={classes.title}>
        Two lanes
      </h2>
      <p className={classes.text}>The page may come and go. The side lane carries the task to its end.</p>
      <ol className={classes.steps}>
        {STEPS.map(({ title, note, lane }) => (
          <li key={title} className={classes.step} data-lane={lane}>
            <span className={classes.name}>{title}</span>
            <span className={classes.note}>{note}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
