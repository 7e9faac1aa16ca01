import classes from './film-strip.module.css';

type FilmStripProps = {
  frames: number;
  vertical?: boolean;
  /** What the edge print says after the frame's number. */
  firstFrame?: number;
};

/** A strip of film, drawn by CSS alone: decoration, so it is hidden from screen readers. */
export function FilmStrip({ frames, vertical = false, firstFrame = 11 }: FilmStripProps) {
  return (
    <div className={classes.strip} data-vertical={vertical} aria-hidden="true">
      {Array.from({ length: frames }, (_, index) => index + firstFrame).map((number) => (
        <div key={number} className={classes.frame}>
          <div className={classes.picture} data-picture={number % 6} />
          <span className={classes.edge}>{number}A</span>
        </div>
      ))}
    </div>
  );
}
