/** Ends a composition with a message for the user; `composeFilm` turns it into its result. */
export class FilmFault extends Error {
  readonly type: 'unavailable' | 'failed';

  constructor(type: 'unavailable' | 'failed', message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'FilmFault';
    this.type = type;
  }
}
