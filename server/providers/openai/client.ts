import { versionedUrl } from '../calls.ts';
import type { ArtefactRef } from '../provider.ts';

/** Address of an OpenAI endpoint; the base URL is accepted with or without `/v1`. */
export function apiUrl(baseUrl: string, path: string): string {
  return versionedUrl(baseUrl, path);
}

/**
 * A result address. `ownUrl` is where this channel itself serves the file: a gateway that gives the same path under
 * another host (it was never told its public name) means that one, and what lies on the channel's own host needs the key.
 */
export function artefactAt(url: string, ownUrl: string): ArtefactRef {
  const [found, own] = [new URL(url), new URL(ownUrl)];
  const tail = own.pathname.split('/').slice(-3).join('/');
  if (found.pathname.endsWith(`/${tail}`)) return { type: 'url', url: ownUrl, authenticated: true };
  return found.origin === own.origin ? { type: 'url', url, authenticated: true } : { type: 'url', url };
}
