import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROUTES = fileURLToPath(new URL('../../app/routes', import.meta.url));

/** Routes that answer with a file, a redirect or JSON, or that only stand around others. */
const NO_PAGE = /\[[.]\]|^(logout|_auth|admin|workbench|settings)$|^[$]$/;

/** A page by its route's file name (`admin.users.$userId`) and its path with names of parameters (`/admin/users/:userId`). */
export type PageRoute = { route: string; path: string };

/** Every page that the routes' files make, so that a new one cannot be forgotten. */
export function pageRoutes(): PageRoute[] {
  return readdirSync(ROUTES)
    .filter((name) => /[.]tsx$/.test(name) && !/[.]test[.]tsx$/.test(name))
    .map((name) => name.replace(/[.]tsx$/, ''))
    .filter((route) => !NO_PAGE.test(route))
    .map((route) => ({ route, path: pathOf(route) }));
}

/** Remix's flat files: dots are slashes, `_x` at the front is no part of the path, `x_` is not nested. */
function pathOf(route: string): string {
  const parts = route
    .split('.')
    .filter((part) => !part.startsWith('_'))
    .map((part) => part.replace(/_$/, '').replace(/^[$]/, ':'));
  return `/${parts.join('/')}`;
}
