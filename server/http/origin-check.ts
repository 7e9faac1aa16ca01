import type { Request, RequestHandler } from 'express';
import { AppError } from '#server/lib/app-error.ts';

const READ_ONLY = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses what another site's page makes a browser send. Browsers put `Origin` or `Sec-Fetch-Site` on every such
 * request, cookies or not (a forged sign-in needs none), and scripts on a page can't change either. Programs send
 * neither, and carry no cookie.
 */
export function checkOrigin(publicOrigin: string | undefined): RequestHandler {
  const expected = publicOrigin === undefined ? undefined : new URL(publicOrigin).origin;
  return (req, _res, next) => {
    if (READ_ONLY.has(req.method) || isOwn(req, expected)) return next();
    next(
      new AppError(
        'forbidden',
        expected === undefined
          ? 'This request came from another site. Open the page itself and try again.'
          : `This request came from another site. Open ${expected} and try again.`,
      ),
    );
  };
}

function isOwn(req: Request, expected: string | undefined): boolean {
  const origin = req.get('origin');
  const site = req.get('sec-fetch-site');
  if (origin === undefined && site === undefined) return req.headers.cookie === undefined;
  if (site === 'cross-site' || site === 'same-site') return false;
  // An opaque origin says nothing; `Sec-Fetch-Site: same-origin` still does.
  if (origin === undefined || origin === 'null') return site === 'same-origin';
  return expected === undefined ? hostOf(origin) === req.get('host') : origin === expected;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
