/**
 * A path on this site, or the fallback. Refuses everything that a browser could read as another origin: schemes,
 * `//host`, `/\host`, control characters and encoded tricks.
 */
export function safeRedirect(target: unknown, fallback = '/workbench'): string {
  if (typeof target !== 'string' || !target.startsWith('/')) return fallback;
  // Browsers drop tabs and line ends inside an URL and read a backslash as a slash.
  if (target.startsWith('//') || /[\\\p{Cc}]/u.test(target)) return fallback;
  try {
    const url = new URL(target, 'http://site.invalid');
    if (url.origin !== 'http://site.invalid' || url.pathname.startsWith('//')) return fallback;
    return `${url.pathname}${url.search}${url.hash}`;
  } catch {
    return fallback;
  }
}

/** `/login?next=…` that leads back to the page that was asked for. */
export function loginPath(requestUrl: string): string {
  const url = new URL(requestUrl);
  // Single-fetch asks for `/page.data`; people go back to `/page`.
  const pathname = url.pathname.replace(/\.data$/, '').replace(/^\/_root$/, '/');
  url.searchParams.delete('_routes');
  const query = url.searchParams.toString();
  const next = query ? `${pathname}?${query}` : pathname;
  return next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`;
}

/** Where to go after signing in: the `next` of the address, if it is a page of ours. */
export function nextPage(requestUrl: string): string {
  return safeRedirect(new URL(requestUrl).searchParams.get('next'));
}

/** A way to the sign-in: what was asked for has not been done. */
export const isLoginPath = (path: string): boolean => /^\/login([?]|$)/.test(path);
