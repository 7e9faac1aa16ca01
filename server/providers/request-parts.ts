import type { UpstreamRequest } from './provider.ts';

const CREDENTIAL_HEADERS =
  /^(authorization|proxy-authorization|cookie|.*(api-?key|token|secret).*|openai-(organization|project))$/i;

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

export function dropCredentials(headers: Headers): void {
  for (const name of [...headers.keys()]) if (CREDENTIAL_HEADERS.test(name)) headers.delete(name);
}

export function originOf(baseUrl: string): string {
  try {
    return new URL(baseUrl).origin;
  } catch {
    return '';
  }
}
