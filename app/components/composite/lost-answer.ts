/** For forms whose every press names what it is about, so that nothing is done twice. */
export const LOST_ANSWER = 'The answer did not arrive. Press again: nothing is done twice.';
