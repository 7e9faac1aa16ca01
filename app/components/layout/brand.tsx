import classes from './brand.module.css';

/** The sign and the word: a strip of film with a lit lane beside it. */
export function Brand() {
  return (
    <span className={classes.root}>
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="7" className={classes.film} />
        <g className={classes.holes}>
          <rect x="5" y="6" width="3" height="4" rx="1" />
          <rect x="5" y="14" width="3" height="4" rx="1" />
          <rect x="5" y="22" width="3" height="4" rx="1" />
        </g>
        <rect x="12" y="6" width="6" height="20" rx="2" className={classes.lane} />
        <rect x="21" y="6" width="6" height="20" rx="2" className={classes.lit} />
      </svg>
      <span className={classes.word}>Sidelane</span>
    </span>
  );
}
