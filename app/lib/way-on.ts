import { isLoginPath } from './safe-redirect.ts';

/** Where a success leads, as a path of this site. */
export type WayOn = { wayOn: string };

export const isWayOn = (answer: object): answer is WayOn => 'wayOn' in answer;

/**
 * Runs a route's action in the browser for the fetchers that post to it. There a success leaves by a redirect, which
 * the router drops when anything else began to load after the submit (a task that ended, a click on another kind):
 * what was accepted would not be shown, and be ordered twice. As data it always arrives, and the page's loaders run
 * after it; `useFetcherReply` goes there. The way to the sign-in is no success and stays the router's. An answer that
 * never came is `lost`: nobody knows whether it was done.
 */
export async function answerInPlace<T>(serverAction: () => Promise<T>, lost: () => T): Promise<T | WayOn> {
  try {
    return await serverAction();
  } catch (error) {
    if (!(error instanceof Response)) return lost();
    const location = error.headers.get('location');
    const isRedirect = location !== null && error.status >= 300 && error.status < 400;
    if (!isRedirect || isLoginPath(location)) throw error;
    return { wayOn: location };
  }
}
