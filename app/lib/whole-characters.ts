import { Transform } from 'node:stream';

/**
 * What React writes, without NUL bytes. React 18 sends its buffer whole when the next character does not fit into what is
 * left of it, with one or two zeros at the end: in the middle of a Chinese word, where browsers show U+FFFD.
 */
export const wholeCharacters = (): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, chunk.includes(0) ? chunk.filter((byte) => byte !== 0) : chunk);
    },
  });
