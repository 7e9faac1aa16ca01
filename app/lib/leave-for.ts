import { redirect, redirectDocument } from '@remix-run/node';

type Leave = {
  /** An address on another site, as the server gave it. */
  url: string;
  /** A page of ours that links there. */
  via: string;
};

/**
 * Ends an action by sending the reader to another site. A form that was sent without a script goes to `via` instead:
 * our security policy lets forms lead to this site only, and some browsers hold that against the redirect, too.
 */
export function leaveFor(request: Request, { url, via }: Leave): Response {
  const isPlainForm = request.headers.get('accept')?.includes('text/html') ?? false;
  return isPlainForm ? redirect(via, 303) : redirectDocument(url, 303);
}
