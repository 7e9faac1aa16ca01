import type { UpstreamRequest } from './provider.ts';

/** What says nothing about the account. A list of credential names would miss the one that a vendor invents next. */
const PORTABLE_HEADERS = /^(accept|accept-encoding|accept-language|content-type|user-agent)$/;

/** Joins a path to the base URL, or takes an absolute URL as it is. */
export function targetUrl(baseUrl: string, request: UpstreamRequest): URL {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(request.url);
  const url = new URL(
    absolute ? request.url : `${baseUrl.replace(/\/+$/, '')}/${request.url.replace(/^\/+/, '')}`,
  );
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
  return url;
}

export function headersFor(request: UpstreamRequest, credentials: Readonly<Record<string, string>>): Headers {
  const headers = new Headers({ accept: 'application/json, */*;q=0.8', ...credentials, ...request.headers });
  if (request.json !== undefined) headers.set('content-type', 'application/json');
  return headers;
}

export function bodyOf(request: UpstreamRequest): BodyInit | undefined {
  return request.json === undefined ? request.form : JSON.stringify(request.json);
}

/** Leaves only headers that any host may see; a custom protocol may have put the key into one of an innocent name. */
export function dropCredentials(headers: Headers, credentials: Readonly<Record<string, string>>): void {
  for (const name of [...headers.keys()]) if (!PORTABLE_HEADERS.test(name)) headers.delete(name);
  for (const name of Object.keys(credentials)) headers.delete(name);
}

/**
 * Whether a channel asks the vendor itself. A gateway that only plays the vendor may answer a question that it does not
 * know with an empty list, which then proves nothing.
 */
export function isHostOf(baseUrl: string, vendorHost: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).host === vendorHost;
}

export function originOf(baseUrl: string): string {
  try {
    return new URL(baseUrl).origin;
  } catch {
    return '';
  }
}
